//! The part of a formula that makes it true in a model.
//!
//! Of a disjunction one true member is enough, of an if-then-else the branch taken and its condition.
//! What comes out is a list of literals, without Boolean structure and without if-then-else, whose
//! conjunction holds in the model and implies the formula.

use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Head, Op, SortId, TermId, Terms, Value, VarId};

/// Literals that hold in the model and together imply `formula`, which must hold in it.
pub(super) fn literals(
    terms: &mut Terms,
    formula: TermId,
    model: &FxHashMap<VarId, Value>,
) -> Vec<TermId> {
    let values = evaluate(terms, formula, model);
    let mut collector = Collector {
        values: &values,
        flat: FxHashMap::default(),
        todo: vec![formula],
        done: FxHashSet::default(),
        literals: Vec::new(),
    };
    while let Some(term) = collector.todo.pop() {
        if collector.done.insert(term) {
            collector.visit(terms, term);
        }
    }
    collector.literals.sort_unstable();
    collector.literals.dedup();
    collector.literals
}

/// Whether a formula holds in a model of its variables.
pub(super) fn holds(terms: &Terms, formula: TermId, model: &FxHashMap<VarId, Value>) -> bool {
    evaluate(terms, formula, model)[&formula].as_bool()
}

/// The values of all subterms.
fn evaluate(
    terms: &Terms,
    formula: TermId,
    model: &FxHashMap<VarId, Value>,
) -> FxHashMap<TermId, Value> {
    let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
    for term in terms.subterms(&[formula]) {
        let value = match terms.head(term) {
            Head::Lit(value) => value.clone(),
            Head::Var(var) => model[&var].clone(),
            Head::Op(op, args) => {
                let sorts: Vec<SortId> = args.iter().map(|&arg| terms.sort(arg)).collect();
                let args: Vec<Value> = args.iter().map(|arg| values[arg].clone()).collect();
                op.apply(&terms.sorts, &sorts, &args)
            }
        };
        values.insert(term, value);
    }
    values
}

struct Collector<'a> {
    values: &'a FxHashMap<TermId, Value>,
    /// Terms with every if-then-else replaced by the branch taken.
    flat: FxHashMap<TermId, TermId>,
    /// Formulas whose truth value must be explained.
    todo: Vec<TermId>,
    done: FxHashSet<TermId>,
    literals: Vec<TermId>,
}

impl Collector<'_> {
    fn truth(&self, term: TermId) -> bool {
        self.values[&term].as_bool()
    }

    /// Explains why `term` has its truth value.
    fn visit(&mut self, terms: &mut Terms, term: TermId) {
        let truth = self.truth(term);
        let (op, args) = match terms.head(term) {
            Head::Lit(_) => return,
            Head::Var(_) => return self.literal(terms, term, truth),
            Head::Op(op, args) => (op, args),
        };
        match op {
            Op::Not => self.todo.push(args[0]),
            Op::And | Op::Or if truth == (op == Op::And) => self.todo.extend_from_slice(args),
            Op::And | Op::Or => {
                let decides = args.iter().copied().find(|&arg| self.truth(arg) == truth);
                self.todo.push(decides.expect("one argument decides"));
            }
            Op::Ite => {
                let branch = if self.truth(args[0]) {
                    args[1]
                } else {
                    args[2]
                };
                self.todo.extend([args[0], branch]);
            }
            Op::Eq if terms.sort(args[0]) == terms.sorts.bool() => {
                self.todo.extend_from_slice(args);
            }
            Op::Eq if !truth && is_number(terms, args[0]) => {
                let less = self.values[&args[0]] < self.values[&args[1]];
                let (low, high) = if less {
                    (args[0], args[1])
                } else {
                    (args[1], args[0])
                };
                let (low, high) = (self.flatten(terms, low), self.flatten(terms, high));
                self.literals.push(terms.lt(low, high));
            }
            _ => {
                let flat = self.flatten(terms, term);
                self.literal(terms, flat, truth);
            }
        }
    }

    fn literal(&mut self, terms: &mut Terms, atom: TermId, truth: bool) {
        self.literals
            .push(if truth { atom } else { terms.not(atom) });
    }

    /// The term without if-then-else; the conditions on the way are to be explained. Boolean arguments
    /// of other operators (an array of Booleans is written) are replaced by their values.
    fn flatten(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        let mut stack = vec![root];
        while let Some(&at) = stack.last() {
            if self.flat.contains_key(&at) {
                stack.pop();
                continue;
            }
            let flat = match terms.head(at) {
                Head::Lit(_) | Head::Var(_) => at,
                Head::Op(Op::Ite, &[condition, then, otherwise]) => {
                    let branch = if self.truth(condition) {
                        then
                    } else {
                        otherwise
                    };
                    let Some(&flat) = self.flat.get(&branch) else {
                        stack.push(branch);
                        continue;
                    };
                    self.todo.push(condition);
                    flat
                }
                Head::Op(op, args) => {
                    if at != root && terms.sort(at) == terms.sorts.bool() && op != Op::Select {
                        self.todo.push(at);
                        terms.bool(self.truth(at))
                    } else {
                        let before = stack.len();
                        stack.extend(args.iter().filter(|arg| !self.flat.contains_key(arg)));
                        if stack.len() > before {
                            continue;
                        }
                        let args: Vec<TermId> = args.iter().map(|arg| self.flat[arg]).collect();
                        terms.build(op, &args).expect("sorts are kept")
                    }
                }
            };
            self.flat.insert(at, flat);
        }
        self.flat[&root]
    }
}

fn is_number(terms: &Terms, term: TermId) -> bool {
    let sort = terms.sort(term);
    sort == terms.sorts.int() || sort == terms.sorts.rat()
}
