//! The options of a check, from one table.
//!
//! [`table::TABLE`] says of each option what it is called, which values it has, what is in force without it, what it
//! does, and when it has an effect. Everything else is made from the table: the command line ([`command_line`]), the
//! lines of `compare`'s configurations ([`words`]), the configuration file (`file`) and what `--print-config` writes
//! (`print`), the errors for options without an effect (`useless`), the settings of the engines ([`settings`]), and
//! the page `docs/options.md` (`page`). An option in the table is in all of them.
//!
//! Derived structs with a field per option were the alternative: then each of the above is written by hand once more,
//! and what one of them forgets nobody notices.

mod choices;
mod command_line;
mod file;
mod json;
#[cfg(test)]
mod page;
mod print;
mod row;
mod settings;
mod table;
mod useless;
mod values;
mod words;

pub use command_line::{EngineOptions, LimitOptions, Options, ReadingOptions};
pub use file::read_config;
pub use json::in_force;
pub use print::print_config;
pub use row::Row;
pub use table::{Opt, TABLE};
pub use useless::{Facts, refuse, useless};
pub use values::Values;
pub use words::{BadWord, read_words};
