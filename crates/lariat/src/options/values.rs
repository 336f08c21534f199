//! The values that options were given, each with where it came from, and what is in force.

use super::row::{Choice, Default, Kind, Section};
use super::table::Opt;
use crate::quantity::{parse_size, parse_time};
use lariat_base::Span;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A switch is on.
    On,
    /// One of several.
    Word(&'static str),
    /// A number.
    Number(u64),
    /// A time.
    Time(Duration),
    /// A size in bytes.
    Size(u64),
    /// Names.
    Names(Vec<String>),
    /// A file.
    File(PathBuf),
}

/// Where a value came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The command line, or a line that stands for one.
    CommandLine,
    /// A configuration file.
    File(Span),
}

/// What was given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    given: BTreeMap<Opt, (Value, Origin)>,
}

impl Values {
    /// Gives an option a value; the last one counts, but names are added to those before.
    pub fn set(&mut self, opt: Opt, value: Value, origin: Origin) {
        if let (Some((Value::Names(old), _)), Value::Names(new)) =
            (self.given.get_mut(&opt), &value)
        {
            old.extend(new.iter().cloned());
            return;
        }
        self.given.insert(opt, (value, origin));
    }

    /// Takes over those of a section that are not given here.
    pub fn fill(&mut self, from: &Self, section: Section) {
        for (&opt, given) in &from.given {
            if opt.row().section == section {
                self.given.entry(opt).or_insert_with(|| given.clone());
            }
        }
    }

    /// Those of both; what is given here counts.
    pub fn and(&self, other: &Self) -> Self {
        let mut given = other.given.clone();
        given.extend(self.given.clone());
        Self { given }
    }

    /// Chooses the engine that options on the command line are for, unless it is chosen there; functions imply their domain.
    pub fn imply_engine(&mut self) {
        if self.is_given(Opt::Abstract) && !self.is_given(Opt::Domain) {
            self.set(Opt::Domain, Value::Word("value"), Origin::CommandLine);
        }
        let mut implied: Option<&'static str> = None;
        for (opt, _, origin) in self.iter() {
            match (opt, origin, opt.row().engine()) {
                (Opt::Engine, Origin::CommandLine, _) => return,
                // Contradictions are found later, as options without an effect.
                (_, Origin::CommandLine, Some(engine)) => match implied {
                    Some(other) if other != engine => return,
                    _ => implied = Some(engine),
                },
                _ => {}
            }
        }
        if let Some(engine) = implied {
            self.set(Opt::Engine, Value::Word(engine), Origin::CommandLine);
        }
    }

    /// Takes an option back.
    pub fn remove(&mut self, opt: Opt) {
        self.given.remove(&opt);
    }

    /// What was given, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (Opt, &Value, Origin)> {
        let given = self.given.iter();
        given.map(|(&opt, (value, origin))| (opt, value, *origin))
    }

    /// Whether an option was given.
    pub fn is_given(&self, opt: Opt) -> bool {
        self.given.contains_key(&opt)
    }

    /// Where an option was given a value, if that is in a file.
    pub fn place(&self, opt: Opt) -> Option<Span> {
        match self.given.get(&opt)? {
            (_, Origin::File(span)) => Some(*span),
            (_, Origin::CommandLine) => None,
        }
    }

    /// What is in force: the value that was given, or the default.
    pub fn in_force(&self, opt: Opt) -> Option<Value> {
        let given = self.given.get(&opt).map(|(value, _)| value.clone());
        given.or_else(|| default(opt))
    }

    /// Whether this value is in force.
    pub fn is(&self, opt: Opt, word: &str) -> bool {
        self.word(opt) == Some(word)
    }

    /// The one of several that is in force.
    pub fn word(&self, opt: Opt) -> Option<&'static str> {
        match self.in_force(opt)? {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The number that is in force.
    pub fn number(&self, opt: Opt) -> Option<usize> {
        match self.in_force(opt)? {
            Value::Number(number) => Some(usize::try_from(number).unwrap_or(usize::MAX)),
            _ => None,
        }
    }

    /// The names that are in force.
    pub fn names(&self, opt: Opt) -> &[String] {
        match self.given.get(&opt) {
            Some((Value::Names(names), _)) => names,
            _ => &[],
        }
    }
}

/// The default of an option.
pub fn default(opt: Opt) -> Option<Value> {
    let row = opt.row();
    match row.default {
        Default::Value(text) => row.kind.read(text).ok(),
        Default::Words(_) => None,
    }
}

impl Kind {
    /// The value that a text stands for, or how it should be written if there is a better answer than "otherwise".
    pub fn read(&self, text: &str) -> Result<Value, Option<String>> {
        match *self {
            Self::Switch => Err(Some("it takes no value".into())),
            Self::Number(most) => match text.parse() {
                Ok(number) if number <= most => Ok(Value::Number(number)),
                _ => Err(None),
            },
            Self::Time => parse_time(text).map(Value::Time).map_err(Some),
            Self::Size => parse_size(text).map(Value::Size).map_err(Some),
            Self::Names => {
                let names = text.split(',').map(|name| name.trim().to_owned());
                Ok(Value::Names(names.collect()))
            }
            Self::File => Ok(Value::File(text.into())),
            Self::Choice(choices) => {
                let is_meant = |choice: &&Choice| {
                    choice.name == text || !choice.alias.is_empty() && choice.alias == text
                };
                let chosen = choices.iter().find(is_meant);
                chosen.map(|choice| Value::Word(choice.name)).ok_or(None)
            }
        }
    }
}

impl std::fmt::Display for Value {
    /// As it is written on the command line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::On => f.write_str("true"),
            Self::Word(word) => f.write_str(word),
            Self::Number(number) => write!(f, "{number}"),
            Self::Time(time) => write!(f, "{}s", time.as_secs_f64()),
            #[expect(clippy::cast_precision_loss, reason = "no machine has 2^53 bytes")]
            Self::Size(bytes) => write!(f, "{}MiB", *bytes as f64 / f64::from(1 << 20)),
            Self::Names(names) => f.write_str(&names.join(",")),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}
