//! Numbers that differ from round to round of a loop: a value plus multiples of unknowns that are not negative.
//!
//! What a round does is followed for all rounds at once: variables stand for `base + Σ unknown · ray`, and a term is
//! evaluated on such values. A comparison has a truth only if it is the same for all unknowns from 0 on, and whatever is
//! not of that form again (a product of two growing numbers, an array at a growing index) has no value here. So a term
//! that has one has it in every round (Leike and Heizmann, "Geometric nontermination arguments", TACAS 2018, use
//! such runs; here they are executed).
//!
//! This is trusted code: it is what makes a counterexample of a loop that never comes back to a state.

use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, Rat, SortId, TermId, Terms, Value, VarId};

/// `base + Σ unknown · ray`. Invariant: only numbers have rays, not all of them are zero, and those of integers are whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Affine {
    base: Value,
    rays: Vec<Rat>,
}

impl Affine {
    /// The same value in every round.
    pub fn constant(base: Value) -> Self {
        Self {
            base,
            rays: Vec::new(),
        }
    }

    /// A value with rays, if values of its sort can have these.
    pub fn new(base: Value, rays: Vec<Rat>) -> Option<Self> {
        if rays.iter().all(Rat::is_zero) {
            return Some(Self::constant(base));
        }
        let fits = match base {
            Value::Int(_) => rays.iter().all(|ray| ray.to_int().is_some()),
            Value::Rat(_) => true,
            _ => false,
        };
        fits.then_some(Self { base, rays })
    }

    /// The value, if it is the same in every round.
    pub fn as_constant(&self) -> Option<&Value> {
        self.rays.is_empty().then_some(&self.base)
    }

    /// The value where all unknowns are 0.
    pub fn base(&self) -> &Value {
        &self.base
    }

    /// By how much it grows with each unknown; none if it does not.
    pub fn rays(&self) -> &[Rat] {
        &self.rays
    }

    /// By how much it grows with an unknown.
    pub fn ray(&self, unknown: usize) -> Rat {
        let none = || Int::ZERO.into();
        self.rays.get(unknown).cloned().unwrap_or_else(none)
    }

    /// The base as a rational, if it is a number.
    fn number(&self) -> Option<Rat> {
        match &self.base {
            Value::Int(int) => Some(int.clone().into()),
            Value::Rat(rat) => Some(rat.clone()),
            _ => None,
        }
    }

    /// All rays times a factor.
    fn scaled(&self, factor: &Rat) -> Vec<Rat> {
        self.rays.iter().map(|ray| ray * factor).collect()
    }
}

/// The value of a term in all rounds, if it has one; `value` knows those of the variables that have one.
pub(super) fn eval(
    terms: &Terms,
    root: TermId,
    value: &dyn Fn(VarId) -> Option<Affine>,
) -> Option<Affine> {
    let mut known: FxHashMap<TermId, Option<Affine>> = FxHashMap::default();
    // Arguments are older than their terms.
    let mut subterms = terms.subterms(&[root]);
    subterms.sort_unstable();
    for term in subterms {
        let found = match terms.head(term) {
            Head::Lit(literal) => Some(Affine::constant(literal.clone())),
            Head::Var(var) => value(var),
            Head::Op(op, args) => {
                let sorts: Vec<SortId> = args.iter().map(|&arg| terms.sort(arg)).collect();
                let args: Vec<Option<&Affine>> =
                    args.iter().map(|arg| known[arg].as_ref()).collect();
                apply(terms, op, &sorts, &args)
            }
        };
        known.insert(term, found);
    }
    known.remove(&root).flatten()
}

/// The value of an operator on what is known of its arguments.
fn apply(terms: &Terms, op: Op, sorts: &[SortId], args: &[Option<&Affine>]) -> Option<Affine> {
    let truth = |arg: Option<&Affine>| arg.map(|known| known.base.as_bool());
    match op {
        Op::Ite => match truth(args[0]) {
            Some(true) => args[1].cloned(),
            Some(false) => args[2].cloned(),
            None => args[1].filter(|&then| args[2] == Some(then)).cloned(),
        },
        Op::And | Op::Or => {
            let decides = op == Op::Or;
            let is_decided = args.iter().any(|&arg| truth(arg) == Some(decides));
            let is_known = is_decided || args.iter().all(Option::is_some);
            is_known.then(|| Affine::constant(Value::Bool(is_decided == decides)))
        }
        _ => {
            let args: Vec<&Affine> = args.iter().copied().collect::<Option<_>>()?;
            let bases: Vec<Value> = args.iter().map(|arg| arg.base.clone()).collect();
            let base = || op.apply(&terms.sorts, sorts, &bases);
            if args.iter().all(|arg| arg.rays.is_empty()) {
                return Some(Affine::constant(base()));
            }
            match op {
                Op::Le | Op::Lt | Op::Eq => {
                    let truth = compare(op, args[0], args[1])?;
                    Some(Affine::constant(Value::Bool(truth)))
                }
                _ => Affine::new(base(), rays(op, &args)?),
            }
        }
    }
}

/// The rays of what an operator makes of numbers of which at least one has rays.
fn rays(op: Op, args: &[&Affine]) -> Option<Vec<Rat>> {
    let n = args.iter().map(|arg| arg.rays.len()).max().unwrap_or(0);
    match (op, args) {
        (Op::Add, _) => {
            let sum = |unknown: usize| {
                let rays = args.iter().map(|arg| arg.ray(unknown));
                rays.fold(Int::ZERO.into(), |sum: Rat, ray| &sum + &ray)
            };
            Some((0..n).map(sum).collect())
        }
        (Op::Mul, _) => {
            let (growing, factors): (Vec<&Affine>, Vec<&Affine>) =
                args.iter().partition(|arg| !arg.rays.is_empty());
            let [growing] = growing[..] else {
                return None;
            };
            let mut product = Rat::from(Int::ONE);
            for factor in factors {
                product = &product * &factor.number()?;
            }
            Some(growing.scaled(&product))
        }
        (Op::ToRat, [arg]) => Some(arg.rays.clone()),
        // dividend + divisor · k, divided: the quotient grows by k and the remainder stays.
        (Op::Div | Op::Mod | Op::Rem, [dividend, divisor]) => {
            let by = divisor.as_constant().and_then(|_| divisor.number())?;
            if by.is_zero() {
                return None;
            }
            let quotients: Vec<Rat> = dividend.rays.iter().map(|ray| ray.divide(&by)).collect();
            if quotients.iter().any(|quotient| quotient.to_int().is_none()) {
                return None;
            }
            Some(if op == Op::Div { quotients } else { Vec::new() })
        }
        (Op::RatDiv, [dividend, divisor]) => {
            let by = divisor.as_constant().and_then(|_| divisor.number())?;
            let factor = Rat::from(Int::ONE).divide(&by);
            Some(dividend.scaled(&factor))
        }
        _ => None,
    }
}

/// The truth of a comparison, if it is the same for all unknowns from 0 on.
fn compare(op: Op, left: &Affine, right: &Affine) -> Option<bool> {
    let minus = Rat::from(-&Int::ONE);
    let zero = Rat::from(Int::ZERO);
    let base = &left.number()? + &(&minus * &right.number()?);
    let n = left.rays.len().max(right.rays.len());
    let rays = (0..n).map(|unknown| &left.ray(unknown) + &(&minus * &right.ray(unknown)));
    let rays: Vec<Rat> = rays.collect();
    let (falls, rises) = (
        rays.iter().all(|ray| *ray <= zero),
        rays.iter().all(|ray| *ray >= zero),
    );
    // What is at most 0 and falls stays at most 0, and so on.
    match op {
        Op::Le if base <= zero => falls.then_some(true),
        Op::Le => rises.then_some(false),
        Op::Lt if base < zero => falls.then_some(true),
        Op::Lt => rises.then_some(false),
        _ if base.is_zero() => (falls && rises).then_some(true),
        _ if base < zero => falls.then_some(false),
        _ => rises.then_some(false),
    }
}
