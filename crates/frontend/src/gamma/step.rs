//! One run of a statechart: which transitions fire, in which order.
//!
//! In each region at most one transition fires. From the top down, a state's own transitions come before those inside of
//! it; from the bottom up, they fire only if nothing inside fired. Orthogonal regions step one after another, and a later one
//! only if the state around it is still active.

use super::chart_tree::{NodeId, RegionId, What, wrong};
use super::fire::Candidate;
use super::lower::Lower;
use super::parse::{Parse, unsupported};
use lariat_expr::VarId;
use lariat_system::{Stmt, StmtId};

/// How many orthogonal regions may step in any order.
const MAX_UNORDERED: usize = 4;

impl Lower<'_> {
    /// A run of the statechart, without what becomes of its inputs.
    pub fn react(&mut self) -> Parse<StmtId> {
        let tree = self.tree();
        let mut parts = Vec::new();
        if self.own().rules.early_guards {
            for (at, arc) in tree.transitions.iter().enumerate() {
                if tree.nodes[arc.from].what == What::State {
                    let enabled = self.enabled(at)?;
                    let bool_ = self.cx.terms.sorts.bool();
                    let var = self.local("enabled", bool_);
                    parts.push(self.cx.stmts.add(Stmt::Declare(var, Some(enabled)), None));
                    let own = self.instance.expect("a statechart is lowered");
                    self.instances[own].early.insert(at, var);
                }
            }
        }
        let regions = self.regions_step(None, &tree.top, None)?;
        parts.push(regions);
        Ok(self.seq(&parts))
    }

    /// The first states are entered.
    pub fn begin(&mut self) -> Parse<StmtId> {
        let tree = self.tree();
        let mut parts = Vec::new();
        for &region in &tree.top {
            self.activate_region(region, &mut parts)?;
        }
        for &region in &tree.top {
            self.region_actions(region, &mut parts)?;
        }
        Ok(self.seq(&parts))
    }

    /// Orthogonal regions, of a state or of the statechart. `fired` is set by what fires.
    fn regions_step(
        &mut self,
        state: Option<NodeId>,
        regions: &[RegionId],
        fired: Option<VarId>,
    ) -> Parse<StmtId> {
        let mut steps = Vec::new();
        for &region in regions {
            steps.push(self.region_step(region, fired)?);
        }
        if !self.own().rules.unordered || steps.len() < 2 {
            return Ok(self.one_after_another(state, &steps));
        }
        if steps.len() > MAX_UNORDERED {
            let span = self.own().tree.regions[regions[0]].name.span;
            let what = format!("more than {MAX_UNORDERED} regions in any order");
            return Err(unsupported(&what, span));
        }
        let mut branches = Vec::new();
        for order in orders(steps.len()) {
            let ordered: Vec<StmtId> = order.into_iter().map(|at| steps[at]).collect();
            branches.push(self.one_after_another(state, &ordered));
        }
        Ok(self.cx.stmts.choice(&branches, None))
    }

    fn one_after_another(&mut self, state: Option<NodeId>, steps: &[StmtId]) -> StmtId {
        let mut parts = Vec::new();
        for (n, &step) in steps.iter().enumerate() {
            let guarded = match state.filter(|_| n > 0) {
                None => step,
                Some(state) => {
                    let is_active = self.active(state);
                    self.when(is_active, step, None)
                }
            };
            parts.push(guarded);
        }
        self.seq(&parts)
    }

    fn region_step(&mut self, region: RegionId, fired: Option<VarId>) -> Parse<StmtId> {
        let tree = self.tree();
        let mut stmt = None;
        for state in tree.states(region).into_iter().rev() {
            if let Some(body) = self.state_step(state, fired)? {
                let is_it = self.is_current(state);
                stmt = Some(self.when(is_it, body, stmt));
            }
        }
        Ok(stmt.unwrap_or_else(|| self.cx.stmts.skip()))
    }

    /// What can fire in an active state and inside of it; nothing if nothing ever can.
    fn state_step(&mut self, state: NodeId, fired: Option<VarId>) -> Parse<Option<StmtId>> {
        let tree = self.tree();
        let candidates = self.candidates(state, fired)?;
        let regions = &tree.nodes[state].regions;
        if regions.is_empty() {
            if candidates.is_empty() {
                return Ok(None);
            }
            let skip = self.cx.stmts.skip();
            return self.choose_of(candidates, Some(skip)).map(Some);
        }
        if !self.own().rules.bottom_up {
            let inner = self.regions_step(Some(state), regions, fired)?;
            return self.choose_of(candidates, Some(inner)).map(Some);
        }
        let (bool_, no) = (self.cx.terms.sorts.bool(), self.cx.terms.false_());
        let flag = self.local("fired", bool_);
        let declare = self.cx.stmts.add(Stmt::Declare(flag, Some(no)), None);
        let inner = self.regions_step(Some(state), regions, Some(flag))?;
        let skip = self.cx.stmts.skip();
        let own = self.choose_of(candidates, Some(skip))?;
        let flag = self.cx.terms.var(flag);
        let outer = match fired {
            Some(fired) => self.assign_bool(fired, true),
            None => skip,
        };
        let after = self.when(flag, outer, Some(own));
        Ok(Some(self.seq(&[declare, inner, after])))
    }

    /// The transitions that start in a state, and the joins that leave it.
    fn candidates(&mut self, state: NodeId, fired: Option<VarId>) -> Parse<Vec<Candidate>> {
        let tree = self.tree();
        let mut all = Vec::new();
        for &at in &tree.nodes[state].out {
            if tree.nodes[tree.transitions[at].to].what != What::Join {
                let stmt = self.fire(at)?;
                let stmt = self.and_say(stmt, fired);
                all.push(self.candidate(at, stmt)?);
            }
        }
        let nodes = tree.regions[tree.nodes[state].region].nodes.iter().copied();
        for join in nodes.filter(|&node| tree.nodes[node].what == What::Join) {
            let into = &tree.nodes[join].into;
            let region = tree.nodes[state].region;
            let is_inside = |at: &usize| {
                let from = tree.transitions[*at].from;
                tree.nodes[from].what == What::State
                    && tree.common(&[from, state]) == Some(region)
                    && from != state
                    && tree.below(region, from) == state
            };
            if !into.iter().any(is_inside) {
                continue;
            }
            if !into.iter().all(is_inside) {
                let span = tree.nodes[join].name.span;
                return Err(wrong("a join is reached from regions of one state", span));
            }
            let mut enabled = Vec::new();
            for &at in into {
                enabled.push(self.active(tree.transitions[at].from));
                enabled.push(self.enabled(at)?);
            }
            let priority = into
                .iter()
                .filter_map(|&at| tree.transitions[at].decl.priority.clone());
            let stmt = self.fire_join(join)?;
            all.push(Candidate {
                enabled: self.cx.terms.and(&enabled),
                stmt: self.and_say(stmt, fired),
                priority: priority.max().unwrap_or(lariat_expr::Int::from(0)),
                is_else: false,
                span: tree.nodes[join].name.span,
            });
        }
        Ok(all)
    }

    fn and_say(&mut self, stmt: StmtId, fired: Option<VarId>) -> StmtId {
        match fired {
            Some(fired) => {
                let say = self.assign_bool(fired, true);
                self.seq(&[stmt, say])
            }
            None => stmt,
        }
    }
}

/// All orders of `n` things.
fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        let longer = all.into_iter().flat_map(|order: Vec<usize>| {
            let rest: Vec<usize> = (0..n).filter(|at| !order.contains(at)).collect();
            rest.into_iter().map(move |at| {
                let mut next = order.clone();
                next.push(at);
                next
            })
        });
        all = longer.collect();
    }
    all
}
