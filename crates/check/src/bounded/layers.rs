//! All paths of the product of one length as one formula.
//!
//! A *layer* holds the edges that can be the path's next one; a *chosen* edge's formula holds between the copies of the
//! variables before and after its layer, and the edge before it leads to where it starts.

use crate::acceptance::MarkSetId;
use crate::explored::Taken;
use crate::product::{PlaceId, Product};
use crate::session::{Halt, Session};
use lariat_expr::{TermId, VarId};
use lariat_smt::Indexing;

/// The variables of this encoding are instances of their own, as rays are.
const OWN: u32 = u32::MAX - 5;
/// The most edges of a layer: each excludes each other.
const MAX_WIDTH: usize = 150;

/// One edge that the path may take.
#[derive(Debug)]
pub(super) struct Choice {
    source: Option<PlaceId>,
    pub taken: Taken,
    pub marks: MarkSetId,
    /// That the path takes it.
    pub is_taken: TermId,
    /// What is true if it does, over copies: its guard, and the value of each variable that its layer writes.
    pub parts: Vec<TermId>,
}

/// The edges of one step of the path.
#[derive(Debug)]
pub(super) struct Layer {
    pub choices: Vec<Choice>,
}

/// The layers of a path, from the start of the run.
#[derive(Debug)]
pub(super) struct Layers {
    pub all: Vec<Layer>,
    /// The copies that stand for the variables before each layer, and after the last.
    indexings: Vec<Indexing>,
}

/// A new Boolean variable of this encoding.
pub(super) fn flag(session: &mut Session, name: &str) -> TermId {
    let terms = &mut session.cx.terms;
    let bool_ = terms.sorts.bool();
    let var = terms.declare_instance(name, bool_, OWN);
    terms.var(var)
}

impl Layers {
    pub fn new() -> Self {
        Self {
            all: Vec::new(),
            indexings: vec![Indexing::new()],
        }
    }

    /// Adds a layer and asserts what it says; false if it would be empty or too wide.
    pub fn push(&mut self, session: &mut Session, product: &mut Product) -> Result<bool, Halt> {
        let mut edges: Vec<(Option<PlaceId>, Taken, MarkSetId)> = Vec::new();
        if self.all.is_empty() {
            let starts = product.initial().into_iter();
            edges.extend(starts.map(|taken| (None, taken, MarkSetId::EMPTY)));
        } else {
            for place in self.places(self.all.len()) {
                let own = product.edges(place).into_iter();
                edges.extend(own.map(|(taken, marks)| (Some(place), taken, marks)));
                if edges.len() > MAX_WIDTH {
                    break;
                }
            }
        }
        let false_ = session.cx.terms.false_();
        let mut possible = Vec::new();
        for edge in edges {
            if session.summary(edge.1.stmt)?.guard != false_ {
                possible.push(edge);
            }
        }
        if possible.is_empty() || possible.len() > MAX_WIDTH {
            return Ok(false);
        }
        self.add(session, &possible)?;
        self.assert_last(session);
        Ok(true)
    }

    fn add(
        &mut self,
        session: &mut Session,
        edges: &[(Option<PlaceId>, Taken, MarkSetId)],
    ) -> Result<(), Halt> {
        let at = self.all.len();
        let mut before = self.indexings[at].clone();
        let mut written: Vec<VarId> = Vec::new();
        for (_, taken, _) in edges {
            let summary = session.summary(taken.stmt)?;
            for &auxiliary in &summary.auxiliary {
                before.set(auxiliary, at as u32);
            }
            written.extend(summary.updates.iter().map(|update| update.0));
        }
        written.sort_unstable();
        written.dedup();
        let mut after = before.clone();
        for &var in &written {
            after.advance(var);
        }
        let mut choices = Vec::new();
        for (i, &(source, taken, marks)) in edges.iter().enumerate() {
            let is_taken = flag(session, &format!("edge {i} in step {at}"));
            let summary = session.summary(taken.stmt)?;
            let (terms, unroller) = (&mut session.cx.terms, &mut session.unroller);
            let mut parts = vec![unroller.unfold(terms, summary.guard, &before)];
            for &var in &written {
                let value = summary.update(var).unwrap_or_else(|| terms.var(var));
                let value = unroller.unfold(terms, value, &before);
                let own = terms.var(var);
                let copy = unroller.unfold(terms, own, &after);
                parts.push(terms.eq(copy, value));
            }
            choices.push(Choice {
                source,
                taken,
                marks,
                is_taken,
                parts,
            });
        }
        self.indexings[at] = before;
        self.indexings.push(after);
        self.all.push(Layer { choices });
        Ok(())
    }

    /// Asserts that one edge of the last layer is taken, behind one that leads to it.
    fn assert_last(&self, session: &mut Session) {
        let (last, earlier) = self.all.split_last().expect("there is a layer");
        let terms = &mut session.cx.terms;
        let flags: Vec<TermId> = last.choices.iter().map(|choice| choice.is_taken).collect();
        let mut said = vec![terms.or(&flags)];
        for (i, &flag) in flags.iter().enumerate() {
            for &other in &flags[i + 1..] {
                let both = terms.and(&[flag, other]);
                said.push(terms.not(both));
            }
        }
        for choice in &last.choices {
            let does = terms.and(&choice.parts);
            said.push(terms.implies(choice.is_taken, does));
            if let (Some(source), Some(before)) = (choice.source, earlier.last()) {
                let leads = before.leading_to(source);
                let leads = terms.or(&leads);
                said.push(terms.implies(choice.is_taken, leads));
            }
        }
        for term in said {
            session.solver.assert(&session.cx.terms, term);
        }
    }

    /// Where the first `n` layers may lead.
    pub fn places(&self, n: usize) -> Vec<PlaceId> {
        let Some(last) = n.checked_sub(1) else {
            return Vec::new();
        };
        let targets = self.all[last].choices.iter();
        let mut places: Vec<PlaceId> = targets.map(|choice| choice.taken.target).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// A variable's copy after the first `n` layers.
    pub fn var_after(&self, session: &mut Session, var: VarId, n: usize) -> TermId {
        let term = session.cx.terms.var(var);
        self.term_after(session, term, n)
    }

    /// A term over the variables after the first `n` layers.
    pub fn term_after(&self, session: &mut Session, term: TermId, n: usize) -> TermId {
        let terms = &mut session.cx.terms;
        session.unroller.unfold(terms, term, &self.indexings[n])
    }
}

impl Layer {
    /// That the path takes one of the edges to a place.
    pub fn leading_to(&self, place: PlaceId) -> Vec<TermId> {
        let choices = self.choices.iter();
        let leading = choices.filter(|choice| choice.taken.target == place);
        leading.map(|choice| choice.is_taken).collect()
    }
}
