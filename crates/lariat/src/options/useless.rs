//! Options without an effect, found by the rules of the table.
//!
//! On the command line such an option is an error: whoever wrote it expects something of it. A configuration file is for
//! many checks, so there it is a warning at its place and the check goes on without it; one that only says
//! what is in force anyway is not worth a word.

use super::row::{Need, Rule};
use super::table::Opt;
use super::values::{Origin, Value, Values, default};
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, Severity};
use lariat_system::Language;
use lariat_verify::Model;

/// What is known of the model and the property; what is not known makes nothing useless.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Whether the property is about infinite runs.
    pub is_temporal: Option<bool>,
    /// Whether the model is a program or an XSTS by itself, with points between its steps.
    pub has_inner_points: Option<bool>,
    /// The languages of the models.
    pub languages: Option<Vec<Language>>,
}

impl Facts {
    /// What there is to know of a model.
    pub fn of(model: &Model) -> Self {
        Self {
            is_temporal: None,
            has_inner_points: Some(model.has_inner_points()),
            languages: Some(model.systems.iter().map(|system| system.language).collect()),
        }
    }

    /// The same for a property of the model.
    pub fn for_property(&self, is_temporal: bool) -> Self {
        Self {
            is_temporal: Some(is_temporal),
            ..self.clone()
        }
    }
}

impl Values {
    /// What has no effect, in the order of the table: for each option the first reason.
    pub fn without_effect(&self, facts: &Facts) -> Vec<(Opt, Diagnostic)> {
        let mut found = Vec::new();
        for (opt, value, origin) in self.iter() {
            if let Origin::File(_) = origin
                && default(opt).as_ref() == Some(value)
            {
                continue;
            }
            if let Some(why) = self.why_useless(opt, value, facts) {
                let name = opt.row().name;
                let finding = match origin {
                    Origin::CommandLine => useless(&format!("--{name}"), &why),
                    Origin::File(span) => {
                        let message = format!("`{name}` has no effect: {why}");
                        Diagnostic::warning("useless-option", message).at(span)
                    }
                };
                found.push((opt, finding));
            }
        }
        found
    }

    /// Takes back what has no effect, and says what that was.
    pub fn drop_useless(&mut self, facts: &Facts) -> Vec<Diagnostic> {
        let found = self.without_effect(facts);
        for (opt, _) in &found {
            self.remove(*opt);
        }
        found.into_iter().map(|(_, finding)| finding).collect()
    }

    /// Why an option with this value has no effect, if it has none.
    pub fn why_useless(&self, opt: Opt, value: &Value, facts: &Facts) -> Option<String> {
        let speaks_of_it = |rule: &&Rule| match value {
            Value::Word(word) => rule.of.is_empty() || rule.of.contains(word),
            _ => rule.of.is_empty(),
        };
        let mut rules = opt.row().effect.iter().filter(speaks_of_it);
        let broken = rules.find(|rule| !self.meets(rule.need, facts))?;
        Some(broken.why.replace("{value}", &value.to_string()))
    }

    fn meets(&self, need: Need, facts: &Facts) -> bool {
        let is_any = |opt, words: &[&str]| {
            let word = self.word(opt);
            word.is_some_and(|word| words.contains(&word))
        };
        match need {
            Need::Is(opt, words) => is_any(opt, words),
            Need::Not(opt, words) => !is_any(opt, words),
            Need::Temporal => facts.is_temporal != Some(false),
            Need::BadStates => facts.is_temporal != Some(true),
            Need::Program => facts.has_inner_points != Some(false),
            Need::Language(fit) => match &facts.languages {
                Some(languages) => languages.iter().any(|language| fit.contains(language)),
                None => true,
            },
        }
    }
}

/// Ends with the findings if any is an error, or else shows them.
pub fn refuse(session: &mut Session, findings: Vec<Diagnostic>) -> Result<(), Failure> {
    if findings.iter().any(|f| f.severity == Severity::Error) {
        return Err(findings.into());
    }
    session.report(&findings);
    Ok(())
}

/// The finding that an option has no effect.
pub fn useless(option: &str, why: &str) -> Diagnostic {
    Diagnostic::error("useless-option", format!("`{option}` has no effect: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::words::read_words;

    /// What is useless of a line of options, for what is known: `temporal`, `states`, `program`, `model`.
    fn check(known: &str, line: &str) -> String {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let options = read_words(&words).expect("the options exist");
        let facts = Facts {
            is_temporal: match known {
                "temporal" => Some(true),
                "states" => Some(false),
                _ => None,
            },
            has_inner_points: match known {
                "program" => Some(true),
                "model" => Some(false),
                _ => None,
            },
            languages: None,
        };
        let found = options.without_effect(&facts).into_iter();
        let lines: Vec<String> = found.map(|(_, finding)| finding.message).collect();
        lines.join("\n")
    }

    #[test]
    fn every_reason_has_its_sentence() {
        let cegar_only = "it is for `--engine cegar`";
        for option in [
            "--refinement seq-itp",
            "--lasso-refinement direct",
            "--prune full",
            "--max-rounds 2",
            "--max-unrolling 2",
            "--max-counterexamples 2",
            "--check-interpolants",
            "--record f",
            "--domain expl",
            "--precision local",
            "--init-prec prop",
            "--explicit x",
            "--max-equalities 2",
            "--pred-split atoms",
            "--max-enum 2",
        ] {
            let name = option.split(' ').next().unwrap_or_default();
            let expected = format!("`{name}` has no effect: {cegar_only}");
            assert_eq!(check("", option), expected);
            assert_eq!(check("", &format!("--engine explicit {option}")), expected);
        }
        let cases = [
            (
                "",
                "--max-states 2",
                "`--max-states` has no effect: it is for `--engine explicit`",
            ),
            (
                "",
                "--search bfs",
                "`--search` has no effect: `--engine auto` chooses the search",
            ),
            (
                "states",
                "--engine cegar --lasso-refinement direct",
                "`--lasso-refinement` has no effect: the property needs no lasso",
            ),
            (
                "states",
                "--engine cegar --max-rounds 3",
                "`--max-rounds` has no effect: the property needs no lasso",
            ),
            (
                "temporal",
                "--engine cegar --max-unrolling 3",
                "`--max-unrolling` has no effect: it is for `--lasso-refinement bounded-unrolling`",
            ),
            (
                "temporal",
                "--engine cegar --search scc --max-counterexamples 3",
                "`--max-counterexamples` has no effect: it is for `--search full`",
            ),
            (
                "",
                "--engine cegar --domain pred-cart --refinement unsat-core",
                "`--refinement` has no effect: `unsat-core` finds variables, the predicate domains need predicates",
            ),
            (
                "states",
                "--engine explicit --search err-dist",
                "`--search` has no effect: the explicit engine has no distances; `err-dist` is for `--engine cegar`",
            ),
            (
                "states",
                "--acceptance ba",
                "`--acceptance` has no effect: the property needs no automaton",
            ),
            (
                "temporal",
                "--engine cegar --search dfs",
                "`--search` has no effect: `dfs` does not look for a temporal property; scc, ndfs, gdfs, layers, full do",
            ),
            (
                "states",
                "--engine explicit --search layers",
                "`--search` has no effect: `layers` does not look for bad states; bfs, dfs, err-dist do",
            ),
            (
                "model",
                "--blocks small",
                "`--blocks` has no effect: only a program or an XSTS by itself has steps to merge",
            ),
            ("program", "--blocks small", ""),
            (
                "temporal",
                "--engine cegar --search full --max-counterexamples 3",
                "",
            ),
            (
                "states",
                "--engine cegar --domain expl-pred-cart --refinement unsat-core",
                "",
            ),
        ];
        for (known, line, expected) in cases {
            assert_eq!(check(known, line), expected, "{known}: {line}");
        }
    }

    #[test]
    fn all_that_is_useless_is_told() {
        assert_eq!(
            check(
                "states",
                "--engine explicit --prune full --search scc --acceptance tba"
            ),
            "`--search` has no effect: `scc` does not look for bad states; bfs, dfs, err-dist do\n\
             `--prune` has no effect: it is for `--engine cegar`\n\
             `--acceptance` has no effect: the property needs no automaton"
        );
    }
}
