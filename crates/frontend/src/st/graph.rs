//! The control-flow graph while it is built: one open location, and code that waits for the next edge.

use lariat_base::Span;
use lariat_expr::{TermId, VarId};
use lariat_system::{
    Context, Edge, Language, LocId, LocRole, Location, Stmt, StmtId, SystemBuilder,
};

/// The graph and where we are in it.
pub(super) struct Graph {
    model: SystemBuilder,
    pub edges: Vec<(LocId, Edge)>,
    /// Where control is; nowhere in code that cannot be reached.
    pub at: Option<LocId>,
    /// What happens before the next edge.
    pub code: Vec<StmtId>,
    cut: Option<LocId>,
    lost: Option<LocId>,
    pub start: LocId,
    /// Whether this is the copy in which a scan never ends.
    pub hanging: bool,
    /// The variables of the copy.
    pub copied: Vec<VarId>,
    /// Where `CONTINUE` and `EXIT` lead.
    pub loops: Vec<(LocId, LocId)>,
    pub has_loops: bool,
    /// How many structured statements are open: there are no edges inside of them.
    pub apart: usize,
    n_locations: usize,
}

impl Graph {
    pub fn new(model: SystemBuilder, at: LocId) -> Self {
        Self {
            model,
            edges: Vec::new(),
            at: Some(at),
            code: Vec::new(),
            cut: None,
            lost: None,
            start: at,
            hanging: false,
            copied: Vec::new(),
            loops: Vec::new(),
            has_loops: false,
            apart: 0,
            n_locations: 0,
        }
    }

    pub fn location(&mut self, name: &str, role: LocRole) -> LocId {
        let location = Location {
            role,
            ..Location::new(name)
        };
        self.model.location(location)
    }

    /// A location inside of a scan.
    pub fn place(&mut self) -> LocId {
        self.n_locations += 1;
        let name = format!("inside {}", self.n_locations);
        self.location(&name, LocRole::Plain)
    }

    /// Where runs go whose next step has no meaning.
    pub fn cut(&mut self) -> LocId {
        if self.hanging {
            // The system itself comes to the fault, too.
            return self.lost();
        }
        match self.cut {
            Some(cut) => cut,
            None => {
                let cut = self.location("fault", LocRole::Cut);
                self.cut = Some(cut);
                cut
            }
        }
    }

    /// Where runs of the copy go whose scan ends.
    pub fn lost(&mut self) -> LocId {
        match self.lost {
            Some(lost) => lost,
            None => {
                let lost = self.location("not hanging", LocRole::Plain);
                self.lost = Some(lost);
                lost
            }
        }
    }

    /// All code so far as one statement.
    fn take_code(&mut self, cx: &mut Context) -> StmtId {
        let code = std::mem::take(&mut self.code);
        match code[..] {
            [one] => one,
            _ => cx.stmts.seq(&code, None),
        }
    }

    /// Goes to a location, with the code so far on the way.
    pub fn jump(&mut self, cx: &mut Context, target: LocId) {
        assert_eq!(self.apart, 0, "a structured statement has no jump inside");
        let stmt = self.take_code(cx);
        if let Some(at) = self.at.take() {
            let edge = Edge::new(stmt, target).observed_if(self.hanging);
            self.edges.push((at, edge));
        }
    }

    /// The end of a scan without faults.
    pub fn close(&mut self, cx: &mut Context, scan: LocId) {
        let stmt = self.take_code(cx);
        if let Some(at) = self.at.take() {
            self.edges.push((at, Edge::new(stmt, scan)));
        }
    }

    /// The open location with no code before the next edge.
    pub fn settle(&mut self, cx: &mut Context) -> Option<LocId> {
        self.at?;
        if !self.code.is_empty() {
            let target = self.place();
            self.jump(cx, target);
            self.at = Some(target);
        }
        self.at
    }

    /// An edge that is taken where a condition holds.
    pub fn edge_if(
        &mut self,
        cx: &mut Context,
        from: LocId,
        condition: TermId,
        target: LocId,
        observed: bool,
    ) {
        if condition == cx.terms.false_() {
            return;
        }
        let stmt = cx.stmts.add(Stmt::Assume(condition), None);
        let edge = Edge::new(stmt, target).observed_if(observed || self.hanging);
        self.edges.push((from, edge));
    }

    /// Two ways from here, by a condition; control is nowhere then.
    pub fn branch(
        &mut self,
        cx: &mut Context,
        condition: TermId,
        (then, otherwise): (LocId, LocId),
        span: Option<Span>,
    ) {
        let Some(at) = self.settle(cx) else {
            self.code.clear();
            return;
        };
        let not = cx.terms.not(condition);
        for (condition, target) in [(condition, then), (not, otherwise)] {
            if condition != cx.terms.false_() {
                let stmt = cx.stmts.add(Stmt::Assume(condition), span);
                let edge = Edge::new(stmt, target).observed_if(self.hanging);
                self.edges.push((at, edge));
            }
        }
        self.at = None;
    }

    /// The model with all edges.
    pub fn finish(&mut self) -> SystemBuilder {
        let empty = SystemBuilder::new(Language::St, "");
        let mut model = std::mem::replace(&mut self.model, empty);
        for &(from, edge) in &self.edges {
            model.edge(from, edge);
        }
        model
    }
}
