//! The LTL parser: one grammar for every usual spelling, one precedence table per tool.
//!
//! Text becomes tokens (`lex`), tokens become a generic tree (`tree`, by the tables of `table`), the
//! tree becomes a formula (`lower`). The tree holds the model's expressions as well as the logic, so
//! atoms need no quotes; what an atom means is the [`AtomSource`]'s affair. The other tools' tables
//! are tried on the same tokens and a warning tells when they would group them differently
//! (`disagree`); another tells when all agree on what the writer may not have meant (`narrow`). The path
//! quantifiers of CTL are read where they mean nothing else (`quantify`).
//!
//! Invariant: a text with a syntax error gives diagnostics and no formula, never a shorter formula.

mod disagree;
mod lex;
mod lower;
mod narrow;
mod quantify;
mod table;
mod token;
mod tree;

use lariat_base::{Diagnostic, Diagnostics, SourceId, Span};

use crate::formula::{ApId, FormulaId, Formulas};
pub(crate) use lex::is_plain_name;
pub use table::Syntax;
pub(crate) use table::{Assoc, UNARY_LEVEL};
pub(crate) use token::BinaryOp;

/// The deepest formula that is read; a bound counts by its steps.
pub const MAX_DEPTH: u32 = 10_000;

/// What an unquoted atom may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomStyle {
    /// A name; Boolean operators belong to the formula.
    Names,
    /// Any Boolean expression of a model's language; each largest part without temporal operators
    /// is one atom (a negation on top of it stays in the formula).
    Expressions,
}

/// Gives atoms their identity and, for a model's expressions, their meaning.
pub trait AtomSource {
    /// The atom written `text` at `span`; equal meanings should get equal ids. The text of a quoted
    /// atom comes without its quotes.
    fn atom(
        &mut self,
        formulas: &mut Formulas,
        text: &str,
        span: Span,
    ) -> Result<ApId, Box<Diagnostic>>;

    /// What unquoted atoms look like.
    fn style(&self) -> AtomStyle {
        AtomStyle::Expressions
    }

    /// Whether the model's language knows a Boolean operator or constant in this spelling, such as
    /// `and` or `->`. A part with a spelling it does not know is split at it, so that the operator
    /// belongs to the formula. By default only spellings that every language of ours has.
    fn speaks(&self, word: &str) -> bool {
        ["and", "&&", "or", "||", "not", "!", "true", "false"].contains(&word)
    }

    /// Whether the model's language knows this spelling inside of a larger expression, where it cannot
    /// belong to the formula: `if c then a else (b imply a)`.
    fn understands(&self, word: &str) -> bool {
        self.speaks(word)
    }

    /// Whether a call of this name, such as `loc(NAME)`, is an atom by itself and never a part of a
    /// larger one.
    fn stands_alone(&self, name: &str) -> bool {
        ["loc", "at", "call"].contains(&name)
    }

    /// Whether this name by itself is such an atom.
    fn names_place(&self, _name: &str) -> bool {
        false
    }

    /// Whether the model's language reads this sign between numbers as an operator on their bits.
    fn works_on_bits(&self, _sign: &str) -> bool {
        false
    }
}

/// Atoms that are just names.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainNames;

impl AtomSource for PlainNames {
    fn atom(
        &mut self,
        formulas: &mut Formulas,
        text: &str,
        _span: Span,
    ) -> Result<ApId, Box<Diagnostic>> {
        Ok(formulas.ap_id(text))
    }

    fn style(&self) -> AtomStyle {
        AtomStyle::Names
    }
}

/// A formula that was read, and what the user should know about it.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The formula.
    pub formula: FormulaId,
    /// What is legal but probably not meant.
    pub warnings: Vec<Diagnostic>,
}

/// Reads the whole text of `source` as one formula.
pub fn parse_formula(
    formulas: &mut Formulas,
    source: SourceId,
    text: &str,
    syntax: Syntax,
    atoms: &mut dyn AtomSource,
) -> Result<Parsed, Vec<Diagnostic>> {
    let origin = Span::new(source, 0, text.len());
    parse_formula_at(formulas, origin, text, syntax, atoms)
}

/// Reads `text`, which is the part `origin` of a larger source, as one formula.
pub fn parse_formula_at(
    formulas: &mut Formulas,
    origin: Span,
    text: &str,
    syntax: Syntax,
    atoms: &mut dyn AtomSource,
) -> Result<Parsed, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::new();
    let lexed = lex::lex(text, origin, syntax, atoms.style(), &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics.into_vec());
    }
    let tree = tree::group(text, origin, &lexed, syntax).map_err(|error| vec![*error])?;
    if tree.node(tree.root).height > MAX_DEPTH {
        let message = format!("the formula is nested more than {MAX_DEPTH} deep");
        return Err(vec![Diagnostic::error("too-deep", message).at(origin)]);
    }
    if let Some(finding) = quantify::check(text, origin, &lexed, &tree) {
        return Err(vec![finding]);
    }
    let formula = lower::lower(formulas, text, origin, &lexed, &tree, atoms)?;
    let differs = disagree::warning(text, origin, &lexed, &tree, syntax);
    let narrow = narrow::warning(text, origin, &tree);
    Ok(Parsed {
        formula,
        warnings: differs.into_iter().chain(narrow).collect(),
    })
}
