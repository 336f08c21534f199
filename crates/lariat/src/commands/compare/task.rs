//! Tasks: a model (or several, composed) with a question, and how both are said to `lariat check`.

use super::args::CompareArgs;
use crate::cli::{Compose, LanguageArg, ModelArgs};
use crate::commands::check::{PropertyArgs, SyntaxArg};
use crate::options::ReadingOptions;
use crate::session::Failure;
use clap::ValueEnum as _;
use lariat_base::{Diagnostic, Span};
use std::path::PathBuf;

/// Something to decide.
#[derive(Clone)]
pub struct Task {
    /// Its name in the tables.
    pub id: String,
    /// The files.
    pub models: Vec<PathBuf>,
    /// The language of the files, if their names do not tell it.
    pub language: Option<LanguageArg>,
    /// How they are composed, if they are several.
    pub compose: Option<Compose>,
    /// How they are read.
    pub reading: ReadingOptions,
    /// What is asked.
    pub question: Question,
    /// Whose operator precedence a formula is written in.
    pub syntax: Option<SyntaxArg>,
    /// What the answer should be, if it is known.
    pub expected: Option<Expected>,
    /// Where it was written, if that was in a file.
    pub place: Option<Span>,
}

/// What is asked of a model.
#[derive(Clone)]
pub enum Question {
    /// Its own properties.
    Own,
    /// A temporal formula.
    Ltl(String),
    /// A requirement in words.
    Pattern(String),
    /// A file of temporal formulas.
    LtlFile(PathBuf),
    /// Whether all runs end.
    Termination,
    /// A property file.
    Prop(PathBuf),
    /// An expression that is always true.
    Invariant(String),
    /// One of its own properties, by name.
    Property(String),
    /// A Büchi automaton of the bad runs.
    Automaton(PathBuf),
}

/// A known answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
}

impl Expected {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
        }
    }
}

impl Question {
    /// The option of `lariat check`, without its dashes, and its value, which may be empty.
    pub fn option(&self) -> Option<(&'static str, String)> {
        match self {
            Self::Own => None,
            Self::Ltl(text) => Some(("ltl", text.clone())),
            Self::Pattern(text) => Some(("pattern", text.clone())),
            Self::LtlFile(path) => Some(("ltl-file", path.display().to_string())),
            Self::Termination => Some(("termination", String::new())),
            Self::Prop(path) => Some(("prop", path.display().to_string())),
            Self::Invariant(text) => Some(("invariant", text.clone())),
            Self::Property(name) => Some(("property", name.clone())),
            Self::Automaton(path) => Some(("automaton", path.display().to_string())),
        }
    }

    /// The questions that the command line asks.
    fn of(args: &PropertyArgs) -> Vec<Self> {
        let PropertyArgs {
            ltl,
            pattern,
            ltl_file,
            invariant,
            property,
            prop,
            automaton,
            termination,
            syntax: _,
        } = args;
        let mut all: Vec<Self> = ltl.iter().cloned().map(Self::Ltl).collect();
        all.extend(pattern.iter().cloned().map(Self::Pattern));
        all.extend(ltl_file.iter().cloned().map(Self::LtlFile));
        all.extend(invariant.iter().cloned().map(Self::Invariant));
        all.extend(property.iter().cloned().map(Self::Property));
        all.extend(prop.iter().cloned().map(Self::Prop));
        all.extend(automaton.iter().cloned().map(Self::Automaton));
        all.extend(termination.then_some(Self::Termination));
        if all.is_empty() {
            all.push(Self::Own);
        }
        all
    }
}

impl Task {
    /// The models as `lariat check` takes them.
    pub fn model_args(&self) -> ModelArgs {
        ModelArgs {
            models: self.models.clone(),
            language: self.language,
            compose: self.compose,
            include: Vec::new(),
            define: Vec::new(),
            reading: self.reading.clone(),
        }
    }

    /// The question as `lariat check` takes it.
    pub fn property_args(&self) -> PropertyArgs {
        let mut args = PropertyArgs {
            syntax: self.syntax,
            ..PropertyArgs::default()
        };
        match self.question.clone() {
            Question::Own => {}
            Question::Ltl(text) => args.ltl.push(text),
            Question::Pattern(text) => args.pattern.push(text),
            Question::LtlFile(path) => args.ltl_file.push(path),
            Question::Termination => args.termination = true,
            Question::Prop(path) => args.prop = Some(path),
            Question::Invariant(text) => args.invariant.push(text),
            Question::Property(name) => args.property.push(name),
            Question::Automaton(path) => args.automaton = Some(path),
        }
        args
    }

    /// The words of the command line after `lariat check`, without a configuration.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = self
            .models
            .iter()
            .map(|m| m.display().to_string())
            .collect();
        let option = |words: &mut Vec<String>, name: &str, value: String| {
            // A value that starts with a dash would be taken for an option.
            if value.starts_with('-') {
                words.push(format!("--{name}={value}"));
            } else {
                words.extend([format!("--{name}"), value]);
            }
        };
        let name = |value: Option<clap::builder::PossibleValue>| {
            value
                .map(|value| value.get_name().to_owned())
                .unwrap_or_default()
        };
        if let Some(language) = self.language {
            option(&mut words, "language", name(language.to_possible_value()));
        }
        if let Some(compose) = self.compose {
            option(&mut words, "compose", compose.name().to_owned());
        }
        for (opt, value, _) in self.reading.iter() {
            option(&mut words, opt.row().name, value.to_string());
        }
        if let Some((question, value)) = self.question.option() {
            match &*value {
                "" => words.push(format!("--{question}")),
                _ => option(&mut words, question, value),
            }
        }
        if let Some(syntax) = self.syntax {
            option(&mut words, "syntax", name(syntax.to_possible_value()));
        }
        words
    }

    /// A name from what is asked of what, for a task without one.
    pub fn describe(models: &[PathBuf], question: &Question) -> String {
        let models: Vec<String> = models.iter().map(|m| m.display().to_string()).collect();
        let models = models.join(" + ");
        match question.option() {
            None => models,
            Some((name, value)) if value.is_empty() => format!("{models}: {name}"),
            Some((_, value)) => format!("{models}: {value}"),
        }
    }
}

/// The tasks that the command line names itself.
pub fn of_args(args: &CompareArgs) -> Result<Vec<Task>, Failure> {
    if args.models.iter().any(|model| model.as_os_str() == "-") {
        let message = "a model for several runs cannot come from standard input";
        let finding = Diagnostic::error("no-file", message);
        return Err(finding.hint("save it to a file").into());
    }
    let filters = [("--kind", &args.kind), ("--match", &args.filter)];
    for (option, value) in filters {
        if value.is_some() {
            let message = format!("`{option}` has no effect without `--manifest`");
            return Err(Diagnostic::error("useless-option", message).into());
        }
    }
    if args.compose.is_some() && args.models.len() == 1 {
        let message = "`--compose` has no effect on a single model";
        let finding = Diagnostic::error("useless-option", message);
        let hint = "name several models, or leave the option out";
        return Err(finding.hint(hint).into());
    }
    let groups: Vec<Vec<PathBuf>> = match args.compose {
        Some(_) => vec![args.models.clone()],
        None => args
            .models
            .iter()
            .map(|model| vec![model.clone()])
            .collect(),
    };
    let questions = Question::of(&args.property);
    let task = |models: &[PathBuf], question: &Question| Task {
        id: Task::describe(models, question),
        models: models.to_vec(),
        language: args.language,
        compose: args.compose,
        reading: args.reading.clone(),
        question: question.clone(),
        syntax: args.property.syntax,
        expected: None,
        place: None,
    };
    let tasks = groups.iter().flat_map(|models| {
        let questions = questions.iter();
        questions.map(|question| task(models, question))
    });
    Ok(tasks.collect())
}

/// Makes every id the only one of its name.
pub fn make_ids_unique(tasks: &mut [Task]) {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for task in tasks {
        let n = seen.entry(task.id.clone()).or_insert(0);
        *n += 1;
        if *n > 1 {
            task.id = format!("{} #{n}", task.id);
        }
    }
}
