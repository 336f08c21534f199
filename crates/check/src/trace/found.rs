//! The words that are left, as the tests of counterexamples want them.

use super::left::Left;
use super::words::LetterId;
use super::world::World;
use crate::acceptance::{Mark, MarkSetId};
use crate::explored::Taken;
use crate::graph::{GraphLasso, GraphPath, NodeId, component_of};
use crate::product::PlaceId;
use crate::rank::InnerArc;
use crate::respond::Found;
use crate::search::{Reach, one_per_part};
use crate::session::Halt;
use lariat_base::{FxHashSet, Id as _};
use lariat_expr::TermId;

/// The most parts of the graph of which a lasso is returned.
const MAX_PARTS: usize = 8;

/// Some accepting words; none only if there are none.
pub(super) fn search(
    left: &mut Left<World<'_, '_>>,
    looks_at_components: bool,
) -> Result<Vec<Found>, Halt> {
    let budget = left.world.session.budget.clone();
    let found = if left.world.product.seeks_lassos() {
        one_per_part(left, MAX_PARTS, &budget).map(|fair| {
            let lassos = fair.lassos.iter();
            let found = lassos.map(|(lasso, without)| {
                let without = looks_at_components.then_some(*without);
                lasso_of(left, lasso, without)
            });
            let found: Vec<Found> = found.collect();
            left.settle(|node| fair.is_dead(node));
            found
        })
    } else {
        let path = Reach::Bfs.search(left, &budget);
        path.map(|path| path.iter().map(|path| path_of(left, path)).collect())
    };
    match (found, left.failure.take()) {
        (Ok(found), None) => Ok(found),
        (Err(stop), None) => Err(stop.into()),
        (_, Some(halt)) => Err(halt),
    }
}

fn path_of(left: &Left<World<'_, '_>>, path: &GraphPath) -> Found {
    let words = format!(
        "a path of {} steps to {}",
        path.hops.len() + 1,
        describe(left, end_of(path))
    );
    found(left, left.path(path), Vec::new(), words)
}

fn lasso_of(
    left: &mut Left<World<'_, '_>>,
    lasso: &GraphLasso,
    without: Option<MarkSetId>,
) -> Found {
    let words = format!(
        "a lasso with a stem of {} and a loop of {} steps at {}",
        lasso.stem.hops.len() + 1,
        lasso.cycle.len(),
        describe(left, end_of(&lasso.stem))
    );
    let (stem, cycle) = (left.path(&lasso.stem), left.hops(&lasso.cycle));
    let component = without.map_or_else(Vec::new, |without| inner_arcs(left, lasso, without));
    Found {
        component,
        ..found(left, stem, cycle, words)
    }
}

fn found(
    left: &Left<World<'_, '_>>,
    stem: Vec<(Option<NodeId>, LetterId)>,
    cycle: Vec<(Option<NodeId>, LetterId)>,
    words: String,
) -> Found {
    let (mut sources, mut premises) = (Vec::new(), Vec::new());
    let mut steps = |letters: Vec<(Option<NodeId>, LetterId)>| -> Vec<Taken> {
        let mut taken = Vec::new();
        for (source, letter) in letters {
            for step in left.world.letter(letter).taken() {
                sources.push(source);
                // The reader reads between two states.
                let source = source.filter(|_| step.model_edge.is_some());
                premises.push(left.known(source));
                taken.push(step);
            }
        }
        taken
    };
    let (stem, cycle) = (steps(stem), steps(cycle));
    Found {
        stem,
        cycle,
        sources,
        premises,
        component: Vec::new(),
        is_stale: false,
        words,
    }
}

/// The arcs of the component in which a lasso's loop runs, by arcs without some marks.
fn inner_arcs(
    left: &mut Left<World<'_, '_>>,
    lasso: &GraphLasso,
    without: MarkSetId,
) -> Vec<InnerArc> {
    let is_inside = |left: &mut Left<World<'_, '_>>, marks: MarkSetId| {
        !left.world.product.mark_sets().intersect(marks, without)
    };
    let members = component_of(lasso.cycle[0].from, |from, out| {
        for one in left.explored(Some(from)).to_vec() {
            if is_inside(left, one.arc.marks) {
                out.push(one.arc.target);
            }
        }
    });
    let hops = lasso.cycle.iter().map(|hop| (hop.from, hop.index));
    let on_loop: FxHashSet<(NodeId, usize)> = hops.collect();
    let marks = left.world.product.acceptance().buchi().iter().take(64);
    let marks: Vec<Mark> = marks.copied().collect();
    let mut inner = Vec::new();
    for &from in &members {
        let premise: TermId = left.known(Some(from));
        for (index, one) in left.explored(Some(from)).to_vec().into_iter().enumerate() {
            let is_member = members.binary_search(&one.arc.target).is_ok();
            if !is_member || !is_inside(left, one.arc.marks) {
                continue;
            }
            let letter = left.world.letter(one.letter);
            let (before, after) = left.world.locations(one.letter);
            let all_sets = left.world.product.mark_sets();
            let sets = marks.iter().enumerate().fold(0, |sets, (i, &mark)| {
                sets | u64::from(all_sets.contains(one.arc.marks, mark)) << i
            });
            inner.push(InnerArc {
                sets,
                premise,
                stmt: letter.step.stmt,
                reading: letter.reading.map(|reading| reading.stmt),
                from: before.expect("no loop takes what starts runs"),
                to: after,
                on_loop: on_loop.contains(&(from, index)),
            });
        }
    }
    inner
}

fn describe(left: &Left<World<'_, '_>>, node: NodeId) -> String {
    let place = PlaceId::from_index(left.place(node));
    left.world.product.place_name(place)
}

fn end_of(path: &GraphPath) -> NodeId {
    path.hops.last().map_or(path.start, |hop| hop.to)
}
