//! What the table says of an option.

use super::table::Opt;
use lariat_system::Language;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Which option it is.
    pub opt: Opt,
    /// Its name, without dashes.
    pub name: &'static str,
    /// Where it belongs.
    pub section: Section,
    /// What its values are.
    pub kind: Kind,
    /// What a value is called in the help.
    pub value_name: &'static str,
    /// What is in force if it is not given.
    pub default: Default,
    /// What it is, in one line.
    pub help: &'static str,
    /// What else there is to know; may be empty.
    pub more: &'static str,
    /// When it has an effect: if all of these are met.
    pub effect: &'static [Rule],
    /// Whether its values are parts of the names of configurations, such as `pred-cart/scc/direct`.
    pub names_configurations: bool,
}

/// Where an option belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// How models are read.
    Reading,
    /// How a property is decided.
    Engine,
    /// What a check may use, and what becomes of stuck runs.
    Limits,
}

/// What the values of an option are.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// None: it is given or not.
    Switch,
    /// A whole number up to this one.
    Number(u64),
    /// A time with its unit.
    Time,
    /// A size with its unit.
    Size,
    /// Names, separated by commas.
    Names,
    /// A file.
    File,
    /// One of these.
    Choice(&'static [Choice]),
}

/// One value of several.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
    /// Another name that is understood; may be empty.
    pub alias: &'static str,
}

/// What is in force if an option is not given.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// This value, as it would be written.
    Value(&'static str),
    /// No value: what happens then, in words.
    Words(&'static str),
}

/// Something that must be so for an option to have an effect.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The values of the option that it is about; all if there are none.
    pub of: &'static [&'static str],
    /// What must be so.
    pub need: Need,
    /// What the error says if it is not; `{value}` stands for the value of the option.
    pub why: &'static str,
}

/// A condition on the other options, the property or the model.
#[derive(Clone, Copy, Debug)]
pub enum Need {
    /// One of these values of another option is in force.
    Is(Opt, &'static [&'static str]),
    /// None of these is.
    Not(Opt, &'static [&'static str]),
    /// The property is about infinite runs.
    Temporal,
    /// The property is about bad states.
    BadStates,
    /// The model is a program or an XSTS by itself.
    Program,
    /// A model is written in one of these languages.
    Language(&'static [Language]),
}

impl Rule {
    /// A rule for all values.
    pub const fn needs(need: Need, why: &'static str) -> Self {
        Self { of: &[], need, why }
    }

    /// A rule for some values.
    pub const fn of(of: &'static [&'static str], need: Need, why: &'static str) -> Self {
        Self { of, need, why }
    }
}

impl Choice {
    /// A value.
    pub const fn new(name: &'static str, help: &'static str) -> Self {
        let alias = "";
        Self { name, help, alias }
    }
}

impl Row {
    /// The only engine that it is for, if there is just one.
    pub fn engine(&self) -> Option<&'static str> {
        let mut rules = self.effect.iter();
        rules.find_map(|rule| match rule.need {
            Need::Is(Opt::Engine, &[engine]) if rule.of.is_empty() => Some(engine),
            _ => None,
        })
    }

    /// An option without a default.
    pub const fn new(opt: Opt, section: Section, name: &'static str, kind: Kind) -> Self {
        Self {
            opt,
            name,
            section,
            kind,
            value_name: match kind {
                Kind::Number(_) => "N",
                Kind::Time => "TIME",
                Kind::Size => "SIZE",
                Kind::Names => "VAR,…",
                Kind::File => "FILE",
                Kind::Switch | Kind::Choice(_) => "",
            },
            default: Default::Words(""),
            help: "",
            more: "",
            effect: &[],
            names_configurations: false,
        }
    }

    /// Says what it is.
    pub const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    /// Says more about it.
    pub const fn more(self, more: &'static str) -> Self {
        Self { more, ..self }
    }

    /// Names its values.
    pub const fn value_name(self, value_name: &'static str) -> Self {
        Self { value_name, ..self }
    }

    /// Gives it a value to start with.
    pub const fn default(self, text: &'static str) -> Self {
        let default = Default::Value(text);
        Self { default, ..self }
    }

    /// Says what happens without it.
    pub const fn otherwise(self, words: &'static str) -> Self {
        let default = Default::Words(words);
        Self { default, ..self }
    }

    /// Says when it has an effect.
    pub const fn effect(self, effect: &'static [Rule]) -> Self {
        Self { effect, ..self }
    }

    /// Makes its values parts of the names of configurations.
    pub const fn names_configurations(self) -> Self {
        Self {
            names_configurations: true,
            ..self
        }
    }

    /// The values, if it is one of several.
    pub fn choices(&self) -> &'static [Choice] {
        match self.kind {
            Kind::Choice(choices) => choices,
            _ => &[],
        }
    }
}
