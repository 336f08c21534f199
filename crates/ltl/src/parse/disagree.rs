//! The warning that other tools would group the same text differently.
//!
//! Every table groups the same tokens; two groupings are compared as prefix sequences in which a
//! chain of one associative operator is flat, so `a & b & c` never differs.

use lariat_base::{Diagnostic, Span};

use super::lex::Lexed;
use super::table::Syntax;
use super::token::Tok;
use super::tree::{NodeIx, NodeKind, Tree, group};

/// Readings longer than this are not shown.
const MAX_SHOWN: usize = 200;

/// A warning if some tool's table groups the text differently than `tree`.
pub(crate) fn warning(
    text: &str,
    origin: Span,
    lexed: &Lexed,
    tree: &Tree,
    syntax: Syntax,
) -> Option<Diagnostic> {
    let count = |test: fn(Tok) -> bool| lexed.tokens.iter().filter(|t| test(t.tok)).count();
    let n_binary = count(|tok| matches!(tok, Tok::Binary(_)));
    if n_binary < 2 && count(|tok| matches!(tok, Tok::Term(_) | Tok::Minus)) == 0 {
        return None;
    }
    let own = shape(tree);
    let mut readings: Vec<(Shape, Tree, Vec<&str>)> = Vec::new();
    for (other, name) in Syntax::ALL {
        if other == syntax || other == Syntax::Ultimate {
            continue;
        }
        let Ok(reading) = group(text, origin, lexed, other) else {
            continue;
        };
        let shape = shape(&reading);
        if shape == own {
            continue;
        }
        match readings.iter_mut().find(|(known, ..)| *known == shape) {
            Some((_, _, names)) => names.push(name),
            None => readings.push((shape, reading, vec![name])),
        }
    }
    if readings.is_empty() {
        return None;
    }
    let mut diagnostic = Diagnostic::warning(
        "grouping-differs",
        "other tools group the operators of this formula differently",
    )
    .at(origin)
    .hint("brackets make it clear");
    if text.len() <= MAX_SHOWN {
        let here = bracketed(text, lexed, tree);
        diagnostic = diagnostic.hint(format!("read here, with {syntax}'s table: `{here}`"));
        for (_, reading, names) in &readings {
            let there = bracketed(text, lexed, reading);
            let names = names.join(", ");
            diagnostic = diagnostic.hint(format!("with --syntax {names}: `{there}`"));
        }
    }
    Some(diagnostic)
}

/// What a grouping is, apart from brackets: nodes in prefix order with their number of operands.
type Shape = Vec<(NodeKind, u32, u32)>;

fn shape(tree: &Tree) -> Shape {
    let mut out = Vec::with_capacity(tree.len());
    let mut stack = vec![tree.root];
    while let Some(ix) = stack.pop() {
        let node = tree.node(ix);
        let kids = operands(tree, ix);
        let chain = matches!(node.kind, NodeKind::Binary(op) if op.is_associative());
        let token = if chain { u32::MAX } else { node.token };
        out.push((node.kind, token, kids.len() as u32));
        stack.extend(kids.iter().rev());
    }
    out
}

fn operands(tree: &Tree, ix: NodeIx) -> Vec<NodeIx> {
    match tree.node(ix).kind {
        NodeKind::Binary(op) if op.is_associative() => tree.chain(ix, op, |_| false),
        _ => tree.kids(ix).to_vec(),
    }
}

/// The grouping with every bracket written.
fn bracketed(text: &str, lexed: &Lexed, tree: &Tree) -> String {
    enum Piece<'a> {
        Node(NodeIx),
        Text(&'a str),
    }
    let mut out = String::new();
    let mut stack = vec![Piece::Node(tree.root)];
    while let Some(piece) = stack.pop() {
        let ix = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Node(ix) => ix,
        };
        let node = tree.node(ix);
        let slice = |bytes: (u32, u32)| &text[bytes.0 as usize..bytes.1 as usize];
        let token = lexed.tokens[node.token as usize];
        let word = slice((token.start, token.end));
        match node.kind {
            NodeKind::Unary(..) => {
                out.push_str(word);
                let kid = tree.kids(ix)[0];
                let tight = matches!(tree.node(kid).kind, NodeKind::Binary(_));
                if word.ends_with(char::is_alphanumeric) && !tight {
                    out.push(' ');
                }
                stack.push(Piece::Node(kid));
            }
            NodeKind::Binary(_) | NodeKind::Term if tree.kids(ix).len() > 1 => {
                let whole = ix == tree.root;
                let kids = operands(tree, ix);
                let mut pieces = Vec::new();
                for (i, &kid) in kids.iter().enumerate() {
                    if i > 0 {
                        pieces.extend([" ", word, " "].map(Piece::Text));
                    }
                    pieces.push(Piece::Node(kid));
                }
                if !whole {
                    out.push('(');
                    stack.push(Piece::Text(")"));
                }
                stack.extend(pieces.into_iter().rev());
            }
            _ => out.push_str(slice(node.inner)),
        }
    }
    out
}
