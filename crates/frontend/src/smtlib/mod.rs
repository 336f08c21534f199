//! SMT-LIB 2.6, as far as the languages need it whose terms it gives: VMT-LIB and `MoXI`.
//!
//! Text becomes a tree of lists (`sexpr`), and lists become sorts (`sorts`) and terms (`read`, with `operator`); temporal
//! operators make formulas over terms (`formula`). `print` writes terms back. Nothing recurses: chains of definitions and nested
//! `let`s are as deep as their programs made them.

mod command;
mod formula;
mod operator;
mod print;
mod read;
mod script;
mod sexpr;
mod sorts;

pub(crate) use operator::joined;
pub(crate) use print::{Definition, Printer, print_formula, sort, symbol};
pub(crate) use read::{Annotation, Read, Reader, Symbol, Val};
pub(crate) use script::{Script, parsed};
pub(crate) use sexpr::{Kind, NodeId, Tree};
pub(crate) use sorts::Logic;
