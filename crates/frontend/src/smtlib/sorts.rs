//! Sorts as they are written: `Bool`, `Int`, `Real`, `(_ BitVec n)`, `(Array i e)`, and names that a script gives to sorts.

use super::read::{Read, Reader};
use super::sexpr::{Kind, NodeId};
use lariat_base::{FxHashMap, nearest};
use lariat_expr::SortId;

/// Vectors are at most this wide.
const WIDEST: u32 = 65_536;

/// A name of sorts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SortName {
    Known(SortId),
    /// Declared without a meaning.
    Uninterpreted,
}

/// The sorts that a logic has besides `Bool`, by [`Family`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logic([bool; 4]);

/// The sorts of a theory.
#[derive(Clone, Copy)]
enum Family {
    Integers,
    Reals,
    Vectors,
    Arrays,
}

impl Logic {
    /// All sorts.
    pub const ALL: Self = Self([true; 4]);

    /// The logic of this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        const PARTS: [(&str, &[Family]); 13] = [
            ("AX", &[Family::Arrays]),
            ("A", &[Family::Arrays]),
            ("UF", &[]),
            ("BV", &[Family::Vectors]),
            ("DT", &[]),
            ("IDL", &[Family::Integers]),
            ("RDL", &[Family::Reals]),
            ("LIRA", &[Family::Integers, Family::Reals]),
            ("NIRA", &[Family::Integers, Family::Reals]),
            ("LIA", &[Family::Integers]),
            ("NIA", &[Family::Integers]),
            ("LRA", &[Family::Reals]),
            ("NRA", &[Family::Reals]),
        ];
        if name == "ALL" {
            return Some(Self::ALL);
        }
        let mut rest = name.strip_prefix("QF_").unwrap_or(name);
        let mut logic = Self([false; 4]);
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let (part, families) = PARTS.iter().find(|(part, _)| rest.starts_with(part))?;
            rest = &rest[part.len()..];
            for &family in *families {
                logic.0[family as usize] = true;
            }
        }
        Some(logic)
    }

    fn has(self, family: Family) -> bool {
        self.0[family as usize]
    }
}

/// The sorts that a script names.
pub(crate) type SortNames<'a> = FxHashMap<&'a str, SortName>;

impl Reader<'_, '_> {
    /// The sort that a node is.
    pub fn sort(&mut self, root: NodeId) -> Read<SortId> {
        // Arrays nest: inner sorts are read first.
        let mut todo = vec![(root, false)];
        let mut done: Vec<SortId> = Vec::new();
        while let Some((node, is_ready)) = todo.pop() {
            let items = self.tree.items(node);
            let (symbol, head) = (self.tree.symbol(node), self.tree.head(node));
            let is_vector = items
                .get(1)
                .is_some_and(|&name| self.tree.symbol(name) == Some("BitVec"));
            let is_outside = symbol == Some("Int") && !self.logic.has(Family::Integers)
                || symbol == Some("Real") && !self.logic.has(Family::Reals)
                || head == Some("Array") && !self.logic.has(Family::Arrays)
                || is_vector && !self.logic.has(Family::Vectors);
            if is_outside {
                let message = "the logic that the script sets does not have this sort";
                return Err(self.tree.error("smtlib-logic", node, message));
            }
            match (head, items.len()) {
                (Some("Array"), 3) if is_ready => {
                    let element = done.pop().expect("the element's sort was read");
                    let index = done.pop().expect("the index's sort was read");
                    done.push(self.cx.terms.sorts.array(index, element));
                }
                (Some("Array"), 3) => {
                    todo.push((node, true));
                    todo.extend([(items[2], false), (items[1], false)]);
                }
                (Some("_"), 3) if is_vector => {
                    let width = self.tree.text(items[2]).parse::<u32>();
                    let Ok(width @ 1..=WIDEST) = width else {
                        let message = format!("a width is a number from 1 to {WIDEST}");
                        return Err(self.tree.error("smtlib-width", items[2], message));
                    };
                    done.push(self.cx.terms.sorts.bv(width));
                }
                _ => {
                    let sort = self.simple_sort(node)?;
                    done.push(sort);
                }
            }
        }
        Ok(done.pop().expect("a sort was read"))
    }

    fn simple_sort(&self, node: NodeId) -> Read<SortId> {
        let sorts = &self.cx.terms.sorts;
        let named = match self.tree.kind(node) {
            Kind::List(..) => self.tree.head(node),
            _ => self.tree.symbol(node),
        };
        match named {
            Some("Bool") => Ok(sorts.bool()),
            Some("Int") => Ok(sorts.int()),
            Some("Real") => Ok(sorts.rat()),
            Some(name) => match self.sorts.get(name) {
                Some(&SortName::Known(sort)) => Ok(sort),
                Some(SortName::Uninterpreted) => {
                    let message = format!("the sort `{name}` has no meaning of its own");
                    let finding = self.tree.error("smtlib-uninterpreted", node, message);
                    Err(finding
                        .hint("declared sorts are not supported; use `Int` or an enumeration"))
                }
                None => {
                    let message = format!("there is no sort `{name}`");
                    let mut known: Vec<&str> = self.sorts.keys().copied().collect();
                    known.extend(["Bool", "Int", "Real", "Array", "BitVec"]);
                    known.sort_unstable();
                    let near = nearest(name, known);
                    let hint = near.map(|near| format!("did you mean `{near}`?"));
                    let finding = self.tree.error("smtlib-sort", node, message);
                    Err(finding.maybe_hint(hint))
                }
            },
            None => Err(self
                .tree
                .error("smtlib-sort", node, "a sort is expected here")),
        }
    }
}
