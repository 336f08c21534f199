//! The warning that a prefix operator ends sooner than its writer may think.
//!
//! In every tool `G a -> b` is `(G a) -> b`: prefix operators bind tightest. All tables agree, so `disagree` is silent, and
//! it is the first mistake that everyone makes. What follows the operator's operand on the top level, outside of all
//! brackets, was probably meant to stand below it; unless it starts with a temporal operator itself, as in `G F a -> G F b`.

use lariat_base::{Diagnostic, Span};

use super::tree::{NodeIx, NodeKind, Tree};

/// Texts longer than this are not shown again.
const MAX_SHOWN: usize = 200;

/// A warning if an unbracketed prefix operator ends before a Boolean operator of the top level.
pub(crate) fn warning(text: &str, origin: Span, tree: &Tree) -> Option<Diagnostic> {
    let operands = top_level(tree);
    let (narrow, next) = operands.iter().zip(operands.iter().skip(1)).find(|pair| {
        let (&narrow, &next) = *pair;
        let node = tree.node(narrow);
        matches!(node.kind, NodeKind::Unary(op, _) if op.is_temporal())
            && !node.is_bracketed()
            && !starts_temporally(tree, next)
    })?;
    let node = tree.node(*narrow);
    let (start, end) = (node.outer.0 as usize, node.outer.1 as usize);
    let operand = tree.node(tree.kids(*narrow)[0]).outer.0 as usize;
    let operator = text[start..operand].trim_end();
    let infix = text[end..tree.node(*next).outer.0 as usize].trim();
    let span = |start: usize, end: usize| {
        let base = origin.start as usize;
        Span::new(origin.source, base + start, base + end)
    };
    let message = format!("`{operator}` ends before `{infix}`");
    let diagnostic = Diagnostic::warning("narrow-operator", message).at(span(start, end));
    if text.len() > MAX_SHOWN {
        return Some(diagnostic.hint("brackets make it clear"));
    }
    let (before, own, after) = (&text[..start], &text[start..end], &text[end..]);
    let below = text[operand..].trim_end();
    Some(
        diagnostic
            .hint(format!("it is read as `{before}({own}){after}`"))
            .hint(format!(
                "if all of it is meant, write `{before}{operator} ({below})`"
            )),
    )
}

/// The operands of the Boolean operators outside of all brackets, in the order of the text.
fn top_level(tree: &Tree) -> Vec<NodeIx> {
    let mut operands = Vec::new();
    let mut stack = vec![tree.root];
    while let Some(ix) = stack.pop() {
        let node = tree.node(ix);
        let opens = ix == tree.root || !node.is_bracketed();
        match node.kind {
            NodeKind::Binary(op) if opens && !op.is_temporal() => {
                stack.extend(tree.kids(ix).iter().rev());
            }
            _ => operands.push(ix),
        }
    }
    operands
}

/// Whether a part speaks of other moments from its first operator on.
fn starts_temporally(tree: &Tree, mut ix: NodeIx) -> bool {
    loop {
        match tree.node(ix).kind {
            NodeKind::Unary(op, _) if op.is_temporal() => return true,
            NodeKind::Binary(op) if op.is_temporal() => return true,
            NodeKind::Unary(..) | NodeKind::Binary(_) => ix = tree.kids(ix)[0],
            _ => return false,
        }
    }
}
