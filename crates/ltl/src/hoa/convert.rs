//! From HOA's data to our own automaton and back.
//!
//! Any condition without `Fin` is a generalized Büchi condition: in conjunctive form each clause
//! `Inf(a) | Inf(b)` is `Inf` of a union. With `Fin` the automaton is rejected, as is alternation.
//! Several initial states become one new state with the edges of all; none gives the empty language.

use std::collections::BTreeMap;
use std::fmt;

use lariat_base::{FxHashMap, Id};

use super::cover::{Clause, Covers, clauses};
use super::expression::{AccAtom, Expression, Item, LabelAtom};
use super::{HoaAutomaton, HoaEdge, HoaState, Label};
use crate::automaton::{Acceptance, Automaton, AutomatonBuilder, Cube, StateId};
use crate::formula::Formulas;

/// Why a well-formed automaton cannot be used as a Büchi automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HoaError {
    /// The condition has `Fin`: the whole condition and its name.
    NotBuchi(String),
    /// An edge or a start leads to several states at once.
    Alternating,
    /// More than 64 propositions.
    TooManyAtoms(usize),
    /// More than 64 acceptance sets.
    TooManySets,
    /// A label is too large as a disjunction of conjunctions.
    LabelTooLarge,
}

impl fmt::Display for HoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBuchi(condition) => write!(
                f,
                "the acceptance condition {condition} is not a Büchi condition: it has `Fin`"
            ),
            Self::Alternating => f.write_str(
                "the automaton is alternating: an edge or a start joins states with `&`",
            ),
            Self::TooManyAtoms(n) => {
                write!(
                    f,
                    "the automaton has {n} propositions; at most 64 are supported"
                )
            }
            Self::TooManySets => {
                f.write_str("the acceptance condition needs more than 64 Büchi sets")
            }
            Self::LabelTooLarge => {
                f.write_str("a label is too large when written as a disjunction of conjunctions")
            }
        }
    }
}

impl std::error::Error for HoaError {}

impl HoaAutomaton {
    /// The automaton as a (generalized) Büchi automaton, or why it is none. Its propositions become
    /// atoms of `formulas`.
    pub fn to_buchi(&self, formulas: &mut Formulas) -> Result<Automaton, HoaError> {
        if self.aps.len() > 64 {
            return Err(HoaError::TooManyAtoms(self.aps.len()));
        }
        let edges = self.states.iter().flat_map(|state| &state.edges);
        let mut ends = edges.map(|edge| &edge.targets).chain(&self.starts);
        if ends.any(|states| states.len() > 1) {
            return Err(HoaError::Alternating);
        }
        let condition = self.generalized_buchi()?;
        let mut covers = Covers::new(self);
        let mut rows: Vec<(u32, Vec<Row>)> = Vec::new();
        for state in &self.states {
            rows.push((state.id, self.rows(state, &condition, &mut covers)?));
        }
        let n_sets = condition.clauses.len() as u32;
        let state_based = rows
            .iter()
            .all(|(_, row)| row.windows(2).all(|w| w[0].1 == w[1].1));
        let acceptance = match n_sets {
            1 if state_based => Acceptance::StateBuchi,
            1 => Acceptance::Buchi,
            _ => Acceptance::Generalized,
        };
        let aps = self.aps.iter().map(|name| formulas.ap_id(name)).collect();
        let mut builder = AutomatonBuilder::new(aps, acceptance, n_sets);
        self.add_states(&rows, &mut covers, &mut builder)?;
        Ok(builder.finish())
    }

    /// The condition as clauses over the sets it speaks of.
    fn generalized_buchi(&self) -> Result<Condition, HoaError> {
        let mut bits: FxHashMap<u32, u32> = FxHashMap::default();
        for item in self.acceptance.items() {
            let Item::Atom(atom) = item else { continue };
            if atom.fin {
                let name = self.acc_name.join(" ");
                return Err(HoaError::NotBuchi(match name.as_str() {
                    "" => format!("`{}`", self.acceptance),
                    name => format!("`{}` ({name})", self.acceptance),
                }));
            }
            let next = bits.len() as u32;
            bits.entry(atom.set).or_insert(next);
        }
        if bits.len() > 64 {
            return Err(HoaError::TooManySets);
        }
        let clauses = clauses(&self.acceptance, |set| 1 << bits[&set])
            .filter(|clauses| clauses.len() <= 64)
            .ok_or(HoaError::TooManySets)?;
        Ok(Condition { bits, clauses })
    }

    /// The edges of a state, those with equal ends and marks in one.
    fn rows(
        &self,
        state: &HoaState,
        condition: &Condition,
        covers: &mut Covers,
    ) -> Result<Vec<Row>, HoaError> {
        let too_large = || HoaError::LabelTooLarge;
        let shared = match &state.label {
            Some(label) => Some(covers.of(label).ok_or_else(too_large)?),
            None => None,
        };
        let full = (1u128 << self.aps.len()) - 1;
        let mut rows: Vec<Row> = Vec::new();
        let mut known: FxHashMap<(u32, u64), usize> = FxHashMap::default();
        for (i, edge) in state.edges.iter().enumerate() {
            let cubes = match (&edge.label, &shared) {
                (Some(label), _) => covers.of(label).ok_or_else(too_large)?,
                (None, Some(cubes)) => cubes.clone(),
                (None, None) => vec![Cube {
                    mask: full as u64,
                    value: i as u64,
                }],
            };
            let marks = condition.marks(&state.marks, &edge.marks);
            let target = edge.targets[0];
            let at = *known.entry((target, marks)).or_insert(rows.len());
            match rows.get_mut(at) {
                Some(row) => row.2.extend(cubes),
                None => rows.push((target, marks, cubes)),
            }
        }
        for row in &mut rows {
            row.2 = covers
                .tidy(std::mem::take(&mut row.2))
                .ok_or_else(too_large)?;
        }
        rows.retain(|row| !row.2.is_empty());
        Ok(rows)
    }

    /// Adds the states and edges; states are numbered as in the text, without those never named.
    fn add_states(
        &self,
        rows: &[(u32, Vec<Row>)],
        covers: &mut Covers,
        builder: &mut AutomatonBuilder,
    ) -> Result<(), HoaError> {
        let named = rows.iter().flat_map(|(id, row)| {
            let targets = row.iter().map(|row| row.0);
            std::iter::once(*id).chain(targets)
        });
        let mut ids: Vec<u32> = named.chain(self.starts.iter().map(|s| s[0])).collect();
        ids.sort_unstable();
        ids.dedup();
        let states: FxHashMap<u32, StateId> =
            ids.iter().map(|&id| (id, builder.add_state())).collect();
        for (id, row) in rows {
            for (target, marks, cubes) in row {
                builder.add_edge(states[id], cubes.clone(), *marks, states[target]);
            }
        }
        match self.starts.as_slice() {
            [start] => builder.set_initial(states[&start[0]]),
            starts => {
                let initial = builder.add_state();
                builder.set_initial(initial);
                // The new state is left at once, so its edges need no marks.
                let mut targets: BTreeMap<StateId, Vec<Cube>> = BTreeMap::new();
                for (id, row) in rows {
                    if starts.iter().any(|start| start[0] == *id) {
                        for (target, _, cubes) in row {
                            let all = targets.entry(states[target]).or_default();
                            all.extend_from_slice(cubes);
                        }
                    }
                }
                for (target, cubes) in targets {
                    let cubes = covers.tidy(cubes).ok_or(HoaError::LabelTooLarge)?;
                    builder.add_edge(initial, cubes, 0, target);
                }
            }
        }
        Ok(())
    }

    /// The data of an automaton; `name` is usually its formula.
    pub fn from_buchi(automaton: &Automaton, formulas: &Formulas, name: Option<String>) -> Self {
        let n_sets = automaton.n_sets();
        let state_based = automaton.acceptance() == Acceptance::StateBuchi || n_sets == 0;
        let sets = |marks: u64| {
            (0..n_sets)
                .filter(|i| marks >> i & 1 == 1)
                .collect::<Vec<_>>()
        };
        let mut states = Vec::new();
        for state in automaton.states() {
            let edges = automaton.edges(state).iter().map(|edge| HoaEdge {
                label: Some(label(automaton.cubes(edge.label))),
                targets: vec![edge.target.index() as u32],
                marks: if state_based {
                    Vec::new()
                } else {
                    sets(edge.marks)
                },
            });
            let accepting = state_based && automaton.is_accepting_state(state);
            states.push(HoaState {
                id: state.index() as u32,
                label: None,
                name: None,
                marks: if accepting {
                    sets(automaton.all_marks())
                } else {
                    Vec::new()
                },
                edges: edges.collect(),
            });
        }
        let acc_name = match n_sets {
            0 => vec!["all".to_owned()],
            1 => vec!["Buchi".to_owned()],
            n => vec!["generalized-Buchi".to_owned(), n.to_string()],
        };
        let inf = |set| {
            Expression::atom(AccAtom {
                fin: false,
                complement: false,
                set,
            })
        };
        let mut properties = vec!["trans-labels", "explicit-labels"];
        properties.push(if state_based {
            "state-acc"
        } else {
            "trans-acc"
        });
        if automaton.is_deterministic() {
            properties.push("deterministic");
        }
        Self {
            version: "v1".to_owned(),
            name,
            tool: Some((
                "lariat".to_owned(),
                Some(env!("CARGO_PKG_VERSION").to_owned()),
            )),
            n_states: Some(automaton.n_states() as u32),
            starts: vec![vec![automaton.initial().index() as u32]],
            aps: automaton
                .aps()
                .iter()
                .map(|&ap| formulas.ap_name(ap).to_owned())
                .collect(),
            aliases: Vec::new(),
            acc_name,
            n_sets,
            acceptance: Expression::all((0..n_sets).map(inf)),
            properties: properties.into_iter().map(str::to_owned).collect(),
            other_headers: Vec::new(),
            states,
        }
    }
}

/// A target, marks, and the cubes of a label.
type Row = (u32, u64, Vec<Cube>);

/// An acceptance condition without `Fin`.
struct Condition {
    /// The bit of each set that the condition speaks of.
    bits: FxHashMap<u32, u32>,
    clauses: Vec<Clause>,
}

impl Condition {
    /// Our marks of an edge: bit `i` if it is in the set of clause `i`.
    fn marks(&self, state: &[u32], edge: &[u32]) -> u64 {
        let bits = state
            .iter()
            .chain(edge)
            .filter_map(|set| self.bits.get(set));
        let marks = bits.fold(0u64, |marks, bit| marks | 1 << bit);
        let each = self.clauses.iter().enumerate();
        each.fold(0, |out, (i, clause)| {
            out | u64::from(clause.has(marks)) << i
        })
    }
}

/// The disjunction of cubes as a label.
fn label(cubes: &[Cube]) -> Label {
    let conjunction = |cube: &Cube| {
        let literals = (0..64).filter(|i| cube.mask >> i & 1 == 1).map(|i| {
            let atom = Expression::atom(LabelAtom::Ap(i));
            if cube.value >> i & 1 == 1 {
                atom
            } else {
                atom.negate()
            }
        });
        Expression::all(literals)
    };
    Expression::any(cubes.iter().map(conjunction))
}
