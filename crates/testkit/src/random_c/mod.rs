//! Random C programs without undefined behaviour, and two ways to run them.
//!
//! A program is made so that every C compiler must give it one meaning, and so that mathematical
//! integers and those of the machine agree on it: the generator follows the range of each expression and
//! puts a remainder where a signed one would leave its type, and it follows which variables are read and
//! written between two sequence points (see [`effects`]). With [`CGen::bits`] programs also use shifts and
//! bit operators of any operands and conversions that change a value, which only the bit-precise reading knows.
//!
//! At marked points the program calls `trace()`. The system's C compiler makes it print all global
//! variables ([`run_compiled`]); our interpreter writes them down when it enters that function ([`run_read`]).
//! The two lists must be equal.

mod compiled;
mod declare;
mod effects;
mod expression;
mod function;
mod inputs;
mod place;
mod read;
mod statement;
mod types;

pub use compiled::{CompilerError, run_compiled};
pub use read::run_read;

use crate::Rng;
use declare::Maker;
use std::fmt::Write as _;
use types::Int;

/// How many calls of `trace()` are compared.
pub const MAX_TRACE: usize = 150;

/// What kind of programs to draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct CGen {
    /// Whether they use what has a meaning only for integers of a fixed width.
    pub bits: bool,
    /// Whether one of their functions may call itself.
    pub recursion: bool,
    /// Whether numbers come in from outside. Such a program has no one run that could be traced.
    pub inputs: bool,
}

/// How deep the recursion of programs is: the most that a function is entered again while it is active.
const RECURSION: u32 = 2;

/// A global variable, a member of one or an array, as traces show it.
#[derive(Clone, Debug)]
struct Observed {
    name: String,
    int: Int,
    /// How many elements it has, if it is an array.
    len: Option<usize>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct CProgram {
    /// The part of all its names that no other program has.
    prefix: String,
    observed: Vec<Observed>,
    /// Types and global variables.
    declarations: String,
    /// The functions, `main` under the name of [`CProgram::entry`].
    functions: String,
}

impl CGen {
    /// A random program; names start with `prefix`.
    pub fn program(&self, prefix: &str, rng: &mut Rng) -> CProgram {
        Maker::new(*self, prefix, rng).program()
    }
}

impl CProgram {
    /// The program as our reader gets it.
    pub fn text(&self) -> String {
        let (prefix, entry) = (&self.prefix, self.entry());
        let functions = self.functions.replace(&entry, "main");
        let Self { declarations, .. } = self;
        format!("{declarations}\nvoid {prefix}trace(void) {{}}\n\n{functions}")
    }

    fn entry(&self) -> String {
        format!("{}entry", self.prefix)
    }

    /// The program as a part of a larger C file, which defines the function `traced`.
    fn as_part(&self) -> String {
        let (prefix, declarations) = (&self.prefix, &self.declarations);
        let mut text = format!("{declarations}\nstatic void {prefix}trace(void) {{\n");
        for Observed { name, int, len } in &self.observed {
            let (format, cast) = if int.signed {
                ("%lld ", "long long")
            } else {
                ("%llu ", "unsigned long long")
            };
            for i in 0..len.unwrap_or(1) {
                let place = match (len, name.split_once('.')) {
                    (None, _) => name.clone(),
                    // The array is the variable; its elements are structs.
                    (Some(_), Some((of, member))) => format!("{of}[{i}].{member}"),
                    (Some(_), None) => format!("{name}[{i}]"),
                };
                let _ = writeln!(text, "    printf(\"{format}\", ({cast}){place});");
            }
        }
        text.push_str("    traced();\n}\n\n");
        text.push_str(&self.functions);
        text
    }
}
