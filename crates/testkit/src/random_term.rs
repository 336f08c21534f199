//! Random well-sorted terms, as plain trees that nothing has simplified.

use crate::Rng;
use lariat_expr::{BvOp, Int, Op, Rat, Sort, SortId, TermId, Terms, Value, VarId};
use rand::Rng as _;

/// A term as it was drawn.
#[derive(Clone, Debug)]
pub enum RawTerm {
    /// A variable.
    Var(VarId),
    /// A literal.
    Lit(Value, SortId),
    /// An operator.
    Op(Op, Vec<RawTerm>),
}

impl RawTerm {
    /// The same term through the simplifying builder.
    pub fn build(&self, terms: &mut Terms) -> TermId {
        match self {
            Self::Var(var) => terms.var(*var),
            Self::Lit(value, sort) => terms.lit(value.clone(), *sort),
            Self::Op(op, args) => {
                let args: Vec<TermId> = args.iter().map(|arg| arg.build(terms)).collect();
                terms
                    .build(*op, &args)
                    .expect("the generator draws well-sorted terms")
            }
        }
    }
}

/// Draws terms over a few variables of each sort.
#[derive(Debug)]
pub struct TermGen {
    /// The variables.
    pub vars: Vec<VarId>,
    sorts: Vec<SortId>,
}

impl TermGen {
    /// Two variables of each sort that the compiled machine knows.
    pub fn scalar(terms: &mut Terms) -> Self {
        let color = terms.sorts.enumeration("Color", ["red", "green", "blue"]);
        let sorts = vec![terms.sorts.bool(), terms.sorts.int(), color];
        Self::new(terms, sorts)
    }

    /// Two variables of every kind of sort.
    pub fn all(terms: &mut Terms) -> Self {
        let mut gen_ = Self::scalar(terms);
        let (bool_, int, rat) = (terms.sorts.bool(), terms.sorts.int(), terms.sorts.rat());
        let (narrow, wide) = (terms.sorts.bv(4), terms.sorts.bv(70));
        let arrays = [
            terms.sorts.array(int, int),
            terms.sorts.array(bool_, int),
            terms.sorts.array(narrow, bool_),
        ];
        gen_.sorts.extend([rat, narrow, wide]);
        gen_.sorts.extend(arrays);
        let sorts = std::mem::take(&mut gen_.sorts);
        Self::new(terms, sorts)
    }

    /// One variable of each sort that the compiled machine knows, all other than those of [`scalar`](Self::scalar): for
    /// what a property must not see.
    pub fn idle(terms: &mut Terms) -> Self {
        let shades = ["white", "grey", "black", "none"];
        let shade = terms.sorts.enumeration("Shade", shades);
        let sorts = vec![terms.sorts.bool(), terms.sorts.int(), shade];
        let declare = |(i, &sort)| terms.declare(&format!("idle{i}"), sort);
        let vars = sorts.iter().enumerate().map(declare).collect();
        Self { vars, sorts }
    }

    fn new(terms: &mut Terms, sorts: Vec<SortId>) -> Self {
        let mut vars = Vec::new();
        for (i, &sort) in sorts.iter().enumerate() {
            vars.extend([
                terms.declare(&format!("a{i}"), sort),
                terms.declare(&format!("b{i}"), sort),
            ]);
        }
        Self { vars, sorts }
    }

    /// A random sort.
    pub fn sort(&self, rng: &mut Rng) -> SortId {
        self.sorts[rng.random_range(0..self.sorts.len())]
    }

    /// A random value of a sort: mostly small, sometimes at the edges of machine words.
    pub fn value(&self, terms: &Terms, sort: SortId, rng: &mut Rng) -> Value {
        random_value(terms, sort, rng)
    }

    /// A random term of a sort with about `size` operators.
    pub fn term(&self, terms: &mut Terms, sort: SortId, size: usize, rng: &mut Rng) -> RawTerm {
        if size == 0 || rng.random_range(0..8) == 0 {
            return self.leaf(terms, sort, rng);
        }
        let (op, args) = self.operator(terms, sort, rng);
        let share = (size - 1) / args.len().max(1);
        let args = args
            .into_iter()
            .map(|arg| self.term(terms, arg, share, rng))
            .collect();
        RawTerm::Op(op, args)
    }

    fn leaf(&self, terms: &Terms, sort: SortId, rng: &mut Rng) -> RawTerm {
        let fitting: Vec<VarId> = self
            .vars
            .iter()
            .copied()
            .filter(|&v| terms.var_sort(v) == sort)
            .collect();
        if fitting.is_empty() || rng.random_range(0..3) == 0 {
            return RawTerm::Lit(self.value(terms, sort, rng), sort);
        }
        RawTerm::Var(fitting[rng.random_range(0..fitting.len())])
    }

    /// An operator with this result sort, and the sorts of its arguments.
    fn operator(&self, terms: &mut Terms, sort: SortId, rng: &mut Rng) -> (Op, Vec<SortId>) {
        let (bool_, int, rat) = (terms.sorts.bool(), terms.sorts.int(), terms.sorts.rat());
        let mut choices: Vec<(Op, Vec<SortId>)> = vec![(Op::Ite, vec![bool_, sort, sort])];
        let n = rng.random_range(1..4);
        for &array in &self.sorts {
            if let Some((index, element)) = terms.sorts.as_array(array)
                && element == sort
            {
                choices.push((Op::Select, vec![array, index]));
            }
        }
        let has_rat = self.sorts.contains(&rat);
        let kind = terms.sorts.get(sort).clone();
        match kind {
            Sort::Bool => {
                let any = self.sort(rng);
                choices.extend([
                    (Op::Not, vec![bool_]),
                    (Op::And, vec![bool_; n]),
                    (Op::Or, vec![bool_; n]),
                    (Op::Eq, vec![any, any]),
                    (Op::Eq, vec![bool_, bool_]),
                    (Op::Le, vec![int, int]),
                    (Op::Lt, vec![int, int]),
                ]);
                if has_rat {
                    choices.extend([(Op::Le, vec![rat, rat]), (Op::Lt, vec![rat, rat])]);
                }
                if let Some(bv) = self.bit_vector(terms, rng) {
                    let comparisons = [BvOp::Ult, BvOp::Ule, BvOp::Slt, BvOp::Sle];
                    choices.extend(comparisons.map(|op| (Op::Bv(op), vec![bv, bv])));
                }
            }
            Sort::Int => {
                choices.extend([
                    (Op::Add, vec![int; n]),
                    (Op::Mul, vec![int; n]),
                    (Op::Div, vec![int, int]),
                    (Op::Mod, vec![int, int]),
                    (Op::Rem, vec![int, int]),
                ]);
                if has_rat {
                    choices.push((Op::ToInt, vec![rat]));
                }
                if let Some(bv) = self.bit_vector(terms, rng) {
                    choices.push((Op::Bv(BvOp::ToNat), vec![bv]));
                }
            }
            Sort::Rat => choices.extend([
                (Op::Add, vec![rat; n]),
                (Op::Mul, vec![rat; n]),
                (Op::RatDiv, vec![rat, rat]),
                (Op::ToRat, vec![int]),
            ]),
            Sort::Enum(_) => {}
            Sort::Bv(width) => Self::bit_vector_choices(terms, sort, width, &mut choices, rng),
            Sort::Array { index, element } => choices.extend([
                (Op::Store, vec![sort, index, element]),
                (Op::Store, vec![sort, index, element]),
                (Op::ConstArray(sort), vec![element]),
            ]),
        }
        choices.swap_remove(rng.random_range(0..choices.len()))
    }

    fn bit_vector_choices(
        terms: &mut Terms,
        sort: SortId,
        width: u32,
        choices: &mut Vec<(Op, Vec<SortId>)>,
        rng: &mut Rng,
    ) {
        let binary = [
            BvOp::Add,
            BvOp::Sub,
            BvOp::Mul,
            BvOp::Udiv,
            BvOp::Urem,
            BvOp::Sdiv,
            BvOp::Srem,
            BvOp::Smod,
            BvOp::And,
            BvOp::Or,
            BvOp::Xor,
            BvOp::Shl,
            BvOp::Lshr,
            BvOp::Ashr,
            BvOp::Rotl,
            BvOp::Rotr,
        ];
        choices.extend(binary.map(|op| (Op::Bv(op), vec![sort, sort])));
        choices.extend([BvOp::Neg, BvOp::Not].map(|op| (Op::Bv(op), vec![sort])));
        choices.push((Op::Bv(BvOp::OfInt(width)), vec![terms.sorts.int()]));
        if width > 1 {
            let left = rng.random_range(1..width);
            let (left_sort, right_sort) = (terms.sorts.bv(left), terms.sorts.bv(width - left));
            choices.push((Op::Bv(BvOp::Concat), vec![left_sort, right_sort]));
            choices.push((Op::Bv(BvOp::Zext(width)), vec![left_sort]));
            choices.push((Op::Bv(BvOp::Sext(width)), vec![left_sort]));
        }
        let low = rng.random_range(0..3);
        let from = terms.sorts.bv(width + low + rng.random_range(0..3));
        choices.push((
            Op::Bv(BvOp::Extract {
                high: low + width - 1,
                low,
            }),
            vec![from],
        ));
    }

    /// One of our bit-vector sorts, if there are any.
    fn bit_vector(&self, terms: &Terms, rng: &mut Rng) -> Option<SortId> {
        let all: Vec<SortId> = self
            .sorts
            .iter()
            .copied()
            .filter(|&sort| terms.sorts.bv_width(sort).is_some())
            .collect();
        (!all.is_empty()).then(|| all[rng.random_range(0..all.len())])
    }
}

/// A random value of a sort: mostly small, sometimes at the edges of machine words.
fn random_value(terms: &Terms, sort: SortId, rng: &mut Rng) -> Value {
    let int = |rng: &mut Rng| match rng.random_range(0..12) {
        0 => Int::from(i64::MAX),
        1 => Int::from(i64::MIN),
        2 => &Int::from(i64::MAX) * &Int::from(rng.random_range(-3..4)),
        _ => Int::from(rng.random_range(-5..6)),
    };
    match terms.sorts.get(sort) {
        Sort::Bool => Value::Bool(rng.random()),
        Sort::Int => Value::Int(int(rng)),
        Sort::Rat => {
            let denominator = Int::from(rng.random_range(1..5));
            Value::Rat(Rat::new(int(rng), denominator).expect("a positive denominator"))
        }
        Sort::Enum(decl) => Value::Enum(rng.random_range(0..decl.literals.len() as u32)),
        Sort::Bv(width) => {
            Value::Bv(Int::from(rng.random::<i64>()).mod_euclid(&Int::power_of_two(*width)))
        }
        Sort::Array { index, element } => {
            let (index, element) = (*index, *element);
            let mut map = lariat_expr::ArrayValue::constant(random_value(terms, element, rng));
            for _ in 0..rng.random_range(0..4) {
                let (at, value) = (
                    random_value(terms, index, rng),
                    random_value(terms, element, rng),
                );
                map = map.with(&terms.sorts, index, at, value);
            }
            Value::Array(map.into())
        }
    }
}
