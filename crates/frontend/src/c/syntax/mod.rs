//! From text to a syntax tree: tokens, directives, the tree, and the parser that resolves types on the way.

pub(super) mod ast;
pub(super) mod parse;
pub(super) mod parse_expr;
pub(super) mod parse_stmt;
pub(super) mod parse_type;
pub(super) mod preprocess;
pub(super) mod scan;
pub(super) mod token;
