//! `lariat ltl`: what a formula is, what it is in other tools' syntax, and how two formulas relate.

use std::process::ExitCode;

use clap::Args;
use lariat_base::{Diagnostic, Span};
use lariat_ltl::{
    Acceptance, Brackets, Class, Effort, FormulaId, Formulas, LassoWord, Simplify, Syntax,
    TranslateConfig, TranslateError, negation_normal_form, print_formula, satisfies, simplify,
    translate, unreadable,
};

use super::formula::{FormulaOptions, NO, gave_up, on_command_line};
use crate::session::{Failure, Session};

/// Options of `lariat ltl`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER)]
pub struct LtlArgs {
    /// The formula
    formula: String,
    /// Print the formula for another tool: spot, spin, never (spin -f, LTL2BA), smv, cpachecker
    /// (or owl), ltsmin, ultimate
    #[arg(long, value_name = "TOOL", group = "question")]
    to: Option<Syntax>,
    /// Whether this formula means the same; if not, a word tells them apart
    #[arg(long, value_name = "FORMULA", group = "question")]
    equivalent: Option<String>,
    /// Whether the formula implies this one; if not, a word tells why
    #[arg(long, value_name = "FORMULA", group = "question")]
    implies: Option<String>,
    /// Whether this word satisfies the formula; an atom that a letter does not name is false
    #[arg(long, value_name = "WORD", group = "question")]
    word: Option<String>,
    #[command(flatten)]
    options: FormulaOptions,
}

const AFTER: &str = "\
Examples:
  lariat ltl 'G(p -> F q)'                             all there is to know
  lariat ltl '[](p -> <>q)' --syntax spin --to smv     for another tool
  lariat ltl 'GFa' --equivalent 'G(a | XFa)'           yes, or a word that tells them apart
  lariat ltl 'a U b' --implies 'F b'
  lariat ltl 'p U q' --word 'p; p; cycle{q}'           is the word in the language

Exit codes: 0 yes or no question, 1 no, 2 the input or the options were wrong, 3 a limit was reached.";

/// Runs the command.
pub fn run(args: &LtlArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let mut formulas = Formulas::new();
    let options = &args.options;
    let place = on_command_line(session, "<formula>", &args.formula);
    let formula = options.read(session, &mut formulas, place)?;
    let other = |session: &mut Session, formulas: &mut Formulas, text: &str| {
        let place = on_command_line(session, "<other>", text);
        options.read(session, formulas, place)
    };
    if let Some(text) = &args.equivalent {
        let other = other(session, &mut formulas, text)?;
        let ways = [
            (formula, other, "the first formula and not the second"),
            (other, formula, "the second formula and not the first"),
        ];
        return compare(session, &mut formulas, options, place, &ways);
    }
    if let Some(text) = &args.implies {
        let other = other(session, &mut formulas, text)?;
        let ways = [(formula, other, "the first formula and not the second")];
        return compare(session, &mut formulas, options, place, &ways);
    }
    if let Some(text) = &args.word {
        let word = LassoWord::parse(&mut formulas, text)
            .map_err(|error| Diagnostic::error("bad-word", error.to_string()))?;
        let yes = satisfies(&formulas, &word, formula);
        session.out.line(if yes { "yes" } else { "no" })?;
        return Ok(answer(yes));
    }
    if let Some(syntax) = args.to {
        if let Some(reason) = unreadable(&formulas, formula, syntax) {
            return Err(Diagnostic::error("cannot-express", reason).into());
        }
        let text = print(&formulas, formula, syntax, Brackets::Minimal)?;
        session.out.line(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    describe(session, &mut formulas, formula)?;
    Ok(ExitCode::SUCCESS)
}

fn answer(yes: bool) -> ExitCode {
    if yes {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(NO)
    }
}

fn print(
    formulas: &Formulas,
    f: FormulaId,
    syntax: Syntax,
    brackets: Brackets,
) -> Result<String, Failure> {
    print_formula(formulas, f, syntax, brackets)
        .map_err(|error| Diagnostic::error("too-large", error.to_string()).into())
}

fn describe(
    session: &mut Session,
    formulas: &mut Formulas,
    formula: FormulaId,
) -> Result<(), Failure> {
    let simplified = simplify(formulas, formula, Simplify::Full);
    let nnf = negation_normal_form(formulas, formula);
    let negated = formulas.not(formula);
    let negation = negation_normal_form(formulas, negated);
    let own = |f| print(formulas, f, Syntax::Spot, Brackets::All);
    let aps = formulas.aps_of(formula);
    let names: Vec<&str> = aps.iter().map(|&ap| formulas.ap_name(ap)).collect();
    let mut rows = vec![
        ("formula", own(formula)?),
        ("simplified", own(simplified)?),
        ("nnf", own(nnf)?),
        ("negation", own(negation)?),
        ("class", describe_class(formulas.class(formula))),
        ("atoms", names.join(", ")),
        ("size", formulas.tree_size(formula).to_string()),
    ];
    for (syntax, name) in Syntax::ALL {
        let text = match unreadable(formulas, formula, syntax) {
            None => print(formulas, formula, syntax, Brackets::Minimal)?,
            Some(reason) => format!("- ({reason})"),
        };
        rows.push((name, text));
    }
    for (name, text) in rows {
        session.out.line(format!("{name:<11} {text}").trim_end())?;
    }
    Ok(())
}

/// Looks for a word that satisfies the first and not the second formula, for each pair.
fn compare(
    session: &mut Session,
    formulas: &mut Formulas,
    options: &FormulaOptions,
    place: Span,
    ways: &[(FormulaId, FormulaId, &str)],
) -> Result<ExitCode, Failure> {
    for &(yes, no, which) in ways {
        match word_between(formulas, options, yes, no) {
            Ok(None) => {}
            Ok(Some(word)) => {
                let word = word.display(formulas).to_string();
                session
                    .out
                    .line(&format!("no\n{word}\nsatisfies {which}"))?;
                return Ok(answer(false));
            }
            Err(error) => return Ok(gave_up(session, place, error)),
        }
    }
    session.out.line("yes")?;
    Ok(answer(true))
}

/// A word that satisfies `yes` and not `no`, checked by the evaluator.
fn word_between(
    formulas: &mut Formulas,
    options: &FormulaOptions,
    yes: FormulaId,
    no: FormulaId,
) -> Result<Option<LassoWord>, TranslateError> {
    let not = formulas.not(no);
    let both = formulas.and(yes, not);
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let budget = options.budget();
    let automaton = translate(formulas, both, &config, &budget)?;
    let word = automaton.some_word(&budget)?.map(LassoWord::shortest);
    if let Some(word) = &word {
        assert!(
            satisfies(formulas, word, yes) && !satisfies(formulas, word, no),
            "the evaluator confirms the automaton's word"
        );
    }
    Ok(word)
}

fn describe_class(class: Class) -> String {
    let mut words = vec![class.hierarchy_name()];
    let facts = [
        (Class::BOOLEAN, "Boolean"),
        (Class::EVENTUAL, "pure eventuality"),
        (Class::UNIVERSAL, "purely universal"),
        (Class::STUTTER_FREE, "stutter-invariant"),
    ];
    words.extend(
        facts
            .iter()
            .filter(|(c, _)| class.has(*c))
            .map(|(_, name)| *name),
    );
    if !class.has(Class::FUTURE) {
        words.push("with past");
    }
    words.join(", ")
}
