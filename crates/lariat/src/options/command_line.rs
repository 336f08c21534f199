//! The command line from the table: the options of a section as one argument struct that clap can flatten.

use super::row::{Default, Kind, Row, Section};
use super::table::TABLE;
use super::values::{Origin, Value, Values};
use crate::quantity::{parse_size, parse_time};
use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::time::Duration;

/// How models are read.
pub type ReadingOptions = Options<Reading>;
/// How a property is decided.
pub type EngineOptions = Options<Engine>;
/// What a check may use.
pub type LimitOptions = Options<Limits>;

/// The options of a section, as they were given.
#[derive(Clone, Debug)]
pub struct Options<S> {
    values: Values,
    section: PhantomData<S>,
}

/// The type of a section.
pub trait InSection {
    /// The section.
    const SECTION: Section;
}

/// [`Section::Reading`].
#[derive(Clone, Debug)]
pub struct Reading;
/// [`Section::Engine`].
#[derive(Clone, Debug)]
pub struct Engine;
/// [`Section::Limits`].
#[derive(Clone, Debug)]
pub struct Limits;

impl InSection for Reading {
    const SECTION: Section = Section::Reading;
}

impl InSection for Engine {
    const SECTION: Section = Section::Engine;
}

impl InSection for Limits {
    const SECTION: Section = Section::Limits;
}

impl<S: InSection> Options<S> {
    /// Those of the section.
    pub fn new(values: &Values) -> Self {
        let mut own = Values::default();
        own.fill(values, S::SECTION);
        Self {
            values: own,
            section: PhantomData,
        }
    }

    /// Takes over from a configuration file what is not given here.
    pub fn fill_from(&mut self, file: &Values) {
        self.values.fill(file, S::SECTION);
    }
}

impl<S> Deref for Options<S> {
    type Target = Values;

    fn deref(&self) -> &Values {
        &self.values
    }
}

impl<S> DerefMut for Options<S> {
    fn deref_mut(&mut self) -> &mut Values {
        &mut self.values
    }
}

impl<S: InSection> Args for Options<S> {
    fn augment_args(command: Command) -> Command {
        command.args(rows::<S>().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: InSection> FromArgMatches for Options<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Self::new(&Values::default());
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for row in rows::<S>() {
            // What clap fills in is for its help: a default is not given.
            if matches.value_source(row.name) == Some(ValueSource::CommandLine)
                && let Some(value) = value(row, matches)
            {
                self.values.set(row.opt, value, Origin::CommandLine);
            }
        }
        Ok(())
    }
}

fn rows<S: InSection>() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(|row| row.section == S::SECTION)
}

/// Where the help lists an option.
fn heading(row: &Row) -> &'static str {
    match row.section {
        Section::Reading => "Model",
        Section::Engine if row.engine() == Some("cegar") => {
            "Abstraction refinement (each of these implies `--engine cegar`)"
        }
        Section::Engine => "Engine",
        Section::Limits => "Limits, and runs that get stuck",
    }
}

fn argument(row: &'static Row) -> Arg {
    let mut argument = Arg::new(row.name)
        .long(row.name)
        .help(row.help)
        .help_heading(heading(row));
    if !row.more.is_empty() {
        argument = argument.long_help(format!("{}\n\n{}", row.help, row.more));
    }
    if let Kind::Switch = row.kind {
        return argument.action(ArgAction::SetTrue);
    }
    if let Default::Value(text) = row.default {
        argument = argument.default_value(text);
    }
    if let Kind::Names = row.kind {
        argument = argument.action(ArgAction::Append).value_delimiter(',');
    }
    argument
        .value_name(row.value_name)
        .value_parser(parser(&row.kind))
}

fn parser(kind: &Kind) -> ValueParser {
    match *kind {
        Kind::Switch => ValueParser::bool(),
        Kind::Number(most) => value_parser!(u64).range(..=most).into(),
        Kind::Time => parse_time.into(),
        Kind::Size => parse_size.into(),
        Kind::Names => ValueParser::string(),
        Kind::File => ValueParser::path_buf(),
        Kind::Choice(choices) => {
            let values = choices.iter().map(|choice| {
                let value = PossibleValue::new(choice.name).help(choice.help);
                match choice.alias {
                    "" => value,
                    alias => value.alias(alias),
                }
            });
            PossibleValuesParser::new(values).into()
        }
    }
}

/// What clap read.
fn value(row: &Row, matches: &ArgMatches) -> Option<Value> {
    Some(match row.kind {
        Kind::Switch => Value::On,
        Kind::Number(_) => Value::Number(*matches.get_one(row.name)?),
        Kind::Time => Value::Time(*matches.get_one::<Duration>(row.name)?),
        Kind::Size => Value::Size(*matches.get_one(row.name)?),
        Kind::Names => Value::Names(matches.get_many(row.name)?.cloned().collect()),
        Kind::File => Value::File(matches.get_one::<PathBuf>(row.name)?.clone()),
        Kind::Choice(_) => row.kind.read(matches.get_one::<String>(row.name)?).ok()?,
    })
}
