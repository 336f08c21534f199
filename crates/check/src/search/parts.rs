//! Explores everything and returns one lasso for each fair part.
//!
//! What refinement learns from one lasso of a fair part it would mostly learn from the others, too, so one each is
//! enough; but all parts must be looked at, since refining one of them may go on forever while another has a real
//! lasso. The smallest parts come first: their lassos are the easiest to test.

use super::cycle::{Region, accepting_cycle};
use super::streett::fair_parts;
use super::whole::Whole;
use crate::{Graph, GraphLasso, MarkSetId, NodeId};
use lariat_base::{Budget, FxHashSet, Stop};

/// What was found.
pub(crate) struct FairLassos {
    /// Accepting lassos, each with the marks that the arcs of its part do not have. None only if there are none.
    pub lassos: Vec<(GraphLasso, MarkSetId)>,
    whole: Whole,
    /// The positions from which a fair part can be reached.
    live: FxHashSet<usize>,
}

impl FairLassos {
    /// Whether no accepting lasso can be reached from a node.
    pub fn is_dead(&self, node: NodeId) -> bool {
        let position = self.whole.position(node);
        position.is_some_and(|at| !self.live.contains(&at))
    }
}

/// One lasso for each of the smallest `limit` fair parts.
pub(crate) fn one_per_part(
    graph: &mut dyn Graph,
    limit: usize,
    budget: &Budget,
) -> Result<FairLassos, Stop> {
    let whole = Whole::explore(graph, budget)?;
    let acceptance = graph.acceptance().clone();
    let mut parts = fair_parts(whole.arcs(), &acceptance, graph.mark_sets());
    let mut live: FxHashSet<usize> = FxHashSet::default();
    let mut todo: Vec<usize> = parts.iter().flat_map(|part| part.members.clone()).collect();
    while let Some(at) = todo.pop() {
        if live.insert(at) {
            todo.extend(whole.before(at));
        }
    }
    parts.sort_by_key(|part| (part.members.len(), part.members[0]));
    let mut lassos = Vec::new();
    for part in parts.iter().take(limit) {
        let region = Region {
            has: &|node| whole.position(node).is_some_and(|at| part.has(at)),
            without: part.without,
        };
        // The first member is the one that is nearest to the start.
        let honda = part.members[0];
        let cycle = accepting_cycle(graph, whole.node(honda), region, budget)?
            .expect("a fair part has an accepting cycle through each node");
        let stem = whole.shortest(honda);
        lassos.push((GraphLasso { stem, cycle }, part.without));
    }
    Ok(FairLassos {
        lassos,
        whole,
        live,
    })
}
