//! From the generic tree to a formula: which parts are atoms, and what the operators mean.
//!
//! Nodes of a tree are numbered children first, so every pass here is a loop over indices.
//!
//! In a model's expressions each largest part without temporal operators goes to the atom source as
//! one text. That is right only if the model's language groups the text as our table did; so a part
//! whose grouping depends on the table (`a -> b -> c`, `! x = 1`) is split at its top operator, which
//! then belongs to the formula. Splitting never changes the meaning.

use lariat_base::{Diagnostic, Diagnostics, Span};

use super::lex::Lexed;
use super::token::{BinaryOp, Bound, BoundEnd, UnaryOp};
use super::tree::{Node, NodeIx, NodeKind, Tree};
use super::{AtomSource, AtomStyle};
use crate::formula::{FormulaId, Formulas};

/// The most nodes that the bounds of one text may expand to.
const MAX_EXPANSION: u64 = 2_000_000;

/// Builds the formula of `tree`.
pub(crate) fn lower(
    formulas: &mut Formulas,
    text: &str,
    origin: Span,
    lexed: &Lexed,
    tree: &Tree,
    atoms: &mut dyn AtomSource,
) -> Result<FormulaId, Vec<Diagnostic>> {
    let mut lowering = Lowering {
        text,
        origin,
        lexed,
        tree,
        diagnostics: Diagnostics::new(),
        expansion: 0,
    };
    let whole = lowering.whole_parts(atoms);
    if lowering.diagnostics.has_errors() {
        return Err(lowering.diagnostics.into_vec());
    }
    let formula = lowering.build(formulas, &whole, atoms);
    match formula {
        Some(formula) if !lowering.diagnostics.has_errors() => Ok(formula),
        _ => Err(lowering.diagnostics.into_vec()),
    }
}

struct Lowering<'a> {
    text: &'a str,
    origin: Span,
    lexed: &'a Lexed,
    tree: &'a Tree,
    diagnostics: Diagnostics,
    expansion: u64,
}

impl Lowering<'_> {
    fn span(&self, bytes: (u32, u32)) -> Span {
        let base = self.origin.start as usize;
        Span::new(
            self.origin.source,
            base + bytes.0 as usize,
            base + bytes.1 as usize,
        )
    }

    fn slice(&self, bytes: (u32, u32)) -> &str {
        &self.text[bytes.0 as usize..bytes.1 as usize]
    }

    /// The text of a node's leaf or operator.
    fn word(&self, node: &Node) -> &str {
        let token = self.lexed.tokens[node.token as usize];
        self.slice((token.start, token.end))
    }

    /// For every node whether its text can go to the model's language as it stands; with plain names
    /// only a leaf can. Reports what cannot be a formula at all.
    fn whole_parts(&mut self, atoms: &dyn AtomSource) -> Vec<bool> {
        let names = atoms.style() == AtomStyle::Names;
        let mut whole: Vec<bool> = Vec::with_capacity(self.tree.len());
        // The same for parts of larger expressions, which have to stay together.
        let mut inside: Vec<bool> = Vec::with_capacity(self.tree.len());
        let joins = |lowering: &Self, whole: &[bool], kind: NodeKind, kid: NodeIx| {
            whole[kid as usize]
                && lowering.reads_alike(kind, kid)
                && !lowering.stands_alone(kid, atoms)
        };
        for ix in 0..self.tree.len() as NodeIx {
            let node = self.tree.node(ix);
            let kids = self.tree.kids(ix);
            let is_whole = match node.kind {
                NodeKind::Name | NodeKind::Number => true,
                NodeKind::Quoted(_) => false,
                NodeKind::Const(_) => atoms.speaks(self.word(node)),
                NodeKind::Unary(UnaryOp::Not, _) => {
                    !names
                        && atoms.speaks(self.word(node))
                        && joins(self, &whole, node.kind, kids[0])
                }
                NodeKind::Binary(op) if !op.is_temporal() => {
                    !names
                        && atoms.speaks(self.word(node))
                        && kids.iter().all(|&kid| joins(self, &whole, node.kind, kid))
                }
                NodeKind::Unary(..) | NodeKind::Binary(_) => false,
                NodeKind::Choose if names || node.temporal || kids.len() == 2 => false,
                NodeKind::Term | NodeKind::Fenced if names => {
                    self.reject_expression(ix);
                    true
                }
                NodeKind::Term | NodeKind::Fenced | NodeKind::Choose => {
                    for (i, &kid) in kids.iter().enumerate() {
                        self.check_part_of_expression(node, i, kid, inside[kid as usize]);
                    }
                    true
                }
            };
            let is_logical = match node.kind {
                NodeKind::Unary(op, _) => !op.is_temporal(),
                NodeKind::Binary(op) => !op.is_temporal(),
                NodeKind::Const(_) => true,
                _ => false,
            };
            let stays = is_whole
                || is_logical
                    && !names
                    && atoms.understands(self.word(node))
                    && kids.iter().all(|&kid| joins(self, &inside, node.kind, kid))
                || is_logical && self.is_bitwise(ix, &inside, atoms);
            inside.push(stays);
            whole.push(is_whole);
        }
        whole
    }

    /// Whether a node is an operator on the bits of numbers, as `&` in the C expression `(x & 8) != 0`, and C groups its
    /// operands in the same way.
    fn is_bitwise(&self, ix: NodeIx, inside: &[bool], atoms: &dyn AtomSource) -> bool {
        let node = self.tree.node(ix);
        let sign = self.word(node);
        let is_one = |kid: NodeIx| {
            let part = self.tree.node(kid);
            let is_alike = match part.kind {
                NodeKind::Name | NodeKind::Number | NodeKind::Fenced => true,
                NodeKind::Term | NodeKind::Unary(UnaryOp::Not, _) => {
                    matches!(node.kind, NodeKind::Binary(_))
                }
                NodeKind::Binary(_) => self.word(part) == sign,
                _ => false,
            };
            inside[kid as usize] && (is_alike || part.is_bracketed())
        };
        atoms.works_on_bits(sign) && self.tree.kids(ix).iter().all(|&kid| is_one(kid))
    }

    /// Whether every language groups an operand of this operator in the same way.
    fn reads_alike(&self, operator: NodeKind, kid: NodeIx) -> bool {
        use BinaryOp::{And, Iff, Implies, Or, Xnor, Xor};
        let kid = self.tree.node(kid);
        if kid.kind == NodeKind::Number {
            return false; // a truth value here, a number in the model's language
        }
        if kid.is_bracketed() {
            return true;
        }
        match (operator, kid.kind) {
            (NodeKind::Unary(..), NodeKind::Term | NodeKind::Binary(_)) => false,
            (NodeKind::Binary(parent), NodeKind::Binary(child)) => {
                matches!((parent, child), (And, And) | (Or | Implies | Iff, Or | And))
            }
            (NodeKind::Binary(Xor | Xnor), NodeKind::Fenced | NodeKind::Choose) => false,
            _ => true,
        }
    }

    /// Whether a node is a name or a call such as `loc(NAME)` that is an atom by itself.
    fn stands_alone(&self, ix: NodeIx, atoms: &dyn AtomSource) -> bool {
        let node = self.tree.node(ix);
        if node.kind == NodeKind::Name {
            return atoms.names_place(self.slice(node.inner));
        }
        if node.kind != NodeKind::Fenced || self.word(node) != ")" {
            return false;
        }
        let head = self.tree.kids(ix).first().map(|&kid| self.tree.node(kid));
        head.is_some_and(|head| {
            head.kind == NodeKind::Name && atoms.stands_alone(self.slice(head.inner))
        })
    }

    fn reject_expression(&mut self, ix: NodeIx) {
        let node = self.tree.node(ix);
        let quoted = self.slice(node.inner).replace('"', "\\\"");
        self.diagnostics.push(
            Diagnostic::error("not-a-name", "this expression is not a proposition")
                .at(self.span(node.inner))
                .hint(format!("write it in quotes: `\"{quoted}\"`")),
        );
    }

    fn check_part_of_expression(&mut self, node: &Node, i: usize, kid: NodeIx, whole: bool) {
        let part = self.tree.node(kid);
        let bracketless_not = matches!(part.kind, NodeKind::Unary(UnaryOp::Not, _))
            && !part.is_bracketed()
            && node.kind == NodeKind::Term;
        let message = if part.temporal && matches!(part.kind, NodeKind::Term | NodeKind::Fenced) {
            return; // reported where the operator is
        } else if part.temporal {
            "a temporal operator cannot be part of an expression"
        } else if matches!(part.kind, NodeKind::Quoted(_)) {
            "a quoted atom cannot be part of an expression"
        } else if !whole || bracketless_not && (i == 0 || self.operates(kid)) {
            "it depends on the language how this part of the expression is read"
        } else {
            return;
        };
        let id = if part.temporal {
            "temporal-in-expression"
        } else {
            "unclear-expression"
        };
        let mut diagnostic = Diagnostic::error(id, message).at(self.span(part.outer));
        if !part.temporal && !matches!(part.kind, NodeKind::Quoted(_)) {
            diagnostic = diagnostic.hint("put brackets around it");
        }
        self.diagnostics.push(diagnostic);
    }

    /// Whether the operand of a negation is an operator itself.
    fn operates(&self, negation: NodeIx) -> bool {
        let operand = self.tree.node(self.tree.kids(negation)[0]);
        operand.kind == NodeKind::Term && !operand.is_bracketed()
    }

    fn build(
        &mut self,
        formulas: &mut Formulas,
        whole: &[bool],
        atoms: &mut dyn AtomSource,
    ) -> Option<FormulaId> {
        let tree = self.tree;
        let is_atom = |ix: NodeIx| {
            let kind = tree.node(ix).kind;
            whole[ix as usize] && !matches!(kind, NodeKind::Const(_) | NodeKind::Unary(..))
        };
        // Which nodes become formulas; the inner nodes of a chain of `&` or `|` do not.
        let mut needed = vec![false; tree.len()];
        needed[tree.root as usize] = true;
        let mut operands = vec![Vec::new(); tree.len()];
        for ix in (0..tree.len() as NodeIx).rev() {
            if !needed[ix as usize] || is_atom(ix) {
                continue;
            }
            let kids = match tree.node(ix).kind {
                NodeKind::Binary(op @ (BinaryOp::And | BinaryOp::Or)) => {
                    tree.chain(ix, op, is_atom)
                }
                _ => tree.kids(ix).to_vec(),
            };
            for &kid in &kids {
                needed[kid as usize] = true;
            }
            operands[ix as usize] = kids;
        }
        let mut built: Vec<Option<FormulaId>> = vec![None; tree.len()];
        for ix in 0..tree.len() as NodeIx {
            if !needed[ix as usize] {
                continue;
            }
            let parts: Option<Vec<FormulaId>> = operands[ix as usize]
                .iter()
                .map(|&kid| built[kid as usize])
                .collect();
            // A missing part was reported when it was built.
            let Some(parts) = parts else { continue };
            let node = tree.node(ix);
            built[ix as usize] = match node.kind {
                NodeKind::Const(value) => Some(formulas.constant(value)),
                NodeKind::Number => self.truth_value(formulas, node),
                NodeKind::Quoted(index) => {
                    let quoted = &self.lexed.quoted[index as usize];
                    let span = self.span((quoted.start, quoted.end));
                    self.atom(formulas, atoms, &quoted.text, span)
                }
                NodeKind::Unary(op, bound) => self.unary(formulas, node, op, bound, parts[0]),
                NodeKind::Binary(op) if !is_atom(ix) => Some(binary(formulas, op, &parts)),
                NodeKind::Choose if !is_atom(ix) => Some(choose(formulas, &parts)),
                NodeKind::Name
                | NodeKind::Binary(_)
                | NodeKind::Term
                | NodeKind::Fenced
                | NodeKind::Choose => {
                    let text = self.slice(node.inner).to_owned();
                    let span = self.span(node.inner);
                    self.atom(formulas, atoms, &text, span)
                }
            };
        }
        built[tree.root as usize]
    }

    fn atom(
        &mut self,
        formulas: &mut Formulas,
        atoms: &mut dyn AtomSource,
        text: &str,
        span: Span,
    ) -> Option<FormulaId> {
        match atoms.atom(formulas, text, span) {
            Ok(ap) => Some(formulas.ap(ap)),
            Err(diagnostic) => {
                self.diagnostics.push(*diagnostic);
                None
            }
        }
    }

    fn truth_value(&mut self, formulas: &Formulas, node: &Node) -> Option<FormulaId> {
        match self.word(node) {
            "0" => Some(formulas.ff()),
            "1" => Some(formulas.tt()),
            number => {
                let message = format!("the number `{number}` is not a truth value");
                let place = self.span(node.inner);
                let finding = Diagnostic::error("not-a-truth-value", message).at(place);
                let hint = "if it belongs to an expression, write that in quotes: `\"x & 8\"`";
                self.diagnostics.push(finding.hint(hint));
                None
            }
        }
    }

    fn unary(
        &mut self,
        formulas: &mut Formulas,
        node: &Node,
        op: UnaryOp,
        bound: Option<Bound>,
        f: FormulaId,
    ) -> Option<FormulaId> {
        let (op, f) = match op {
            UnaryOp::Never => (UnaryOp::Globally, formulas.not(f)),
            op => (op, f),
        };
        let Some(bound) = bound else {
            return Some(match op {
                UnaryOp::Not => formulas.not(f),
                UnaryOp::Next => formulas.next(f),
                UnaryOp::Finally => formulas.finally(f),
                UnaryOp::Globally | UnaryOp::Never => formulas.globally(f),
                UnaryOp::Yesterday => formulas.yesterday(f),
                UnaryOp::WeakYesterday => formulas.weak_yesterday(f),
                UnaryOp::Once => formulas.once(f),
                UnaryOp::Historically => formulas.historically(f),
            });
        };
        self.expansion += u64::from(bound.steps()) * u64::from(node.size);
        if self.expansion > MAX_EXPANSION {
            let message = "the bounds of this formula expand to too many operators";
            let place = self.span(node.outer);
            self.diagnostics
                .push(Diagnostic::error("too-large", message).at(place));
            return None;
        }
        let bounded = expand(formulas, op, bound, f);
        if bounded.is_none() {
            let token = self.lexed.tokens[node.token as usize];
            let n = bound.from;
            let (message, hint) = if matches!(bound.to, BoundEnd::Missing) {
                let word = self.slice((token.start, token.start + 1));
                (
                    "this bound needs two numbers",
                    format!("write `{word}[0..{n}]` or `{word}[{n}..{n}]`"),
                )
            } else {
                (
                    "this bound needs one number",
                    format!("write `X[{n}]`, or `F` or `G` with two numbers"),
                )
            };
            self.diagnostics.push(
                Diagnostic::error("bad-bound", message)
                    .at(self.span((token.start, token.end)))
                    .hint(hint),
            );
        }
        bounded
    }
}

/// A bounded operator written out; `None` if the operator has no bound of this form.
fn expand(formulas: &mut Formulas, op: UnaryOp, bound: Bound, f: FormulaId) -> Option<FormulaId> {
    let n = bound.from;
    let previous =
        |formulas: &mut Formulas, n: u32, f| (0..n).fold(f, |g, _| formulas.yesterday(g));
    let weak =
        |formulas: &mut Formulas, n: u32, f| (0..n).fold(f, |g, _| formulas.weak_yesterday(g));
    Some(match (op, bound.to) {
        (UnaryOp::Next, BoundEnd::Missing) => formulas.next_n(n, f),
        (UnaryOp::Yesterday, BoundEnd::Missing) => previous(formulas, n, f),
        (UnaryOp::WeakYesterday, BoundEnd::Missing) => weak(formulas, n, f),
        (UnaryOp::Finally, BoundEnd::At(m)) => formulas.finally_within(n, m, f),
        (UnaryOp::Globally, BoundEnd::At(m)) => formulas.globally_within(n, m, f),
        (UnaryOp::Once, BoundEnd::At(m)) => {
            let window = (n..m).fold(f, |g, _| {
                let before = formulas.yesterday(g);
                formulas.or(f, before)
            });
            previous(formulas, n, window)
        }
        (UnaryOp::Historically, BoundEnd::At(m)) => {
            let window = (n..m).fold(f, |g, _| {
                let before = formulas.weak_yesterday(g);
                formulas.and(f, before)
            });
            weak(formulas, n, window)
        }
        (UnaryOp::Finally, BoundEnd::Never) => {
            let always = formulas.finally(f);
            formulas.next_n(n, always)
        }
        (UnaryOp::Globally, BoundEnd::Never) => {
            let always = formulas.globally(f);
            formulas.next_n(n, always)
        }
        (UnaryOp::Once, BoundEnd::Never) => {
            let ever = formulas.once(f);
            previous(formulas, n, ever)
        }
        (UnaryOp::Historically, BoundEnd::Never) => {
            let ever = formulas.historically(f);
            weak(formulas, n, ever)
        }
        _ => return None,
    })
}

/// `if c then f` or `if c then f else g`.
fn choose(formulas: &mut Formulas, parts: &[FormulaId]) -> FormulaId {
    let then = formulas.implies(parts[0], parts[1]);
    let Some(&otherwise) = parts.get(2) else {
        return then;
    };
    let not = formulas.not(parts[0]);
    let otherwise = formulas.implies(not, otherwise);
    formulas.and(then, otherwise)
}

fn binary(formulas: &mut Formulas, op: BinaryOp, parts: &[FormulaId]) -> FormulaId {
    let (f, g) = (parts[0], parts[1]);
    match op {
        BinaryOp::And => formulas.and_all(parts),
        BinaryOp::Or => formulas.or_all(parts),
        BinaryOp::Xor => formulas.xor(f, g),
        BinaryOp::Iff | BinaryOp::Xnor => formulas.iff(f, g),
        BinaryOp::Implies => formulas.implies(f, g),
        BinaryOp::LeadsTo => {
            let answer = formulas.finally(g);
            let each = formulas.implies(f, answer);
            formulas.globally(each)
        }
        BinaryOp::Until => formulas.until(f, g),
        BinaryOp::WeakUntil => formulas.weak_until(f, g),
        BinaryOp::Release => formulas.release(f, g),
        BinaryOp::StrongRelease => formulas.strong_release(f, g),
        BinaryOp::Since => formulas.since(f, g),
        BinaryOp::Triggered => formulas.triggered(f, g),
    }
}
