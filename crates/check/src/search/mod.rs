//! Searches: is there an accepting lasso, is there a path to a goal?
//!
//! A search sees only a [`Graph`]. Each technique has its own file; all are iterative, visit nodes
//! in an order that the graph alone fixes, and answer "none" only after everything that can be
//! reached was expanded. They differ in order, memory and the lassos they find first:
//!
//! | search | memory per node | finds a lasso | Streett pairs |
//! |---|---|---|---|
//! | [`Scc`] | a number, and more while its component is open | as soon as the explored part has one | yes; may explore a component whole first |
//! | [`Ndfs`] | one byte per node and acceptance set | after a second search from an accepting arc | no |
//! | [`Gdfs`] | as `Scc` and a hint | as `Scc`, in an order that leads back to the stack | no |
//! | [`Layers`] | its arcs | among what is near the start, before anything else is explored | yes |
//! | [`Full`] | everything: nodes, arcs, parents | many at once, after exploring all | yes |
//! | [`Reach`] | a parent (`bfs`, `err-dist`) or a bit (`dfs`) | looks for a goal, not a lasso | |

mod cycle;
mod err_dist;
mod full;
mod gdfs;
mod layers;
mod ndfs;
mod pages;
mod parts;
mod reach;
mod repeated;
mod scc;
mod shorten;
mod stack;
mod streett;
#[cfg(test)]
mod tests;
mod whole;

pub use full::{Cutoff, Full, Lassos};
pub use gdfs::Gdfs;
pub use layers::Layers;
pub use ndfs::Ndfs;
pub(crate) use pages::Pages;
pub(crate) use parts::one_per_part;
pub use reach::Reach;
pub use scc::Scc;
pub use shorten::shorten;
pub(crate) use streett::fair_parts;

use crate::{Acceptance, Graph, GraphLasso, NodeId, Unsupported};
use lariat_base::{Budget, Stop};
use std::fmt;
use std::str::FromStr;

/// Looks for an accepting lasso.
pub trait EmptinessCheck {
    /// Whether it can search graphs with this acceptance condition; if not, why.
    fn supports(&self, acceptance: &Acceptance) -> Result<(), Unsupported>;

    /// An accepting lasso of `graph`, or none if there is none. Starts afresh at every call. The search must
    /// [support](Self::supports) the acceptance condition of the graph.
    fn search(
        &mut self,
        graph: &mut dyn Graph,
        budget: &Budget,
    ) -> Result<Option<GraphLasso>, Stop>;

    /// Whether the last search asked for the successors of `node`.
    fn is_explored(&self, node: NodeId) -> bool;

    /// Whether the last search found out that no accepting lasso can be reached from `node`, even if it
    /// found one elsewhere. A search that cannot tell says no.
    fn is_dead(&self, _node: NodeId) -> bool {
        false
    }
}

/// A search by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Search {
    /// Strongly connected components on the fly.
    Scc,
    /// Nested depth-first search.
    Ndfs,
    /// Depth-first search guided to hondas.
    Gdfs,
    /// Breadth first, with looks for lassos in between.
    Layers,
    /// Everything, and many lassos at once.
    Full,
    /// Breadth first, to a goal.
    Bfs,
    /// Depth first, to a goal.
    Dfs,
    /// Nearest to the goal first.
    ErrDist,
}

impl Search {
    /// All searches.
    pub const ALL: [Self; 8] = [
        Self::Scc,
        Self::Ndfs,
        Self::Gdfs,
        Self::Layers,
        Self::Full,
        Self::Bfs,
        Self::Dfs,
        Self::ErrDist,
    ];
    /// Those that look for lassos.
    pub const LASSO: [Self; 5] = [Self::Scc, Self::Ndfs, Self::Gdfs, Self::Layers, Self::Full];
    /// Those that look for goals.
    pub const REACH: [Self; 3] = [Self::Bfs, Self::Dfs, Self::ErrDist];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scc => "scc",
            Self::Ndfs => "ndfs",
            Self::Gdfs => "gdfs",
            Self::Layers => "layers",
            Self::Full => "full",
            Self::Bfs => "bfs",
            Self::Dfs => "dfs",
            Self::ErrDist => "err-dist",
        }
    }

    /// The search for lassos of this name; none if it looks for goals.
    pub fn emptiness(self) -> Option<Box<dyn EmptinessCheck>> {
        match self {
            Self::Scc => Some(Box::new(Scc::new())),
            Self::Ndfs => Some(Box::new(Ndfs::new())),
            Self::Gdfs => Some(Box::new(Gdfs::new())),
            Self::Layers => Some(Box::new(Layers::new())),
            Self::Full => Some(Box::new(Full::new())),
            Self::Bfs | Self::Dfs | Self::ErrDist => None,
        }
    }

    /// The search for goals of this name; none if it looks for lassos.
    pub fn reach(self) -> Option<Reach> {
        match self {
            Self::Bfs => Some(Reach::Bfs),
            Self::Dfs => Some(Reach::Dfs),
            Self::ErrDist => Some(Reach::ErrDist),
            Self::Scc | Self::Ndfs | Self::Gdfs | Self::Layers | Self::Full => None,
        }
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Search {
    type Err = UnknownSearch;

    fn from_str(text: &str) -> Result<Self, UnknownSearch> {
        Self::ALL
            .into_iter()
            .find(|search| search.name().eq_ignore_ascii_case(text))
            .ok_or(UnknownSearch)
    }
}

/// The name of no search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownSearch;

impl fmt::Display for UnknownSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("searches are called scc, ndfs, gdfs, layers, full, bfs, dfs and err-dist")
    }
}

impl std::error::Error for UnknownSearch {}

/// What searches without a notion of Streett pairs support.
fn buchi_only(acceptance: &Acceptance) -> Result<(), Unsupported> {
    if acceptance.streett().is_empty() {
        Ok(())
    } else {
        Err(Unsupported::StreettPairs)
    }
}

/// Panics if a search is given what it does not support: it would find lassos that are not accepting.
fn require_support(search: &dyn EmptinessCheck, graph: &dyn Graph) {
    let supported = search.supports(graph.acceptance());
    assert_eq!(supported, Ok(()), "searches are asked what they support");
}

/// Asks the budget now and then.
#[derive(Debug, Default)]
struct Ticker {
    steps: u32,
}

impl Ticker {
    /// How many steps lie between two questions.
    const EVERY: u32 = 512;

    fn tick(&mut self, budget: &Budget) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps < Self::EVERY {
            return Ok(());
        }
        self.steps = 0;
        budget.spend(u64::from(Self::EVERY))
    }
}
