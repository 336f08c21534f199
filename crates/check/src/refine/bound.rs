//! How many rounds of a loop are enough for some state to come back.
//!
//! One round is composed to a single step: each variable's value after it, as a term over the values
//! before it and over *inputs* (havocs, and the selectors of choices). Two questions follow.
//!
//! *Which variables can change from round to round?* Not those that no round writes. And not those that
//! depend on nothing that changes: `x := 5` has settled after one round, `y := x` after two. So variables
//! are collected as settled while any can be added, each pass asking whether what a variable depends on
//! has anything in common with what still changes (an intersection; "all of it changes" would settle
//! `x := x + y` next to a constant `y`). A variable that is havocked depends on an input, which never
//! settles; so do the branches of a choice.
//!
//! *How many values can they have?* At most as many as their sort. And where every branch of every choice
//! sets a constant, keeps a value or copies another variable, only the values that stand there: the
//! conditionals are unfolded to their leaves, and what flows into what is followed to a fixpoint. That
//! bounds the integers that models use as states.
//!
//! The result is an upper bound: passes until all has settled, plus the product of the counts. Rejected:
//! counting the values that the abstract state of the honda leaves open. The steps of the lasso alone
//! do not keep an execution inside that state.

use crate::explored::Taken;
use crate::session::{Halt, Session};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Head, Op, Substitution, TermId, Terms, VarId};

/// After how many rounds of `cycle`, from any state, some state has come back; none if that can take
/// for ever.
pub(super) fn rounds(session: &mut Session, cycle: &[Taken]) -> Result<Option<u64>, Halt> {
    let mut round = Round::default();
    for (step, taken) in cycle.iter().enumerate() {
        let summary = session.summary(taken.stmt)?;
        let mut before = Substitution::new();
        for (&var, &value) in &round.values {
            before.insert(&mut session.cx.terms, var, value);
        }
        for &auxiliary in &summary.auxiliary {
            // A copy for each step: one statement can be in the loop twice.
            let (terms, unroller) = (&mut session.cx.terms, &mut session.unroller);
            let copy = unroller.var(terms, auxiliary, step as u32);
            let input = terms.var(copy);
            before.insert(terms, auxiliary, input);
            round.inputs.insert(copy);
        }
        let after: Vec<(VarId, TermId)> = summary
            .updates
            .iter()
            .map(|&(var, value)| (var, before.apply(&mut session.cx.terms, value)))
            .collect();
        round.values.extend(after);
    }
    Ok(round.bound(&session.cx.terms))
}

/// A round as one step.
#[derive(Clone, Debug, Default)]
struct Round {
    /// The variables that it writes, with their values after it.
    values: FxHashMap<VarId, TermId>,
    inputs: FxHashSet<VarId>,
}

impl Round {
    fn bound(&self, terms: &Terms) -> Option<u64> {
        let (changing, passes) = self.changing(terms);
        let mut product: u64 = 1;
        for &var in &changing {
            let finite = terms.sorts.cardinality(terms.var_sort(var));
            let listed = self.n_values(terms, var, &changing);
            let count = finite.into_iter().chain(listed).min()?;
            product = product.checked_mul(count)?;
        }
        product.checked_add(passes)
    }

    /// The variables that can change from round to round, in the order of their ids, once all others
    /// have settled; and after how many rounds they have.
    fn changing(&self, terms: &Terms) -> (Vec<VarId>, u64) {
        let mut changing: Vec<VarId> = self.values.keys().copied().collect();
        changing.sort_unstable();
        let mut passes = 0;
        loop {
            let depends = |var: &VarId| {
                terms
                    .free_vars(&[self.values[var]])
                    .iter()
                    .any(|on| self.inputs.contains(on) || changing.binary_search(on).is_ok())
            };
            let rest: Vec<VarId> = changing.iter().copied().filter(depends).collect();
            if rest.len() == changing.len() {
                return (changing, passes);
            }
            changing = rest;
            passes += 1;
        }
    }

    /// How many values a changing variable can have at the start of rounds, if the leaves of its
    /// conditionals tell: those it can be set to, and its first one.
    fn n_values(&self, terms: &Terms, var: VarId, changing: &[VarId]) -> Option<u64> {
        let mut sources = vec![var];
        let mut values: FxHashSet<TermId> = FxHashSet::default();
        let mut next = 0;
        while let Some(&source) = sources.get(next) {
            next += 1;
            for leaf in leaves(terms, self.values[&source]) {
                match terms.as_var(leaf) {
                    Some(copied) if changing.binary_search(&copied).is_ok() => {
                        if !sources.contains(&copied) {
                            sources.push(copied);
                        }
                    }
                    _ if self.is_settled(terms, leaf, changing) => drop(values.insert(leaf)),
                    _ => return None,
                }
            }
        }
        Some((values.len() + sources.len()) as u64)
    }

    fn is_settled(&self, terms: &Terms, term: TermId, changing: &[VarId]) -> bool {
        terms
            .free_vars(&[term])
            .iter()
            .all(|var| !self.inputs.contains(var) && changing.binary_search(var).is_err())
    }
}

/// The terms that a term can be, whatever the conditions of its conditionals.
fn leaves(terms: &Terms, term: TermId) -> Vec<TermId> {
    let (mut found, mut seen, mut todo) = (Vec::new(), FxHashSet::default(), vec![term]);
    while let Some(at) = todo.pop() {
        if !seen.insert(at) {
            continue;
        }
        match terms.head(at) {
            Head::Op(Op::Ite, args) => todo.extend(&args[1..]),
            _ => found.push(at),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixture {
        terms: Terms,
        round: Round,
    }

    impl Fixture {
        fn new() -> Self {
            Self {
                terms: Terms::new(),
                round: Round::default(),
            }
        }

        fn int(&mut self, name: &str) -> (VarId, TermId) {
            let int = self.terms.sorts.int();
            let var = self.terms.declare(name, int);
            (var, self.terms.var(var))
        }

        fn bool(&mut self, name: &str) -> (VarId, TermId) {
            let bool_ = self.terms.sorts.bool();
            let var = self.terms.declare(name, bool_);
            (var, self.terms.var(var))
        }

        fn bound(&self) -> Option<u64> {
            self.round.bound(&self.terms)
        }
    }

    #[test]
    fn a_loop_that_writes_nothing_closes_at_once() {
        assert_eq!(Fixture::new().bound(), Some(1));
    }

    #[test]
    fn what_depends_on_nothing_that_changes_settles() {
        let mut f = Fixture::new();
        let ((x, x_), (y, _), (_, z_)) = (f.int("x"), f.int("y"), f.int("z"));
        // x := z + 5, y := x: settled after two rounds.
        let five = f.terms.int(5);
        let sum = f.terms.add(&[z_, five]);
        f.round.values.extend([(x, sum), (y, x_)]);
        assert_eq!(f.bound(), Some(3));
    }

    /// Trap 3: `vars(e) ⊆ V` would say that `x := x + y` does not change, since `y` does not.
    #[test]
    fn one_changing_variable_is_enough_to_change() {
        let mut f = Fixture::new();
        let ((x, x_), (_, y_)) = (f.int("x"), f.int("y"));
        let sum = f.terms.add(&[x_, y_]);
        f.round.values.insert(x, sum);
        assert_eq!(f.round.changing(&f.terms), (vec![x], 0));
        assert_eq!(f.bound(), None);
    }

    /// Trap 3: one pass over the statements is not enough; the set must stop growing.
    #[test]
    fn change_spreads_along_chains_in_any_order() {
        let mut f = Fixture::new();
        let (a, a_) = f.bool("a");
        let (b, b_) = f.bool("b");
        let (c, _) = f.bool("c");
        let (d, d_) = f.bool("d");
        let not_d = f.terms.not(d_);
        // c := b, b := a, a := d, d := not d.
        f.round
            .values
            .extend([(c, b_), (b, a_), (a, d_), (d, not_d)]);
        assert_eq!(f.round.changing(&f.terms).0, [a, b, c, d]);
        assert_eq!(f.bound(), Some(16));
    }

    /// Trap 3: a havoc changes its variable although no expression mentions it.
    #[test]
    fn havocs_count() {
        let mut f = Fixture::new();
        let ((a, _), (input, input_)) = (f.bool("a"), f.bool("input"));
        f.round.inputs.insert(input);
        f.round.values.insert(a, input_);
        assert_eq!(f.bound(), Some(2));
        let ((x, _), (input, input_)) = (f.int("x"), f.int("input2"));
        f.round.inputs.insert(input);
        f.round.values.insert(x, input_);
        assert_eq!(f.bound(), None);
    }

    #[test]
    fn choices_between_constants_bound_integers() {
        let mut f = Fixture::new();
        let ((x, x_), (y, _)) = (f.int("x"), f.int("y"));
        let (selector, s_) = f.bool("selector");
        f.round.inputs.insert(selector);
        let (one, two) = (f.terms.int(1), f.terms.int(2));
        let is_one = f.terms.eq(x_, one);
        let inner = f.terms.ite(is_one, two, x_);
        let value = f.terms.ite(s_, one, inner);
        // x is 1, 2 or its first value; y is a copy: one of those, or its own first value.
        f.round.values.extend([(x, value), (y, x_)]);
        assert_eq!(f.bound(), Some(3 * 4));
    }

    #[test]
    fn a_swap_changes_both() {
        let mut f = Fixture::new();
        let ((x, x_), (y, y_)) = (f.int("x"), f.int("y"));
        f.round.values.extend([(x, y_), (y, x_)]);
        assert_eq!(f.bound(), Some(4));
    }
}
