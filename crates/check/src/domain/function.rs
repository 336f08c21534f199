//! Abstraction functions of single variables: what is told of a value instead of the value itself.
//!
//! A function is a term over its variable whose value names the class: `x mod 4`, or a conditional whose branches number the
//! classes. So the classes need no representation of their own: a class is a value of the term, what it says is that the
//! term has that value, and the classes that a step can lead to are the values that the term can have after it.
//! The functions are those of Clarke, Grumberg and Long (Model checking and abstraction, TOPLAS'94) and partitions that a
//! user gives by conditions.

use lariat_expr::{BvOp, Dialect, Int, Op, Sort, SortId, TermId, Terms, Value, VarId, show_term};

/// Numbers with more bits are one class of [`Function::Bits`].
const MAX_BITS: u32 = 64;

/// What is told of a variable's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Function {
    /// Whether a number is negative, zero or positive.
    Sign,
    /// Whether an integer is even or odd.
    Parity,
    /// The remainder of an integer by a positive number.
    Modulo(Int),
    /// How many bits a number needs that is not negative: the ceiling of log₂(v + 1).
    Bits,
    /// A single bit of an integer or of a bit-vector.
    Bit(u32),
    /// Whether it is this value.
    Is(Value),
    /// Between which of these numbers, in ascending order, it lies: the classes are `v < a`, `a <= v < b`, and so on.
    Thresholds(Vec<Int>),
    /// The value itself.
    Identity,
    /// Nothing.
    Any,
    /// Which of these conditions is the first that is true, by their names.
    Partition(Vec<(String, TermId)>),
}

impl Function {
    /// Why it cannot be used for a variable of this sort, if it cannot.
    pub fn misfit(&self, terms: &Terms, sort: SortId) -> Option<&'static str> {
        let sort = terms.sorts.get(sort);
        match self {
            Self::Sign | Self::Thresholds(_) => {
                (!matches!(sort, Sort::Int | Sort::Rat)).then_some("a number")
            }
            Self::Parity | Self::Modulo(_) | Self::Bits => {
                (*sort != Sort::Int).then_some("an integer")
            }
            Self::Bit(i) => match sort {
                Sort::Int => None,
                Sort::Bv(width) if i < width => None,
                _ => Some("an integer, or a bit-vector that has the bit"),
            },
            Self::Is(_) | Self::Identity | Self::Any | Self::Partition(_) => None,
        }
    }

    /// The term whose value is the class of `var`; none where nothing is told.
    pub fn class(&self, terms: &mut Terms, var: VarId) -> Option<TermId> {
        let (x, sort) = (terms.var(var), terms.var_sort(var));
        Some(match self {
            Self::Any => return None,
            Self::Identity => x,
            Self::Sign => cases(terms, x, &[Int::from(0), Int::from(1)], -1),
            Self::Parity => modulo(terms, x, Int::from(2)),
            Self::Modulo(m) => modulo(terms, x, m.clone()),
            Self::Bits => {
                let powers: Vec<Int> = (0..=MAX_BITS).map(Int::power_of_two).collect();
                cases(terms, x, &[&[Int::from(0)], &powers[..]].concat(), -1)
            }
            Self::Bit(i) if sort == terms.sorts.int() => {
                let power = terms.int(Int::power_of_two(*i));
                let shifted = build(terms, Op::Div, &[x, power]);
                modulo(terms, shifted, Int::from(2))
            }
            &Self::Bit(i) => build(terms, Op::Bv(BvOp::Extract { high: i, low: i }), &[x]),
            Self::Is(value) => {
                let value = terms.lit(value.clone(), sort);
                terms.eq(x, value)
            }
            Self::Thresholds(cuts) => cases(terms, x, cuts, 0),
            Self::Partition(classes) => {
                let numbered: Vec<(i64, TermId)> =
                    (0..).zip(classes.iter().map(|class| class.1)).collect();
                let mut class = terms.int(numbered.last().map_or(0, |last| last.0 + 1));
                for &(i, condition) in numbered.iter().rev() {
                    let number = terms.int(i);
                    class = terms.ite(condition, number, class);
                }
                class
            }
        })
    }

    /// Predicates that tell the classes apart, each with a name; none if the classes are too many.
    pub fn predicates(&self, terms: &mut Terms, var: VarId) -> Option<Vec<(String, TermId)>> {
        let name = terms.name(var).to_owned();
        let classes: Vec<(String, i64)> = match self {
            Self::Any => return Some(Vec::new()),
            Self::Identity => {
                let (x, sort) = (terms.var(var), terms.var_sort(var));
                if sort == terms.sorts.bool() {
                    return Some(vec![(name, x)]);
                }
                let count = terms.sorts.cardinality(sort).filter(|&count| count <= 64)?;
                let mut found = Vec::new();
                for n in 1..count {
                    let value = Value::nth(&terms.sorts, sort, n)?;
                    let text = value.display(&terms.sorts, sort);
                    let value = terms.lit(value, sort);
                    found.push((format!("{name}_is_{text}"), terms.eq(x, value)));
                }
                return Some(found);
            }
            Self::Is(value) => {
                let text = value.display(&terms.sorts, terms.var_sort(var));
                let class = self.class(terms, var)?;
                return Some(vec![(format!("{name}_is_{text}"), class)]);
            }
            Self::Thresholds(cuts) => {
                let mut found = Vec::new();
                for cut in cuts {
                    let mut bound = terms.int(cut.clone());
                    if terms.var_sort(var) != terms.sorts.int() {
                        bound = build(terms, Op::ToRat, &[bound]);
                    }
                    let x = terms.var(var);
                    found.push((format!("{name}_below_{cut}"), terms.lt(x, bound)));
                }
                return Some(found);
            }
            Self::Sign => {
                let mut zero = terms.int(0);
                if terms.var_sort(var) != terms.sorts.int() {
                    zero = build(terms, Op::ToRat, &[zero]);
                }
                let x = terms.var(var);
                let (negative, positive) = (terms.lt(x, zero), terms.lt(zero, x));
                return Some(vec![
                    (format!("{name}_negative"), negative),
                    (format!("{name}_positive"), positive),
                ]);
            }
            Self::Parity => vec![(format!("{name}_odd"), 1)],
            Self::Modulo(m) => {
                let m = m.to_i64().filter(|&m| m <= 64)?;
                (1..m)
                    .map(|r| (format!("{name}_mod_{m}_is_{r}"), r))
                    .collect()
            }
            Self::Bits => return None,
            Self::Bit(i) if terms.var_sort(var) == terms.sorts.int() => {
                vec![(format!("{name}_bit_{i}"), 1)]
            }
            Self::Bit(i) => {
                let class = self.class(terms, var)?;
                let one = terms.lit(Value::Bv(Int::from(1)), terms.sort(class));
                return Some(vec![(format!("{name}_bit_{i}"), terms.eq(class, one))]);
            }
            Self::Partition(classes) => {
                let (mut found, mut earlier) = (Vec::new(), Vec::new());
                for (class, condition) in classes {
                    let mut all: Vec<TermId> = earlier.clone();
                    all.push(*condition);
                    found.push((format!("{name}_{class}"), terms.and(&all)));
                    earlier.push(terms.not(*condition));
                }
                return Some(found);
            }
        };
        let class = self.class(terms, var)?;
        let mut found = Vec::new();
        for (name, number) in classes {
            let number = terms.int(number);
            found.push((name, terms.eq(class, number)));
        }
        Some(found)
    }

    /// A class of a variable as shown to the user.
    pub fn describe(&self, terms: &Terms, var: VarId, class: &Value) -> String {
        let name = terms.name(var);
        let number = || class.as_int().and_then(Int::to_i64).unwrap_or(0);
        match self {
            Self::Any => "true".into(),
            Self::Identity => {
                let value = class.display(&terms.sorts, terms.var_sort(var));
                format!("{name} = {value}")
            }
            Self::Sign => match number() {
                ..0 => format!("{name} < 0"),
                0 => format!("{name} = 0"),
                1.. => format!("{name} > 0"),
            },
            Self::Parity => match number() {
                0 => format!("{name} is even"),
                _ => format!("{name} is odd"),
            },
            Self::Modulo(m) => format!("{name} mod {m} = {}", number()),
            Self::Bits => match number() {
                n if n < 0 => format!("{name} < 0"),
                1 => format!("{name} has 1 bit"),
                n if n > i64::from(MAX_BITS) => format!("{name} has more than {MAX_BITS} bits"),
                n => format!("{name} has {n} bits"),
            },
            Self::Bit(i) => {
                let is_set = match class {
                    Value::Int(bit) | Value::Bv(bit) => *bit == Int::ONE,
                    other => panic!("{other:?} is no bit"),
                };
                format!("bit {i} of {name} = {}", u8::from(is_set))
            }
            Self::Is(value) => {
                let value = value.display(&terms.sorts, terms.var_sort(var));
                let relation = if class.as_bool() { "=" } else { "!=" };
                format!("{name} {relation} {value}")
            }
            Self::Thresholds(cuts) => {
                let at = usize::try_from(number()).unwrap_or(0);
                match (at.checked_sub(1).map(|low| &cuts[low]), cuts.get(at)) {
                    (None, None) => "true".into(),
                    (None, Some(high)) => format!("{name} < {high}"),
                    (Some(low), None) => format!("{name} >= {low}"),
                    (Some(low), Some(high)) => format!("{low} <= {name} < {high}"),
                }
            }
            Self::Partition(classes) => {
                let at = usize::try_from(number()).unwrap_or(0);
                let class = classes.get(at).map_or("other", |(class, _)| class);
                format!("{name} is {class}")
            }
        }
    }

    /// The function with its variable as shown to the user.
    pub fn describe_itself(&self, terms: &Terms, var: VarId) -> String {
        let name = terms.name(var);
        match self {
            Self::Identity => name.to_owned(),
            Self::Any => format!("{name}:any"),
            Self::Sign => format!("{name}:sign"),
            Self::Parity => format!("{name}:parity"),
            Self::Modulo(m) => format!("{name}:mod {m}"),
            Self::Bits => format!("{name}:bits"),
            Self::Bit(i) => format!("{name}:bit {i}"),
            Self::Is(value) => {
                let value = value.display(&terms.sorts, terms.var_sort(var));
                format!("{name}:is {value}")
            }
            Self::Thresholds(cuts) => {
                let cuts: Vec<String> = cuts.iter().map(Int::to_string).collect();
                format!("{name}:at {}", cuts.join(" "))
            }
            Self::Partition(classes) => {
                let text = |(class, condition): &(String, TermId)| {
                    let condition = show_term(terms, *condition, &Dialect::GCL);
                    format!("{class}: {condition}")
                };
                let classes: Vec<String> = classes.iter().map(text).collect();
                format!("{name}:{{{}}}", classes.join(", "))
            }
        }
    }
}

/// By which functions some variables are told. A variable may have several: its class is then what they say together.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    all: Vec<(VarId, Function)>,
}

impl Functions {
    /// These.
    pub fn new(all: Vec<(VarId, Function)>) -> Self {
        Self { all }
    }

    /// All of them with their variables, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, &Function)> {
        self.all.iter().map(|(var, function)| (*var, function))
    }

    /// Those of a variable.
    pub fn of(&self, var: VarId) -> Vec<&Function> {
        let own = self.iter().filter(|&(other, _)| other == var);
        own.map(|(_, function)| function).collect()
    }

    /// Those of some variables only.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(VarId) -> bool) -> Self {
        let all = self.all.iter().filter(|(var, _)| wanted(*var));
        Self::new(all.cloned().collect())
    }
}

/// The number of the first of some bounds that `x` is below, from `first` on.
fn cases(terms: &mut Terms, x: TermId, cuts: &[Int], first: i64) -> TermId {
    let is_int = terms.sort(x) == terms.sorts.int();
    let numbered: Vec<(i64, &Int)> = (first..).zip(cuts).collect();
    let mut class = terms.int(numbered.last().map_or(first, |last| last.0 + 1));
    for &(i, cut) in numbered.iter().rev() {
        let mut cut = terms.int(cut.clone());
        if !is_int {
            cut = build(terms, Op::ToRat, &[cut]);
        }
        let number = terms.int(i);
        let below = terms.lt(x, cut);
        class = terms.ite(below, number, class);
    }
    class
}

fn modulo(terms: &mut Terms, x: TermId, m: Int) -> TermId {
    let m = terms.int(m);
    build(terms, Op::Mod, &[x, m])
}

fn build(terms: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    terms.build(op, args).expect("the sort was looked at")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_base::FxHashMap;
    use lariat_expr::{Evaluator, Substitution};

    #[test]
    fn a_bit_of_a_bit_vector_is_told() {
        let mut terms = Terms::new();
        let sort = terms.sorts.bv(2);
        let x = terms.declare("x", sort);
        for bit in [0, 1] {
            let text = Function::Bit(1).describe(&terms, x, &Value::Bv(Int::from(bit)));
            assert_eq!(text, format!("bit 1 of x = {bit}"));
        }
    }

    /// What a function tells of a number, against what it should by its definition.
    fn check(function: &Function, expected: impl Fn(i64) -> String) {
        let mut terms = Terms::new();
        let int = terms.sorts.int();
        let x = terms.declare("x", int);
        let class = function.class(&mut terms, x).expect("something is told");
        let predicates = function.predicates(&mut terms, x);
        let mut classes: Vec<(Value, Vec<TermId>)> = Vec::new();
        for value in -40..40 {
            let mut known = Substitution::new();
            let literal = terms.int(value);
            known.insert(&mut terms, x, literal);
            let put_in = known.apply(&mut terms, class);
            let env: FxHashMap<VarId, Value> = FxHashMap::default();
            let found = Evaluator::new().eval(&terms, put_in, &env);
            let found = found.expect("there is no variable left");
            let text = function.describe(&terms, x, &found);
            assert_eq!(text, expected(value), "{function:?} of {value}");
            // The predicates tell the same classes apart.
            if let Some(predicates) = &predicates {
                let truths: Vec<TermId> = predicates
                    .iter()
                    .map(|&(_, term)| known.apply(&mut terms, term))
                    .collect();
                for (other, others) in &classes {
                    assert_eq!(
                        *other == found,
                        *others == truths,
                        "{function:?} of {value}"
                    );
                }
                classes.push((found, truths));
            }
        }
    }

    #[test]
    fn functions_tell_what_they_are_defined_to_tell() {
        check(&Function::Sign, |x| match x.signum() {
            -1 => "x < 0".into(),
            0 => "x = 0".into(),
            _ => "x > 0".into(),
        });
        check(&Function::Parity, |x| {
            let even = x.rem_euclid(2) == 0;
            format!("x is {}", if even { "even" } else { "odd" })
        });
        check(&Function::Modulo(Int::from(7)), |x| {
            format!("x mod 7 = {}", x.rem_euclid(7))
        });
        check(&Function::Bits, |x| match u64::try_from(x) {
            Err(_) => "x < 0".into(),
            Ok(1) => "x has 1 bit".into(),
            Ok(x) => format!("x has {} bits", u64::BITS - x.leading_zeros()),
        });
        check(&Function::Bit(2), |x| {
            format!("bit 2 of x = {}", x >> 2 & 1)
        });
        check(&Function::Is(Value::Int(Int::from(5))), |x| {
            format!("x {} 5", if x == 5 { "=" } else { "!=" })
        });
        let cuts = [-3, 0, 10].map(Int::from).to_vec();
        check(&Function::Thresholds(cuts), |x| match x {
            ..-3 => "x < -3".into(),
            -3..0 => "-3 <= x < 0".into(),
            0..10 => "0 <= x < 10".into(),
            10.. => "x >= 10".into(),
        });
    }
}
