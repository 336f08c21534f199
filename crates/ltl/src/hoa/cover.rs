//! From label expressions to lists of cubes, and from acceptance conditions to clauses.
//!
//! Only the polarity that is needed of each part is computed, so a long disjunction is never
//! complemented by accident. Labels can be exponentially larger as cubes than as text (the parity of
//! sixty propositions through aliases); the work for one automaton is bounded, and a label beyond
//! the bound has no cover.

use lariat_base::{FxHashMap, FxHashSet};

use super::expression::{AccAtom, Expression, Item, LabelAtom};
use super::{HoaAutomaton, Label};
use crate::automaton::Cube;

/// The most pairs of cubes that are looked at for one automaton.
const MAX_WORK: usize = 30_000_000;

/// The most cubes or clauses of one part.
const MAX_PARTS: usize = 4096;

/// Computes covers of the labels of one automaton with at most 64 propositions.
pub(crate) struct Covers {
    work_left: usize,
    /// For each alias its cover and the cover of its negation, where they are small enough.
    aliases: FxHashMap<String, [Option<Vec<Cube>>; 2]>,
}

impl Covers {
    /// Prepares the aliases that are used; each uses only earlier ones.
    pub(crate) fn new(automaton: &HoaAutomaton) -> Self {
        let mut used: FxHashSet<&str> = FxHashSet::default();
        let mut note = |label| used.extend(aliases_in(label));
        for state in &automaton.states {
            state.label.iter().for_each(&mut note);
            let labels = state.edges.iter().filter_map(|edge| edge.label.as_ref());
            labels.for_each(&mut note);
        }
        for (name, label) in automaton.aliases.iter().rev() {
            if used.contains(name.as_str()) {
                used.extend(aliases_in(label));
            }
        }
        let mut covers = Self {
            work_left: MAX_WORK,
            aliases: FxHashMap::default(),
        };
        for (name, label) in &automaton.aliases {
            if !used.contains(name.as_str()) {
                continue;
            }
            let both = [true, false].map(|polarity| covers.polarity(label, polarity));
            covers.aliases.insert(name.clone(), both);
        }
        covers
    }

    /// The cubes of a label; `None` if there are too many.
    pub(crate) fn of(&mut self, label: &Label) -> Option<Vec<Cube>> {
        self.polarity(label, true)
    }

    fn polarity(&mut self, label: &Label, polarity: bool) -> Option<Vec<Cube>> {
        let items = label.items();
        let operands = label.operands();
        // Whether each part is needed as it is, or negated.
        let mut positive = vec![polarity; items.len()];
        for (i, item) in items.iter().enumerate().rev() {
            let (left, right) = operands[i];
            if left != i {
                let own = positive[i] != matches!(item, Item::Not);
                positive[left] = own;
                positive[right] = own;
            }
        }
        let mut parts: Vec<Vec<Cube>> = vec![Vec::new(); items.len()];
        for (i, item) in items.iter().enumerate() {
            let (left, right) = operands[i];
            parts[i] = match item {
                Item::Const(value) if *value == positive[i] => vec![Cube::TRUE],
                Item::Const(_) => Vec::new(),
                Item::Atom(LabelAtom::Ap(ap)) => {
                    let mask = 1u64.checked_shl(*ap)?;
                    let value = if positive[i] { mask } else { 0 };
                    vec![Cube { mask, value }]
                }
                Item::Atom(LabelAtom::Alias(name)) => {
                    let both = self.aliases.get(name)?;
                    let cover = both[usize::from(!positive[i])].clone()?;
                    self.spend(cover.len())?;
                    cover
                }
                Item::Not => std::mem::take(&mut parts[left]),
                Item::And | Item::Or => {
                    let (a, b) = (
                        std::mem::take(&mut parts[left]),
                        std::mem::take(&mut parts[right]),
                    );
                    // A negated conjunction is the disjunction of the negated parts.
                    if matches!(item, Item::And) == positive[i] {
                        self.meet(&a, &b)?
                    } else {
                        self.join(a, b)?
                    }
                }
            };
        }
        parts.pop()
    }

    fn spend(&mut self, work: usize) -> Option<()> {
        self.work_left = self.work_left.checked_sub(work)?;
        Some(())
    }

    fn meet(&mut self, a: &[Cube], b: &[Cube]) -> Option<Vec<Cube>> {
        self.spend(a.len() * b.len())?;
        let pairs = a.iter().flat_map(|x| b.iter().filter_map(|y| x.meet(*y)));
        let cubes = pairs.collect();
        self.absorb(cubes)
    }

    fn join(&mut self, mut a: Vec<Cube>, b: Vec<Cube>) -> Option<Vec<Cube>> {
        if b.len() == 1 && !a.is_empty() {
            // The common case of a long list: only the new cube is compared.
            self.spend(a.len())?;
            if a.iter().any(|x| covers(*x, b[0])) {
                return Some(a);
            }
            a.retain(|x| !covers(b[0], *x));
            a.push(b[0]);
            return (a.len() <= MAX_PARTS).then_some(a);
        }
        a.extend(b);
        self.absorb(a)
    }

    /// Drops cubes that lie inside another one.
    fn absorb(&mut self, mut cubes: Vec<Cube>) -> Option<Vec<Cube>> {
        cubes.sort_unstable_by_key(|cube| (cube.mask.count_ones(), cube.mask, cube.value));
        cubes.dedup();
        let mut kept: Vec<Cube> = Vec::new();
        for cube in cubes {
            self.spend(kept.len())?;
            if !kept.iter().any(|big| covers(*big, cube)) {
                kept.push(cube);
            }
            if kept.len() > MAX_PARTS {
                return None;
            }
        }
        Some(kept)
    }

    /// An equivalent list with fewer cubes: pairs that differ in one literal become one cube.
    pub(crate) fn tidy(&mut self, cubes: Vec<Cube>) -> Option<Vec<Cube>> {
        let mut cubes = self.absorb(cubes)?;
        loop {
            let mut merged = Vec::new();
            self.spend(cubes.len() * cubes.len())?;
            for (i, x) in cubes.iter().enumerate() {
                for y in &cubes[i + 1..] {
                    let difference = x.value ^ y.value;
                    if x.mask == y.mask && difference.is_power_of_two() {
                        merged.push(Cube {
                            mask: x.mask & !difference,
                            value: x.value & !difference,
                        });
                    }
                }
            }
            let before = cubes.len();
            cubes.extend(merged);
            cubes = self.absorb(cubes)?;
            if cubes.len() >= before {
                return Some(cubes);
            }
        }
    }
}

/// The aliases that a label names.
fn aliases_in(label: &Label) -> impl Iterator<Item = &str> {
    label.items().iter().filter_map(|item| match item {
        Item::Atom(LabelAtom::Alias(name)) => Some(name.as_str()),
        _ => None,
    })
}

/// Whether every valuation of `small` is in `big`.
fn covers(big: Cube, small: Cube) -> bool {
    big.mask & !small.mask == 0 && small.value & big.mask == big.value
}

/// A disjunction of `Inf`: the sets, and the sets of which the complement is meant. That is `Inf` of
/// their union, one set of a generalized Büchi condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Clause {
    pub(crate) inside: u64,
    pub(crate) outside: u64,
}

impl Clause {
    fn implies(self, other: Self) -> bool {
        self.inside & !other.inside == 0 && self.outside & !other.outside == 0
    }

    /// Whether an edge with these marks is in the set.
    pub(crate) fn has(self, marks: u64) -> bool {
        marks & self.inside != 0 || !marks & self.outside != 0
    }
}

/// The clauses whose conjunction is the condition; `bit` gives the bit of a set. The condition has
/// no `Fin`. `None` if there are too many clauses.
pub(crate) fn clauses(
    condition: &Expression<AccAtom>,
    bit: impl Fn(u32) -> u64,
) -> Option<Vec<Clause>> {
    let mut stack: Vec<Vec<Clause>> = Vec::new();
    for item in condition.items() {
        let next = match item {
            Item::Const(true) => Vec::new(),
            Item::Const(false) => vec![Clause::default()],
            Item::Atom(atom) => {
                let set = bit(atom.set);
                let (inside, outside) = if atom.complement { (0, set) } else { (set, 0) };
                vec![Clause { inside, outside }]
            }
            Item::Not => return None,
            Item::And | Item::Or => {
                let b = stack.pop()?;
                let mut a = stack.pop()?;
                if matches!(item, Item::And) {
                    a.extend(b);
                } else {
                    let both = |x: &Clause, y: &Clause| Clause {
                        inside: x.inside | y.inside,
                        outside: x.outside | y.outside,
                    };
                    let pairs = a.iter().flat_map(|x| b.iter().map(move |y| both(x, y)));
                    a = pairs.collect();
                }
                weakest_dropped(a)
            }
        };
        if next.len() > 256 {
            return None;
        }
        stack.push(next);
    }
    stack.pop()
}

/// Drops clauses that another one implies.
fn weakest_dropped(mut clauses: Vec<Clause>) -> Vec<Clause> {
    clauses.sort_unstable_by_key(|c| c.inside.count_ones() + c.outside.count_ones());
    let mut kept: Vec<Clause> = Vec::new();
    for clause in clauses {
        if !kept.iter().any(|strong| strong.implies(clause)) {
            kept.push(clause);
        }
    }
    kept.sort_unstable();
    kept
}
