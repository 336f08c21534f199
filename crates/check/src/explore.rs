//! One exploration of the abstract product: what a search finds in it, as steps of the product.

use crate::abstraction::AbstractGraph;
use crate::acceptance::MarkSetId;
use crate::cegar::CegarConfig;
use crate::domain::Domain;
use crate::explored::{Source, Taken};
use crate::graph::{GraphLasso, GraphPath};
use crate::rank::Ranking;
use crate::respond::Found;
use crate::search::{Cutoff, Full, Lassos, Search, one_per_part, shorten};
use lariat_base::Stop;

/// The most parts of the graph of which a lasso is returned.
const MAX_PARTS: usize = 8;

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
    let looks_at_components = config.ranking != Ranking::Off;
    match config.search {
        _ if graph.has_measures() => find_fair_lassos(graph),
        Search::Full => find_lassos(graph, config.max_counterexamples, looks_at_components),
        search => find_lasso(graph, search, looks_at_components),
    }
}

/// With measures everything is explored, and each part of the graph that they leave is looked at.
fn find_fair_lassos<D: Domain>(graph: &mut AbstractGraph<'_, '_, '_, D>) -> Result<AllFound, Stop> {
    let budget = graph.session.budget.clone();
    let fair = one_per_part(graph, MAX_PARTS, &budget)?;
    let mut all = Vec::new();
    for (lasso, without) in &fair.lassos {
        all.push(found_lasso(graph, lasso, Some(*without)));
    }
    graph.settle(|node| fair.is_dead(node));
    Ok(AllFound { all, cut: None })
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
    looks_at_components: bool,
) -> Result<AllFound, Stop> {
    let budget = graph.session.budget.clone();
    let search = search.emptiness();
    let mut search = search.expect("the settings name a search for lassos");
    let mut all = Vec::new();
    if let Some(lasso) = search.search(graph, &budget)? {
        let is_explored = |node| search.is_explored(node);
        let lasso = shorten(graph, lasso, &is_explored, &budget)?;
        let without = looks_at_components.then_some(MarkSetId::EMPTY);
        all.push(found_lasso(graph, &lasso, without));
    }
    graph.settle(|node| search.is_dead(node));
    Ok(AllFound { all, cut: None })
}

fn find_lassos<D: Domain>(
    graph: &mut AbstractGraph<'_, '_, '_, D>,
    limit: usize,
    looks_at_components: bool,
) -> Result<AllFound, Stop> {
    let budget = graph.session.budget.clone();
    let Lassos { lassos, cut } = Full::new().all(graph, limit, &budget)?;
    let without = looks_at_components.then_some(MarkSetId::EMPTY);
    let all = lassos
        .iter()
        .map(|lasso| found_lasso(graph, lasso, without))
        .collect();
    Ok(AllFound { all, cut })
}

fn found_path<D: Domain>(graph: &mut AbstractGraph<'_, '_, '_, D>, path: &GraphPath) -> Found {
    let words = format!(
        "a path of {} steps to {}",
        path.hops.len() + 1,
        graph.describe(end_of(path))
    );
    let stem = graph.path(path);
    found(graph, stem, Vec::new(), words)
}

/// With the component in which the lasso's loop runs, by arcs without some marks, if that is wanted.
fn found_lasso<D: Domain>(
    graph: &mut AbstractGraph<'_, '_, '_, D>,
    lasso: &GraphLasso,
    without: Option<MarkSetId>,
) -> Found {
    let honda = end_of(&lasso.stem);
    let words = format!(
        "a lasso with a stem of {} and a loop of {} steps at {}",
        lasso.stem.hops.len() + 1,
        lasso.cycle.len(),
        graph.describe(honda)
    );
    let (stem, cycle) = (graph.path(&lasso.stem), graph.hops(&lasso.cycle));
    let found = found(graph, stem, cycle, words);
    Found {
        component: without.map_or_else(Vec::new, |without| graph.inner_arcs(&lasso.cycle, without)),
        ..found
    }
}

fn found<D: Domain>(
    graph: &mut AbstractGraph<'_, '_, '_, D>,
    stem: Vec<(Source, Taken)>,
    cycle: Vec<(Source, Taken)>,
    words: String,
) -> Found {
    let sources: Vec<Source> = stem.iter().chain(&cycle).map(|step| step.0).collect();
    // The reader reads between two abstract states.
    let premise = |&(source, step): &(Source, Taken)| match step.model_edge {
        Some(_) => graph.formula(source),
        None => graph.formula(None),
    };
    let premises = stem.iter().chain(&cycle).map(premise).collect();
    Found {
        is_stale: sources.iter().any(|&source| graph.is_stale(source)),
        stem: stem.into_iter().map(|step| step.1).collect(),
        cycle: cycle.into_iter().map(|step| step.1).collect(),
        premises,
        sources,
        component: Vec::new(),
        words,
    }
}

fn end_of(path: &GraphPath) -> crate::NodeId {
    path.hops.last().map_or(path.start, |hop| hop.to)
}
