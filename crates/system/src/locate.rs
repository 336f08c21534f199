//! Makes a location visible to formulas: a Boolean variable that is true exactly there.

use crate::system::branch_of;
use crate::{Context, LocId, Stmt, System, Variable};
use lariat_expr::VarId;

impl System {
    /// The variable that is true exactly while the system is at `loc`; added at the first call.
    ///
    /// Its name is `loc(NAME)`, which no language can declare. Every step that enters or leaves the
    /// location sets it, so a formula over it is a formula over states like any other.
    pub fn track_location(&mut self, cx: &mut Context, loc: LocId) -> VarId {
        let name = format!("loc({}.{})", self.name, self.locations[loc].name);
        let flag = cx.terms.declare(&name, cx.terms.sorts.bool());
        if self.variables.iter().any(|variable| variable.var == flag) {
            return flag;
        }
        self.variables.push(Variable {
            var: flag,
            ctrl: true,
            initial: None,
            range: None,
            span: None,
        });
        for i in 0..self.initial.len() {
            let edge = self.initial[i];
            let branch = branch_of(cx, edge.stmt);
            let set = set_flag(cx, flag, edge.target == loc);
            let branch = cx.stmts.seq(&[set, branch], cx.stmts.span(branch));
            let prelude = Self::prelude(cx, &self.variables, branch);
            self.initial[i].stmt = cx.stmts.seq(&[prelude, branch], cx.stmts.span(edge.stmt));
        }
        self.edges.update(|from, edge| {
            if (from == loc) != (edge.target == loc) {
                let set = set_flag(cx, flag, edge.target == loc);
                edge.stmt = cx.stmts.seq(&[edge.stmt, set], cx.stmts.span(edge.stmt));
            }
        });
        flag
    }
}

fn set_flag(cx: &mut Context, flag: VarId, truth: bool) -> crate::StmtId {
    let value = cx.terms.bool(truth);
    cx.stmts.add(Stmt::Assign(flag, value), None)
}
