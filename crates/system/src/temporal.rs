//! Temporal formulas whose atoms are terms, for languages whose front ends read formulas themselves.
//!
//! A list of nodes, operands before what holds them, so that nothing walks a formula recursively. What the operators mean is
//! the business of the `ltl` crate.

use lariat_expr::TermId;

/// A node of a formula, by its position in the list.
pub type TemporalId = u32;

/// A temporal formula. Formulas are equal whatever their texts.
#[derive(Clone, Eq, Debug, Default)]
pub struct Temporal {
    /// As it is written.
    pub text: Box<str>,
    nodes: Vec<TemporalNode>,
}

impl PartialEq for Temporal {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

/// A part of a formula.
#[derive(Clone, Eq, Debug)]
pub enum TemporalNode {
    /// A Boolean term, and how it is written.
    Atom(TermId, Box<str>),
    /// An operator with one operand.
    Unary(UnaryTemporal, TemporalId),
    /// An operator with one operand that looks from the first to the second number of steps ahead or back.
    Within(UnaryTemporal, u32, u32, TemporalId),
    /// An operator with two operands.
    Binary(BinaryTemporal, TemporalId, TemporalId),
}

impl PartialEq for TemporalNode {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Atom(a, _), Self::Atom(b, _)) => a == b,
            (Self::Unary(a, of), Self::Unary(b, other)) => (a, of) == (b, other),
            (Self::Within(a, low, high, of), Self::Within(b, from, to, other)) => {
                (a, low, high, of) == (b, from, to, other)
            }
            (Self::Binary(a, left, right), Self::Binary(b, first, second)) => {
                (a, left, right) == (b, first, second)
            }
            _ => false,
        }
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    missing_docs,
    reason = "the usual letters: next, eventually, always, and their mirrors in the past"
)]
pub enum UnaryTemporal {
    Not,
    X,
    F,
    G,
    Y,
    Z,
    O,
    H,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the usual names and letters")]
pub enum BinaryTemporal {
    And,
    Or,
    Xor,
    Iff,
    Implies,
    U,
    R,
    W,
    M,
    S,
    T,
}

impl Temporal {
    /// A formula without nodes yet.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self {
            text: text.into(),
            nodes: Vec::new(),
        }
    }

    /// Adds a node; its operands are there.
    pub fn push(&mut self, node: TemporalNode) -> TemporalId {
        let id = self.nodes.len() as u32;
        debug_assert!(
            node.operands().iter().all(|&operand| operand < id),
            "operands come first"
        );
        self.nodes.push(node);
        id
    }

    /// The formula for words whose letters come one position later than those it was written for: the whole stands under `X`, and
    /// past operators do not look at the first position, where `Y true` is false. `atom` says what each atom is there.
    #[must_use]
    pub fn one_step_later(&self, yes: TermId, mut atom: impl FnMut(TermId) -> TermId) -> Self {
        let mut tree = Self::new(self.text.clone());
        let truth = tree.push(TemporalNode::Atom(yes, "true".into()));
        let started = tree.push(TemporalNode::Unary(UnaryTemporal::Y, truth));
        let mut done: Vec<TemporalId> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let node = match *node {
                TemporalNode::Atom(term, ref text) => TemporalNode::Atom(atom(term), text.clone()),
                TemporalNode::Unary(operator, of) => {
                    let of = tree.since_start(operator, started, done[of as usize]);
                    TemporalNode::Unary(operator, of)
                }
                TemporalNode::Within(operator, low, high, of) => {
                    let of = tree.since_start(operator, started, done[of as usize]);
                    TemporalNode::Within(operator, low, high, of)
                }
                TemporalNode::Binary(operator, left, right) => {
                    let right = done[right as usize];
                    let right = match operator {
                        BinaryTemporal::S => tree.since_start(UnaryTemporal::O, started, right),
                        BinaryTemporal::T => tree.since_start(UnaryTemporal::H, started, right),
                        _ => right,
                    };
                    TemporalNode::Binary(operator, done[left as usize], right)
                }
            };
            done.push(tree.push(node));
        }
        let root = *done.last().expect("a formula has a node");
        tree.push(TemporalNode::Unary(UnaryTemporal::X, root));
        tree
    }

    /// The operand of a past operator: true or false at the first position, whichever lets the operator pass over it.
    fn since_start(
        &mut self,
        operator: UnaryTemporal,
        started: TemporalId,
        of: TemporalId,
    ) -> TemporalId {
        let connective = match operator {
            UnaryTemporal::Y | UnaryTemporal::O => BinaryTemporal::And,
            UnaryTemporal::Z | UnaryTemporal::H => BinaryTemporal::Implies,
            _ => return of,
        };
        self.push(TemporalNode::Binary(connective, started, of))
    }

    /// The nodes; the last one is the whole formula.
    pub fn nodes(&self) -> &[TemporalNode] {
        &self.nodes
    }
}

impl TemporalNode {
    /// The operands.
    pub fn operands(&self) -> Vec<TemporalId> {
        match self {
            Self::Atom(..) => Vec::new(),
            Self::Unary(_, of) | Self::Within(_, _, _, of) => vec![*of],
            Self::Binary(_, left, right) => vec![*left, *right],
        }
    }
}
