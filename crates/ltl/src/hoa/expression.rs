//! Boolean expressions of HOA, for labels and acceptance alike, in postfix order.
//!
//! Postfix needs no recursion: a label of a million brackets neither overflows a stack when it is
//! read nor when it is dropped. Invariant: never empty, and every operator has its operands.

use std::fmt;

/// One item of an expression in postfix order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item<A> {
    /// `t` or `f`.
    Const(bool),
    /// An atom.
    Atom(A),
    /// Negation of the expression before.
    Not,
    /// Conjunction of the two expressions before.
    And,
    /// Disjunction of the two expressions before.
    Or,
}

/// A proposition or an alias.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LabelAtom {
    /// A proposition by its position.
    Ap(u32),
    /// An alias by its name.
    Alias(String),
}

/// `Inf` or `Fin` of an acceptance set or of its complement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccAtom {
    /// `Fin` instead of `Inf`.
    pub fin: bool,
    /// The complement of the set, written `!`.
    pub complement: bool,
    /// The set.
    pub set: u32,
}

/// A Boolean expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression<A> {
    items: Vec<Item<A>>,
}

impl<A: Clone> Expression<A> {
    /// `t` or `f`.
    pub fn constant(value: bool) -> Self {
        Self {
            items: vec![Item::Const(value)],
        }
    }

    /// An atom.
    pub fn atom(atom: A) -> Self {
        Self {
            items: vec![Item::Atom(atom)],
        }
    }

    /// The negation.
    #[must_use]
    pub fn negate(mut self) -> Self {
        self.items.push(Item::Not);
        self
    }

    /// The conjunction of all parts; `t` if there is none.
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::join(parts, Item::And, true)
    }

    /// The disjunction of all parts; `f` if there is none.
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::join(parts, Item::Or, false)
    }

    fn join(parts: impl IntoIterator<Item = Self>, op: Item<A>, unit: bool) -> Self {
        let mut parts = parts.into_iter();
        let Some(mut whole) = parts.next() else {
            return Self::constant(unit);
        };
        for part in parts {
            whole.items.extend(part.items);
            whole.items.push(op.clone());
        }
        whole
    }

    /// The items in postfix order.
    pub fn items(&self) -> &[Item<A>] {
        &self.items
    }

    /// From items that are in postfix order; the reader's stack guarantees it.
    pub(crate) fn from_items(items: Vec<Item<A>>) -> Self {
        Self { items }
    }

    /// For every item the operands it has: positions of the items that end them.
    pub(crate) fn operands(&self) -> Vec<(usize, usize)> {
        let mut stack = Vec::new();
        let mut operands = Vec::with_capacity(self.items.len());
        for (i, item) in self.items.iter().enumerate() {
            let own = match item {
                Item::Const(_) | Item::Atom(_) => (i, i),
                Item::Not => {
                    let operand = stack.pop().unwrap_or(0);
                    (operand, operand)
                }
                Item::And | Item::Or => {
                    let right = stack.pop().unwrap_or(0);
                    (stack.pop().unwrap_or(0), right)
                }
            };
            operands.push(own);
            stack.push(i);
        }
        operands
    }
}

/// What is still to be printed of an expression.
enum Piece {
    Text(&'static str),
    Item(usize),
}

impl<A: Clone + fmt::Display> fmt::Display for Expression<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = |at: usize| match self.items[at] {
            Item::Or => 0,
            Item::And => 1,
            _ => 2,
        };
        let operands = self.operands();
        let mut stack = vec![Piece::Item(self.items.len() - 1)];
        let push = |stack: &mut Vec<Piece>, at: usize, least: u8| {
            if level(at) < least {
                stack.extend([Piece::Text(")"), Piece::Item(at), Piece::Text("(")]);
            } else {
                stack.push(Piece::Item(at));
            }
        };
        while let Some(piece) = stack.pop() {
            let i = match piece {
                Piece::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Piece::Item(i) => i,
            };
            let (left, right) = operands[i];
            match &self.items[i] {
                Item::Const(value) => f.write_str(if *value { "t" } else { "f" })?,
                Item::Atom(atom) => write!(f, "{atom}")?,
                Item::Not => {
                    f.write_str("!")?;
                    push(&mut stack, left, 2);
                }
                op => {
                    // A right operand keeps its brackets, so that the text reads back as the same
                    // expression, not just as an equivalent one.
                    push(&mut stack, right, level(i) + 1);
                    let sign = if matches!(op, Item::And) { "&" } else { " | " };
                    stack.push(Piece::Text(sign));
                    push(&mut stack, left, level(i));
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for LabelAtom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ap(ap) => write!(f, "{ap}"),
            Self::Alias(name) => write!(f, "@{name}"),
        }
    }
}

impl fmt::Display for AccAtom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.fin { "Fin" } else { "Inf" };
        let sign = if self.complement { "!" } else { "" };
        write!(f, "{name}({sign}{})", self.set)
    }
}
