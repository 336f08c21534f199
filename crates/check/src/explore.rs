//! One exploration of the abstract product: what a search finds in it, as steps of the product.

use crate::abstraction::AbstractGraph;
use crate::cegar::CegarConfig;
use crate::domain::Domain;
use crate::explored::{Source, Taken};
use crate::graph::{GraphLasso, GraphPath};
use crate::respond::Found;
use crate::search::{Cutoff, Full, Lassos, Search, shorten};
use lariat_base::Stop;

/// What one exploration found.
pub(crate) struct AllFound {
    pub all: Vec<Found>,
    /// Why there may be more, if there may.
    cut: Option<Cutoff>,
}

impl AllFound {
    /// What was found, in words.
    pub fn describe(&self) -> String {
        let more = self.cut.map_or_else(String::new, |cut| format!(" ({cut})"));
        match &self.all[..] {
            [] => "no counterexample in the abstraction".into(),
            [one] => format!("{}{more}", one.words),
            [first, ..] => format!(
                "{} lassos{more}, the first: {}",
                self.all.len(),
                first.words
            ),
        }
    }
}

/// Searches the abstraction under the present precision; nothing found means that there is nothing.
pub(crate) fn explore<D: Domain>(
    graph: &mut AbstractGraph<'_, '_, '_, D>,
    config: &CegarConfig,
) -> Result<AllFound, Stop> {
    if !graph.seeks_lassos() {
        return find_path(graph, config.reach);
    }
    match config.search {
        Search::Full => find_lassos(graph, config.max_counterexamples),
        search => find_lasso(graph, search),
    }
}

fn find_path<D: Domain>(
    graph: &mut AbstractGraph<'_, '_, '_, D>,
    search: Search,
) -> Result<AllFound, Stop> {
    let budget = graph.session.budget.clone();
    let search = search
        .reach()
        .expect("the settings name a search for goals");
    let path = search.search(graph, &budget)?;
    Ok(AllFound {
        all: path.iter().map(|path| found_path(graph, path)).collect(),
        cut: None,
    })
}

fn find_lasso<D: Domain>(
    graph: &mut AbstractGraph<'_, '_, '_, D>,
    search: Search,
) -> Result<AllFound, Stop> {
    let budget = graph.session.budget.clone();
    let search = search.emptiness();
    let mut search = search.expect("the settings name a search for lassos");
    let mut all = Vec::new();
    if let Some(lasso) = search.search(graph, &budget)? {
        let is_explored = |node| search.is_explored(node);
        let lasso = shorten(graph, lasso, &is_explored, &budget)?;
        all.push(found_lasso(graph, &lasso));
    }
    graph.settle(|node| search.is_dead(node));
    Ok(AllFound { all, cut: None })
}

fn find_lassos<D: Domain>(
    graph: &mut AbstractGraph<'_, '_, '_, D>,
    limit: usize,
) -> Result<AllFound, Stop> {
    let budget = graph.session.budget.clone();
    let Lassos { lassos, cut } = Full::new().all(graph, limit, &budget)?;
    let all = lassos.iter().map(|lasso| found_lasso(graph, lasso));
    Ok(AllFound {
        all: all.collect(),
        cut,
    })
}

fn found_path<D: Domain>(graph: &AbstractGraph<'_, '_, '_, D>, path: &GraphPath) -> Found {
    let words = format!(
        "a path of {} steps to {}",
        path.hops.len() + 1,
        graph.describe(end_of(path))
    );
    found(graph, graph.path(path), Vec::new(), words)
}

fn found_lasso<D: Domain>(graph: &AbstractGraph<'_, '_, '_, D>, lasso: &GraphLasso) -> Found {
    let honda = end_of(&lasso.stem);
    let words = format!(
        "a lasso with a stem of {} and a loop of {} steps at {}",
        lasso.stem.hops.len() + 1,
        lasso.cycle.len(),
        graph.describe(honda)
    );
    found(
        graph,
        graph.path(&lasso.stem),
        graph.hops(&lasso.cycle),
        words,
    )
}

fn found<D: Domain>(
    graph: &AbstractGraph<'_, '_, '_, D>,
    stem: Vec<(Source, Taken)>,
    cycle: Vec<(Source, Taken)>,
    words: String,
) -> Found {
    let sources: Vec<Source> = stem.iter().chain(&cycle).map(|step| step.0).collect();
    Found {
        is_stale: sources.iter().any(|&source| graph.is_stale(source)),
        stem: stem.into_iter().map(|step| step.1).collect(),
        cycle: cycle.into_iter().map(|step| step.1).collect(),
        sources,
        words,
    }
}

fn end_of(path: &GraphPath) -> crate::NodeId {
    path.hops.last().map_or(path.start, |hop| hop.to)
}
