//! Path quantifiers of CTL, as in `AG(p -> AF q)`: read where they change nothing, else answered by what to write.
//!
//! LTL speaks of all runs. `E` asks for some run and has no place in it. `A` may be left out where it stands at the top, under `G`
//! and `X`, and in conjunctions, implications and disjunctions with parts that speak of the present only:
//! `A G A f` is `A G f`. Elsewhere it may not: `AF AG p` is stronger than `F G p`.

use lariat_base::{Diagnostic, Span};

use super::lex::{Lexed, starts_name};
use super::token::{BinaryOp, Tok, UnaryOp, reserved};
use super::tree::{NodeIx, NodeKind, Tree};

/// A quantified operator in a text.
pub(crate) struct Quantified {
    /// How long it is.
    pub(crate) len: usize,
    /// Whether it speaks of all runs.
    pub(crate) all: bool,
    pub(crate) op: UnaryOp,
}

/// The quantified operator at the start of `rest`, whose first word is `word`. A variable may have the name `AG`: it is one if
/// no operand follows.
pub(crate) fn read(rest: &str, word: &str) -> Option<Quantified> {
    let all = match word.chars().next()? {
        'A' => true,
        'E' => false,
        _ => return None,
    };
    let operators = [
        ("G", UnaryOp::Globally),
        ("F", UnaryOp::Finally),
        ("X", UnaryOp::Next),
        ("[]", UnaryOp::Globally),
        ("<>", UnaryOp::Finally),
    ];
    if word.len() == 1 {
        let inner = rest[1..].trim_start();
        let gap = rest.len() - inner.len();
        let (sign, op) = operators
            .into_iter()
            .find(|(sign, _)| inner.starts_with(sign))?;
        let after = &inner[sign.len()..];
        let is_word = sign.starts_with(char::is_alphabetic);
        let goes_on = after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_operator = gap > 1 && !(is_word && goes_on);
        return is_operator.then_some(Quantified {
            len: gap + sign.len(),
            all,
            op,
        });
    }
    let (_, op) = operators
        .into_iter()
        .find(|(sign, _)| word[1..] == **sign)?;
    starts_operand(rest[word.len()..].trim_start()).then_some(Quantified {
        len: word.len(),
        all,
        op,
    })
}

/// Whether what stands here can only be an operand.
fn starts_operand(text: &str) -> bool {
    let is_sign = ["(", "\"", "~", "¬", "[]", "<>"]
        .iter()
        .any(|sign| text.starts_with(sign));
    let is_not = text.starts_with('!') && !text.starts_with("!=");
    let len = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    let word = &text[..len.unwrap_or(text.len())];
    let is_word = word.starts_with(starts_name);
    let is_infix = matches!(
        reserved(word),
        Some(Tok::Binary(_) | Tok::Term(_) | Tok::Then | Tok::Else)
    );
    is_sign || is_not || is_word && word != "S" && !is_infix
}

/// What to write for a quantifier that LTL has not.
pub(crate) fn not_ltl(word: &str, op: UnaryOp, place: Span) -> Diagnostic {
    let opposite = match op {
        UnaryOp::Finally => "G",
        UnaryOp::Globally => "F",
        _ => "X",
    };
    let message = format!("`{word}` asks for some run; formulas of LTL speak of all runs");
    Diagnostic::error("not-ltl", message).at(place).hint(format!(
        "ask for the opposite, `{opposite} !(…)`: if it is violated, the run that is shown is such a run"
    ))
}

/// What is wrong with a formula in which `A` stands where it cannot be left out.
pub(crate) fn check(text: &str, origin: Span, lexed: &Lexed, tree: &Tree) -> Option<Diagnostic> {
    // From a node down: whether `A` in front of it would change nothing.
    let mut is_free = vec![false; tree.len()];
    is_free[tree.root as usize] = true;
    for ix in (0..tree.len() as NodeIx).rev() {
        let node = tree.node(ix);
        let token = lexed.tokens[node.token as usize];
        let word = &text[token.start as usize..token.end as usize];
        let is_temporal = matches!(node.kind, NodeKind::Unary(op, _) if op.is_temporal());
        if is_temporal && word.starts_with('A') && !is_free[ix as usize] {
            let base = origin.start as usize;
            let place = Span::new(
                origin.source,
                base + token.start as usize,
                base + token.end as usize,
            );
            let plain = word[1..].trim_start();
            let message = format!("`{word}` here is not the same as `{plain}` of LTL");
            let finding = Diagnostic::error("not-ltl", message).at(place);
            return Some(finding.hint(format!(
                "if it is to be true of the rest of the same run, write `{plain}`"
            )));
        }
        let kids = tree.kids(ix);
        for (i, &kid) in kids.iter().enumerate() {
            let others_are_now = || {
                let others = kids.iter().filter(|&&other| other != kid);
                others.clone().all(|&other| !tree.node(other).temporal)
            };
            let passes = match node.kind {
                NodeKind::Unary(UnaryOp::Globally | UnaryOp::Next, _)
                | NodeKind::Binary(BinaryOp::And) => true,
                NodeKind::Binary(BinaryOp::Or) => others_are_now(),
                NodeKind::Binary(BinaryOp::Implies) | NodeKind::Choose if i == 1 => {
                    kids.len() == 2 && others_are_now()
                }
                _ => false,
            };
            is_free[kid as usize] = is_free[ix as usize] && passes;
        }
    }
    None
}
