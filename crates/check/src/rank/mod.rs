//! Ranking: arguments that a lasso of the abstraction cannot be repeated forever.
//!
//! A *measure* (`measure.rs`) is part of the precision. Every step is split by what it does to the measures in force
//! (`cases.rs`), each level is a Streett pair of the abstract state graph, and a component in which a level decreases
//! and never increases has no accepting cycle. One measure excludes every lasso that it argues about, in all contexts.
//! Measures are found for the component in which a lasso runs (`component.rs`): among what its guards suggest
//! (`candidates.rs`).

mod candidates;
mod cases;
mod component;
mod measure;

pub(crate) use cases::{Added, Ranks};
pub(crate) use component::InnerArc;
pub use measure::{Change, Level, Measure};

use crate::session::{Halt, Session};

/// Which arguments are looked for that a loop cannot be repeated forever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Ranking {
    /// None.
    Off,
    /// Terms that guards and assignments suggest.
    #[default]
    Guards,
}

impl Ranking {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Off, Self::Guards];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Guards => "guards",
        }
    }
}

/// Components with more arcs are judged by the loop alone.
const MAX_ARCS: usize = 300;

/// A measure that excludes the loop of a component, if one is found.
pub(crate) fn find_measure(
    session: &mut Session,
    ranks: &Ranks,
    arcs: &[InnerArc],
) -> Result<Option<Measure>, Halt> {
    let on_loop: Vec<InnerArc>;
    let arcs = if arcs.len() > MAX_ARCS {
        on_loop = arcs.iter().filter(|arc| arc.on_loop).copied().collect();
        &on_loop
    } else {
        arcs
    };
    let moves = component::moves(session, arcs)?;
    candidates::best(session, &moves, &|measure| !ranks.knows(measure))
}
