//! Statements: the one operation language of every formalism.
//!
//! A statement changes the values of variables, may be blocked (`assume`), and may have several
//! outcomes (`havoc`, `choice`). Bounded loops, conditionals and local variables are kept as they
//! were written, so that a model can be printed back and a counterexample can point at its source.

use lariat_base::{Id as _, IdVec, Span, id_type};
use lariat_expr::{TermId, Terms, VarId};

id_type!(
    /// A statement of one [`Stmts`] arena.
    pub struct StmtId, "st"
);

/// A list of statements in the arena; equal lists are the same stretch of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StmtList {
    start: u32,
    len: u32,
}

/// One statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// Blocks unless the term is true.
    Assume(TermId),
    /// Gives a variable a new value.
    Assign(VarId, TermId),
    /// Gives a variable any value of its sort.
    Havoc(VarId),
    /// Declares a local variable of the enclosing block, with a value or (without one) any value.
    Declare(VarId, Option<TermId>),
    /// One after the other.
    Seq(StmtList),
    /// Any one of them; of none: blocked.
    Choice(StmtList),
    /// The first if the condition is true, else the second.
    If(TermId, StmtId, StmtId),
    /// For each integer from the first bound up to but not including the second, both read at entry.
    For {
        /// The loop variable, local to the loop.
        var: VarId,
        /// First value.
        from: TermId,
        /// One past the last value.
        to: TermId,
        /// What is done for each value.
        body: StmtId,
    },
}

/// The arena of statements with their places in the source.
#[derive(Clone, Debug, Default)]
pub struct Stmts {
    nodes: IdVec<StmtId, Stmt>,
    spans: IdVec<StmtId, Option<Span>>,
    /// The statement that a pass made each one from.
    origins: IdVec<StmtId, Option<StmtId>>,
    pool: Vec<StmtId>,
}

impl Stmts {
    /// Adds a statement.
    pub fn add(&mut self, stmt: Stmt, span: Option<Span>) -> StmtId {
        self.spans.push(span);
        self.origins.push(None);
        self.nodes.push(stmt)
    }

    /// Adds what a pass made of a statement: it stands in the same place of the source, and runs of the new statement
    /// are lifted to runs of the old one by this link.
    pub fn derive(&mut self, stmt: Stmt, from: StmtId) -> StmtId {
        self.spans.push(self.spans[from]);
        self.origins.push(Some(from));
        self.nodes.push(stmt)
    }

    /// [`derive`](Self::derive) of a sequence.
    pub fn derive_seq(&mut self, parts: &[StmtId], from: StmtId) -> StmtId {
        let list = self.list(parts);
        self.derive(Stmt::Seq(list), from)
    }

    /// [`derive`](Self::derive) of a choice.
    pub fn derive_choice(&mut self, branches: &[StmtId], from: StmtId) -> StmtId {
        let list = self.list(branches);
        self.derive(Stmt::Choice(list), from)
    }

    /// The sequence or choice `from` with other members; `from` itself if they are the same.
    pub fn with_parts(&mut self, from: StmtId, parts: &[StmtId]) -> StmtId {
        match self.nodes[from] {
            Stmt::Seq(list) | Stmt::Choice(list) if self.items(list) == parts => from,
            Stmt::Choice(_) => self.derive_choice(parts, from),
            _ => self.derive_seq(parts, from),
        }
    }

    /// `stmt`, made from `from`; `from` itself if it is the same.
    pub fn with(&mut self, from: StmtId, stmt: Stmt) -> StmtId {
        if self.nodes[from] == stmt {
            from
        } else {
            self.derive(stmt, from)
        }
    }

    /// The statement that `id` was made from which was there when there were `n` statements; `id` itself if it was
    /// made from none.
    pub fn origin(&self, mut id: StmtId, n: usize) -> StmtId {
        while id.index() >= n
            && let Some(from) = self.origins[id]
        {
            id = from;
        }
        id
    }

    /// Adds a sequence.
    pub fn seq(&mut self, parts: &[StmtId], span: Option<Span>) -> StmtId {
        let list = self.list(parts);
        self.add(Stmt::Seq(list), span)
    }

    /// Adds a choice.
    pub fn choice(&mut self, branches: &[StmtId], span: Option<Span>) -> StmtId {
        let list = self.list(branches);
        self.add(Stmt::Choice(list), span)
    }

    /// Adds the statement that does nothing.
    pub fn skip(&mut self) -> StmtId {
        self.seq(&[], None)
    }

    /// The statement.
    pub fn get(&self, id: StmtId) -> Stmt {
        self.nodes[id]
    }

    /// Where it stands in the source.
    pub fn span(&self, id: StmtId) -> Option<Span> {
        self.spans[id]
    }

    /// The members of a list.
    pub fn items(&self, list: StmtList) -> &[StmtId] {
        &self.pool[list.start as usize..(list.start + list.len) as usize]
    }

    /// How many statements there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Calls `visit` on `root` and every statement inside, outer ones first, in the order of the text.
    pub fn walk(&self, root: StmtId, mut visit: impl FnMut(StmtId, Stmt)) {
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            let stmt = self.nodes[id];
            visit(id, stmt);
            match stmt {
                Stmt::Seq(list) | Stmt::Choice(list) => todo.extend(self.items(list).iter().rev()),
                Stmt::If(_, then, otherwise) => todo.extend([otherwise, then]),
                Stmt::For { body, .. } => todo.push(body),
                Stmt::Assume(_) | Stmt::Assign(..) | Stmt::Havoc(_) | Stmt::Declare(..) => {}
            }
        }
    }

    /// The statements of nested sequences, in order.
    pub fn flatten(&self, root: StmtId) -> Vec<StmtId> {
        let (mut flat, mut todo) = (Vec::new(), vec![root]);
        while let Some(stmt) = todo.pop() {
            match self.nodes[stmt] {
                Stmt::Seq(list) => todo.extend(self.items(list).iter().rev()),
                _ => flat.push(stmt),
            }
        }
        flat
    }

    /// The variables that `root` may change, locals included, in the order of their ids.
    pub fn written(&self, root: StmtId) -> Vec<VarId> {
        let mut vars = Vec::new();
        self.walk(root, |_, stmt| match stmt {
            Stmt::Assign(var, _)
            | Stmt::Havoc(var)
            | Stmt::Declare(var, _)
            | Stmt::For { var, .. } => {
                vars.push(var);
            }
            _ => {}
        });
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// The terms that stand in `root`: conditions, right sides, bounds.
    pub fn terms(&self, root: StmtId) -> Vec<TermId> {
        let mut found = Vec::new();
        self.walk(root, |_, stmt| match stmt {
            Stmt::Assume(term)
            | Stmt::Assign(_, term)
            | Stmt::Declare(_, Some(term))
            | Stmt::If(term, ..) => {
                found.push(term);
            }
            Stmt::For { from, to, .. } => found.extend([from, to]),
            _ => {}
        });
        found
    }

    /// The variables that `root` reads, in the order of their ids.
    pub fn read(&self, terms: &Terms, root: StmtId) -> Vec<VarId> {
        terms.free_vars(&self.terms(root))
    }

    /// Whether two statements are the same but for their places in the source.
    pub fn same(&self, left: StmtId, right: StmtId) -> bool {
        let mut todo = vec![(left, right)];
        while let Some((a, b)) = todo.pop() {
            if a == b {
                continue;
            }
            match (self.nodes[a], self.nodes[b]) {
                (Stmt::Assume(a), Stmt::Assume(b)) if a == b => {}
                (Stmt::Assign(a, ta), Stmt::Assign(b, tb)) if a == b && ta == tb => {}
                (Stmt::Havoc(a), Stmt::Havoc(b)) if a == b => {}
                (Stmt::Declare(a, ta), Stmt::Declare(b, tb)) if a == b && ta == tb => {}
                (Stmt::Seq(a), Stmt::Seq(b)) | (Stmt::Choice(a), Stmt::Choice(b))
                    if a.len == b.len =>
                {
                    todo.extend(
                        self.items(a)
                            .iter()
                            .copied()
                            .zip(self.items(b).iter().copied()),
                    );
                }
                (Stmt::If(a, ta, ea), Stmt::If(b, tb, eb)) if a == b => {
                    todo.extend([(ta, tb), (ea, eb)]);
                }
                (
                    Stmt::For {
                        var: va,
                        from: fa,
                        to: ta,
                        body: ba,
                    },
                    Stmt::For {
                        var: vb,
                        from: fb,
                        to: tb,
                        body: bb,
                    },
                ) if va == vb && fa == fb && ta == tb => todo.push((ba, bb)),
                _ => return false,
            }
        }
        true
    }

    fn list(&mut self, items: &[StmtId]) -> StmtList {
        let start = u32::try_from(self.pool.len()).expect("fewer than 2^32 statements");
        self.pool.extend_from_slice(items);
        StmtList {
            start,
            len: items.len() as u32,
        }
    }
}
