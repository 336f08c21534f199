//! Ranking: arguments that a lasso of the abstraction cannot be repeated forever.
//!
//! A *measure* (`measure.rs`) is part of the precision. Every step is split by what it does to the measures in force
//! (`cases.rs`), each level is a Streett pair of the abstract state graph, and a component in which a level decreases
//! and never increases has no accepting cycle. One measure excludes every lasso that it argues about, in all contexts.
//! Measures are found for the component in which a lasso runs (`component.rs`): among what its guards suggest
//! (`candidates.rs`), then among all linear terms (`levels.rs`).

mod bits;
mod candidates;
mod cases;
mod cells;
mod component;
mod farkas;
mod invariants;
mod levels;
mod linear;
mod measure;
mod phases;
mod polyhedra;
mod purify;
mod repeat;

use candidates::Suggestion;
pub(crate) use cases::{Added, Case, Ranks, put_in};
pub(crate) use component::InnerArc;
pub(crate) use invariants::Invariants;
use levels::LinearMeasures;
pub(crate) use linear::{Linear, is_number, rat};
pub use measure::{Change, Level, Measure};
pub(crate) use measure::{descends, number};
pub(crate) use purify::Purifier;
pub(crate) use repeat::can_repeat;

use crate::domain::Learned;
use crate::session::{Halt, Session};
use component::Move;
use lariat_expr::{Head, Op, TermId, Terms};
use lariat_system::PointId;

/// Which arguments are looked for that a loop cannot be repeated forever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Ranking {
    /// None.
    Off,
    /// Terms that guards and assignments suggest.
    Guards,
    /// Also linear terms, by linear programming.
    #[default]
    Linear,
}

impl Ranking {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Off, Self::Guards, Self::Linear];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Guards => "guards",
            Self::Linear => "linear",
        }
    }
}

/// Components with more arcs are judged by the loop alone.
const MAX_ARCS: usize = 300;

/// Moves with more disjunctions and conditionals have many cases.
const MANY_CHOICES: usize = 48;

/// A component's moves.
pub(crate) struct Component {
    moves: Vec<Move>,
}

impl Component {
    /// The moves along some arcs.
    pub fn new(session: &mut Session, arcs: &[InnerArc]) -> Result<Self, Halt> {
        let on_loop: Vec<InnerArc>;
        let arcs = if arcs.len() > MAX_ARCS {
            on_loop = arcs.iter().filter(|arc| arc.on_loop).copied().collect();
            &on_loop
        } else {
            arcs
        };
        let moves = component::moves(session, arcs)?;
        Ok(Self { moves })
    }

    /// Whether its moves have so many cases that linear programming is rather for later.
    pub fn has_many_cases(&self, session: &Session) -> bool {
        let n_cases = |one: &Move| one.n_choices(&session.cx.terms);
        self.moves.iter().map(n_cases).sum::<usize>() > MANY_CHOICES
    }

    /// A measure that is not in force, among what guards and assignments suggest.
    pub fn candidate(
        &self,
        session: &mut Session,
        ranks: &Ranks,
    ) -> Result<Option<Suggestion>, Halt> {
        let is_new = |measure: &Measure| !ranks.knows(measure);
        candidates::best(session, &self.moves, &is_new)
    }

    /// Measures by linear programming that are not in force.
    pub fn linear(&self, session: &mut Session, ranks: &Ranks) -> Result<LinearMeasures, Halt> {
        let is_new = |measure: &Measure| !ranks.knows(measure);
        levels::linear(session, &self.moves, &is_new)
    }

    /// A measure by linear programming that excludes every accepting cycle because of what is always true, with those
    /// invariants that it needs.
    pub fn supported(
        &self,
        session: &mut Session,
        invariants: &Invariants,
    ) -> Result<Option<(Measure, Vec<Learned>)>, Halt> {
        let supports = |one: &Move| {
            let all = invariants.at(one.from).iter().copied();
            all.filter(|term| !one.guard.contains(term)).collect()
        };
        let supported = |one: &Move| one.supported(supports(one));
        let mut moves: Vec<Move> = self.moves.iter().map(supported).collect();
        if moves.iter().all(|one| one.support.is_empty()) {
            return Ok(None);
        }
        let Some(measure) = levels::linear(session, &moves, &|_| true)?.complete else {
            return Ok(None);
        };
        let mut used: Vec<(PointId, TermId)> = moves
            .iter()
            .flat_map(|one| one.support.iter().map(|&term| (one.from, term)))
            .collect();
        used.sort_unstable();
        used.dedup();
        for (at, term) in std::mem::take(&mut used) {
            let fewer: Vec<Move> = moves
                .iter()
                .map(|one| {
                    let support = one.support.iter().copied();
                    let is_left = |other: &TermId| (one.from, *other) != (at, term);
                    one.supported(support.filter(is_left).collect())
                })
                .collect();
            if levels::descends(session, &fewer, &measure)? {
                moves = fewer;
            } else {
                used.push((at, term));
            }
        }
        let support = invariants.with_support(session, used)?;
        Ok(Some((measure, support)))
    }

    /// A measure by linear programming that argues about the loop and nothing else of the component.
    pub fn linear_of_loop(
        &self,
        session: &mut Session,
        ranks: &Ranks,
    ) -> Result<Option<Measure>, Halt> {
        let is_new = |measure: &Measure| !ranks.knows(measure);
        let on_loop = self.moves.iter().filter(|one| one.on_loop);
        let on_loop: Vec<Move> = on_loop.cloned().collect();
        if on_loop.len() == self.moves.len() {
            return Ok(None);
        }
        let found = levels::linear(session, &on_loop, &is_new)?;
        Ok(found.complete.or(found.partial))
    }

    /// Terms of the loop that are not linear: no linear measure speaks of them.
    pub fn not_linear(&self, terms: &Terms) -> Vec<TermId> {
        let on_loop = self.moves.iter().filter(|one| one.on_loop);
        let roots: Vec<TermId> = on_loop.flat_map(Move::roots).collect();
        not_linear(terms, &roots)
    }

    /// What tells the phases of the loop apart.
    pub fn phases(&self, session: &mut Session) -> Result<Vec<Learned>, Halt> {
        phases::phases(session, &self.moves)
    }
}

/// The products and quotients of variables in some terms.
pub(crate) fn not_linear(terms: &Terms, roots: &[TermId]) -> Vec<TermId> {
    let is_open = |&&arg: &&TermId| terms.as_lit(arg).is_none();
    let is_not_linear = |term: &TermId| match terms.head(*term) {
        Head::Op(Op::Mul, args) => args.iter().filter(is_open).count() > 1,
        Head::Op(Op::Div | Op::Mod | Op::Rem | Op::RatDiv, args) => {
            args[1..].iter().any(|arg| is_open(&arg))
        }
        _ => false,
    };
    let mut found = terms.subterms(roots);
    found.retain(is_not_linear);
    found
}

#[cfg(test)]
pub(crate) mod tests;
