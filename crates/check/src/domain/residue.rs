//! Arithmetic on remainders: `mod m` is a homomorphism for sums, differences and products, so what a step does to the remainders
//! of variables is computed without a solver.

use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, Substitution, TermId, Terms, Value, VarId};

/// The remainders that are known of some variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Residues {
    of: FxHashMap<VarId, Vec<(Int, Int)>>,
}

impl Residues {
    /// Keeps that a term has a value, if it is the remainder of a variable.
    pub fn learn(&mut self, terms: &Terms, term: TermId, value: &Value) {
        if let Some((dividend, modulus)) = remainder(terms, term)
            && let (Some(var), Some(value)) = (terms.as_var(dividend), value.as_int())
        {
            let known = self.of.entry(var).or_default();
            known.push((modulus.clone(), value.clone()));
        }
    }

    /// A term with every remainder in it that is known now.
    pub fn apply(&self, terms: &mut Terms, term: TermId) -> TermId {
        if self.of.is_empty() {
            return term;
        }
        let mut known = Substitution::new();
        for at in terms.subterms(&[term]) {
            if let Some((dividend, modulus)) = remainder(terms, at) {
                let modulus = modulus.clone();
                if let Some(value) = self.value(terms, dividend, &modulus) {
                    let value = terms.int(value);
                    known.replace(terms, at, value);
                }
            }
        }
        known.apply(terms, term)
    }

    /// The remainder of a term, if those of its variables say it.
    fn value(&self, terms: &Terms, term: TermId, modulus: &Int) -> Option<Int> {
        // Arguments come before the terms that have them.
        let mut values: FxHashMap<TermId, Int> = FxHashMap::default();
        for at in terms.subterms(&[term]) {
            let of = |arg: &TermId| values.get(arg);
            let value = match terms.head(at) {
                Head::Lit(Value::Int(int)) => Some(int.clone()),
                Head::Var(var) => self.known(var, modulus),
                Head::Op(Op::Add, args) => {
                    let args: Option<Vec<&Int>> = args.iter().map(of).collect();
                    args.map(|args| args.into_iter().fold(Int::from(0), |sum, arg| &sum + arg))
                }
                Head::Op(Op::Mul, args) => {
                    // A factor that is zero says all.
                    if args.iter().any(|arg| of(arg).is_some_and(Int::is_zero)) {
                        Some(Int::from(0))
                    } else {
                        let args: Option<Vec<&Int>> = args.iter().map(of).collect();
                        let product = |args: Vec<&Int>| {
                            let mut product = Int::from(1);
                            for arg in args {
                                product = (&product * arg).mod_euclid(modulus);
                            }
                            product
                        };
                        args.map(product)
                    }
                }
                Head::Op(Op::Ite, &[_, then, otherwise]) => {
                    let (then, otherwise) = (of(&then), of(&otherwise));
                    then.filter(|_| then == otherwise).cloned()
                }
                Head::Op(Op::Mod, &[inner, _]) => remainder(terms, at)
                    .filter(|(_, other)| other.mod_euclid(modulus).is_zero())
                    .and_then(|_| of(&inner).cloned()),
                _ => None,
            };
            if let Some(value) = value {
                values.insert(at, value.mod_euclid(modulus));
            }
        }
        values.remove(&term)
    }

    /// The remainder of a variable by a number that divides one by which it is known.
    fn known(&self, var: VarId, modulus: &Int) -> Option<Int> {
        let mut known = self.of.get(&var)?.iter();
        let (_, value) = known.find(|(other, _)| other.mod_euclid(modulus).is_zero())?;
        Some(value.clone())
    }
}

/// The dividend and the positive divisor, if a term is a remainder.
fn remainder(terms: &Terms, term: TermId) -> Option<(TermId, &Int)> {
    let &[dividend, divisor] = terms.as_op(term, Op::Mod)? else {
        return None;
    };
    let divisor = terms.as_lit(divisor)?.as_int()?;
    (!divisor.is_negative() && !divisor.is_zero()).then_some((dividend, divisor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums and products of two variables whose remainders by 6 are known, against the numbers themselves.
    #[test]
    fn remainders_follow_sums_and_products() {
        let mut terms = Terms::new();
        let int = terms.sorts.int();
        let [x, y] = ["x", "y"].map(|name| terms.declare(name, int));
        let (tx, ty) = (terms.var(x), terms.var(y));
        let (minus_three, five) = (terms.int(-3), terms.int(5));
        let product = terms.mul(&[minus_three, tx, ty]);
        let sum = terms.add(&[product, tx, five]);
        for (a, b) in [(0, 0), (1, 5), (4, 3), (7, -2), (-11, 8)] {
            for modulus in [1_i64, 2, 3, 6] {
                let mut residues = Residues::default();
                let six = terms.int(6);
                for (var, value) in [(tx, a), (ty, b)] {
                    let term = terms.build(Op::Mod, &[var, six]).expect("numbers");
                    let value = Value::Int(Int::from(i64::rem_euclid(value, 6)));
                    residues.learn(&terms, term, &value);
                }
                let m = terms.int(modulus);
                let asked = terms.build(Op::Mod, &[sum, m]).expect("numbers");
                let expected = (-3 * a * b + a + 5_i64).rem_euclid(modulus);
                let expected = terms.int(expected);
                assert_eq!(residues.apply(&mut terms, asked), expected);
                // By 4 nothing is known.
                let four = terms.int(4);
                let asked = terms.build(Op::Mod, &[tx, four]).expect("numbers");
                assert_eq!(residues.apply(&mut terms, asked), asked);
            }
        }
    }
}
