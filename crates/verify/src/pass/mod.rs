//! Passes: the rewritings of a model, and of what is asked of it, before an engine sees them.
//!
//! A pass says at its head what it may change. It returns what it did: for people who read reports, and for *lifting* a
//! run of the rewritten model back to the model as given (`lift.rs`). A pass that makes a statement out of another one
//! says so (`Stmts::derive`), which is all that lifting needs of a pass that leaves edges where they are; the others say
//! which edges an edge was made of. No pass is trusted for `violated`: every lifted run is replayed on the given model.
//! All are trusted for `holds`, where each must keep every run that could refute the property.

pub mod blocks;
pub mod clocks;
pub mod constants;
pub mod cut;
pub mod deadlock;
mod exists;
pub mod forget;
mod known;
pub mod locations;
pub mod merge;
pub mod observe;
pub mod relations;
pub mod slice;

use crate::model::Model;
use crate::property::Property;
use blocks::Routes;
use clocks::Clock;
use constants::Constants;
use lariat_base::{Budget, Stop};
use lariat_expr::TermId;
use lariat_system::{Context, Stmt, StmtId, System};
use merge::Merged;
use relations::Cases;
use slice::Sliced;

/// A model and what is asked of it, while passes rewrite both.
#[derive(Debug)]
pub struct Stage {
    /// The model.
    pub model: Model,
    /// The property.
    pub property: Property,
}

impl Stage {
    /// The terms whose truth in observed states matters: what the property reads, and what tells fair runs if it is
    /// about infinite ones. Every pass must keep it.
    pub fn observed_terms(&self) -> Vec<TermId> {
        let mut terms = self.property.terms();
        if self.property.is_temporal() {
            terms.extend(fair_terms(&self.model.systems));
        }
        terms
    }
}

/// What the constraints of some systems read.
fn fair_terms(systems: &[System]) -> impl Iterator<Item = TermId> {
    let constraints = systems.iter().flat_map(|system| &system.fairness);
    constraints.flat_map(|constraint| constraint.terms())
}

/// A statement with each of its parts rewritten: itself if nothing changed, or if it has none.
fn with_parts_rewritten(
    cx: &mut Context,
    root: StmtId,
    mut rewrite: impl FnMut(&mut Context, StmtId) -> StmtId,
) -> StmtId {
    match cx.stmts.get(root) {
        Stmt::Assume(_) | Stmt::Assign(..) | Stmt::Havoc(_) | Stmt::Declare(..) => root,
        Stmt::Seq(list) | Stmt::Choice(list) => {
            let parts = cx.stmts.items(list).to_vec();
            let parts: Vec<StmtId> = parts.into_iter().map(|part| rewrite(cx, part)).collect();
            cx.stmts.with_parts(root, &parts)
        }
        Stmt::If(condition, then, otherwise) => {
            let (then, otherwise) = (rewrite(cx, then), rewrite(cx, otherwise));
            cx.stmts.with(root, Stmt::If(condition, then, otherwise))
        }
        Stmt::For {
            var,
            from,
            to,
            body,
        } => {
            let body = rewrite(cx, body);
            let new = Stmt::For {
                var,
                from,
                to,
                body,
            };
            cx.stmts.with(root, new)
        }
    }
}

/// One rewriting.
pub trait Pass {
    /// Whether it is made for this model and property.
    fn supports(&self, _stage: &Stage) -> bool {
        true
    }

    /// Rewrites; says what was done. The systems of the model may change, its composition is made anew afterwards.
    fn apply(&self, cx: &mut Context, stage: &mut Stage) -> Applied;
}

/// What a pass did.
#[derive(Clone, Debug)]
pub enum Applied {
    /// Statements changed where they stood.
    InPlace,
    /// Constants were put in, where statements stood.
    Constants(Constants),
    /// Variables were left out, with statements about them.
    Sliced(Sliced),
    /// Values were taken as one.
    Merged(Vec<Merged>),
    /// Clocks stop growing.
    Clocks(Vec<Clock>),
    /// Edges were split; for each system.
    Cases(Vec<Cases>),
    /// Edges were merged.
    Blocks(Routes),
    /// Edges were cut in two.
    Halves,
}

/// A pass that was made, with what it was made on: all that lifting needs.
#[derive(Clone, Debug)]
pub struct Done {
    /// What it did.
    pub applied: Applied,
    /// The systems before it.
    pub before: Vec<System>,
    /// How many statements there were before it.
    pub n_stmts: usize,
}

/// Which passes are made. Those that engines cannot do without always are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each pass is on or off by itself"
)]
pub struct Passes {
    /// Relations become assignments.
    pub relations: bool,
    /// Constants are put in.
    pub constants: bool,
    /// What cannot matter is left out.
    pub slice: bool,
    /// Values that nothing tells apart become one.
    pub merge: bool,
    /// Clocks stop growing where nothing can tell any more.
    pub clocks: bool,
    /// Dead values of programs are forgotten.
    pub forget: bool,
    /// Steps of programs are merged.
    pub blocks: bool,
    /// Steps are cut where least is known, for engines that list states.
    pub cut: bool,
}

impl Passes {
    /// All of them.
    pub const ALL: Self = Self {
        relations: true,
        constants: true,
        slice: true,
        merge: true,
        clocks: true,
        forget: true,
        blocks: true,
        cut: true,
    };

    /// Rewrites a stage by each pass in its order: a constant that is put in is not read any more, a variable that is left
    /// out mentions no literals, and only what is left is merged. The limits are looked at between passes.
    pub fn apply(
        self,
        cx: &mut Context,
        stage: &mut Stage,
        budget: &Budget,
    ) -> Result<Vec<Done>, Stop> {
        let all: [(bool, &dyn Pass); 9] = [
            (true, &locations::TrackLocations),
            (self.relations, &relations::SplitRelations),
            (self.constants, &constants::PropagateConstants),
            (self.slice, &slice::Slice),
            (self.merge, &merge::MergeValues),
            (self.clocks, &clocks::KeepClocks),
            (self.forget, &forget::Forget),
            (self.blocks, &blocks::MergeBlocks),
            (self.cut, &cut::CutSteps),
        ];
        let mut done = Vec::new();
        for (is_on, pass) in all {
            budget.check()?;
            if is_on && pass.supports(stage) {
                let (before, n_stmts) = (stage.model.systems.clone(), cx.stmts.len());
                done.push(Done {
                    applied: pass.apply(cx, stage),
                    before,
                    n_stmts,
                });
            }
        }
        stage.model.recompose(cx);
        Ok(done)
    }
}
