//! Random expressions of SMV, well typed.

use super::tree::{Binary, Expr, Shape, Type, Value, binary, int, truth};
use crate::Rng;
use rand::Rng as _;

/// What an expression may read besides the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reads {
    pub inputs: bool,
    pub next: bool,
}

pub(super) const STATE: Reads = Reads {
    inputs: false,
    next: false,
};
pub(super) const INPUTS: Reads = Reads {
    inputs: true,
    next: false,
};
pub(super) const STEP: Reads = Reads {
    inputs: true,
    next: true,
};

/// Something that can be read by a name.
#[derive(Clone)]
pub(super) struct Entry {
    pub expr: Expr,
    /// A type that holds its values.
    pub of: Type,
    pub reads: Reads,
    /// Whether it is a set, and so can only be chosen from.
    pub is_set: bool,
}

/// Kinds of values that can be compared and computed with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Bool,
    Int,
    Symbol,
    Word(Shape),
    Array,
}

fn class(of: &Type) -> Class {
    match of {
        Type::Bool => Class::Bool,
        Type::Range(..) => Class::Int,
        Type::Enum(values) => {
            let is_int = |value: &Value| matches!(value, Value::Int(_));
            if values.iter().all(is_int) {
                Class::Int
            } else {
                Class::Symbol
            }
        }
        Type::Word(shape) => Class::Word(*shape),
        Type::Array(..) => Class::Array,
    }
}

/// Makes expressions over what is in scope.
pub(super) struct Exprs<'g> {
    pub rng: &'g mut Rng,
    pub scope: &'g [Entry],
    pub reads: Reads,
}

impl Exprs<'_> {
    pub fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A name in scope whose type is accepted; under `next` if steps may be read.
    fn named(&mut self, is_set: bool, accept: impl Fn(&Type) -> bool) -> Option<Expr> {
        let reads = self.reads;
        let fits = |entry: &&Entry| {
            accept(&entry.of)
                && entry.is_set == is_set
                && (reads.inputs || !entry.reads.inputs)
                && (reads.next || !entry.reads.next)
        };
        let fitting: Vec<&Entry> = self.scope.iter().filter(fits).collect();
        if fitting.is_empty() {
            return None;
        }
        let entry = fitting[self.rng.random_range(0..fitting.len())];
        let can_prime = reads.next && entry.reads == STATE;
        let expr = entry.expr.clone();
        if can_prime && self.rng.random_bool(0.4) {
            return Some(Expr::Next(Box::new(expr)));
        }
        Some(expr)
    }

    fn of_class(&mut self, wanted: Class) -> Option<Expr> {
        if wanted != Class::Array && self.below(6) == 0 {
            let element = self.element(wanted);
            if element.is_some() {
                return element;
            }
        }
        self.named(false, |of| class(of) == wanted)
    }

    /// An element of an array, at an index that is computed.
    fn element(&mut self, wanted: Class) -> Option<Expr> {
        let bounds = self.scope.iter().filter_map(|entry| match &entry.of {
            Type::Array(low, high, element) if class(element) == wanted => Some((*low, *high)),
            _ => None,
        });
        let bounds: Vec<(i64, i64)> = bounds.collect();
        if bounds.is_empty() {
            return None;
        }
        let (low, high) = bounds[self.rng.random_range(0..bounds.len())];
        let array = self.named(false, |of| match of {
            Type::Array(from, to, element) => {
                (*from, *to) == (low, high) && class(element) == wanted
            }
            _ => false,
        })?;
        let index = self.named(false, |of| class(of) == Class::Int)?;
        let element = Expr::Index(Box::new(array.clone()), Box::new(index.clone()));
        if self.below(8) == 0 {
            return Some(element);
        }
        let inside = binary(Binary::In, index, Expr::Range(low, high));
        let first = Expr::Index(Box::new(array), Box::new(int(low)));
        Some(Expr::Case(vec![(inside, element), (truth(true), first)]))
    }

    /// A truth value.
    pub fn condition(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.below(6) == 0 {
            let named = if self.below(8) > 0 {
                self.of_class(Class::Bool)
            } else {
                None
            };
            return named.unwrap_or_else(|| match self.below(4) {
                0 => truth(self.rng.random()),
                _ => self.comparison(0),
            });
        }
        match self.below(12) {
            0 | 1 => Expr::Not(Box::new(self.condition(depth - 1))),
            2..=5 => {
                let all = [
                    Binary::And,
                    Binary::Or,
                    Binary::Xor,
                    Binary::Xnor,
                    Binary::Iff,
                    Binary::Implies,
                    Binary::Eq,
                    Binary::Ne,
                ];
                let operator = self.pick(&all);
                binary(
                    operator,
                    self.condition(depth - 1),
                    self.condition(depth - 1),
                )
            }
            6 => self.ite(depth, Self::condition),
            7 => self.case(depth, Self::condition),
            8 => {
                let of = if self.below(2) == 0 {
                    self.number(depth - 1)
                } else {
                    let shape = Shape {
                        signed: self.rng.random(),
                        width: 1,
                    };
                    self.word(shape, depth - 1)
                };
                Expr::Call("bool", vec![of])
            }
            _ => self.comparison(depth - 1),
        }
    }

    fn ite(&mut self, depth: u32, mut part: impl FnMut(&mut Self, u32) -> Expr) -> Expr {
        let condition = self.condition(depth - 1);
        let (then, otherwise) = (part(self, depth - 1), part(self, depth - 1));
        Expr::Ite(Box::new(condition), Box::new(then), Box::new(otherwise))
    }

    fn case(&mut self, depth: u32, mut part: impl FnMut(&mut Self, u32) -> Expr) -> Expr {
        let mut arms = Vec::new();
        for _ in 0..=self.below(2) {
            arms.push((self.condition(depth - 1), part(self, depth - 1)));
        }
        // Without a last one, it is undefined somewhere.
        if self.below(40) > 0 {
            arms.push((truth(true), part(self, depth - 1)));
        }
        Expr::Case(arms)
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        let orders = [
            Binary::Eq,
            Binary::Ne,
            Binary::Lt,
            Binary::Gt,
            Binary::Le,
            Binary::Ge,
        ];
        match self.below(8) {
            0 | 1 => {
                if let Some(left) = self.of_class(Class::Symbol) {
                    return self.about_symbol(left);
                }
            }
            2 | 3 => {
                let shape = self.shape();
                let (left, right) = (self.word(shape, depth), self.word(shape, depth));
                return binary(self.pick(&orders), left, right);
            }
            4 => {
                let left = self.number(depth);
                let low = self.rng.random_range(-2..4);
                let set = match self.below(3) {
                    0 => Expr::Range(low, low + self.rng.random_range(0..3)),
                    1 => Expr::Set(vec![int(low), self.number(depth)]),
                    _ => binary(Binary::Union, int(low), self.number(depth)),
                };
                return binary(Binary::In, left, set);
            }
            5 => {
                let left = self.of_class(Class::Array);
                let arrays = self
                    .scope
                    .iter()
                    .filter(|entry| class(&entry.of) == Class::Array);
                let same: Vec<Type> = arrays.map(|entry| entry.of.clone()).collect();
                if let (Some(left), [of, ..]) = (left, &same[..])
                    && same.iter().all(|other| other == of)
                    && let Some(right) = self.of_class(Class::Array)
                {
                    return binary(self.pick(&[Binary::Eq, Binary::Ne]), left, right);
                }
            }
            _ => {}
        }
        let operator = self.pick(&orders);
        binary(operator, self.number(depth), self.number(depth))
    }

    /// Something about a value of an enumeration with symbols.
    fn about_symbol(&mut self, left: Expr) -> Expr {
        let operator = self.pick(&[Binary::Eq, Binary::Ne]);
        let known = self
            .scope
            .iter()
            .filter(|entry| class(&entry.of) == Class::Symbol);
        let values: Vec<Value> = known
            .flat_map(|entry| match &entry.of {
                Type::Enum(values) => values.clone(),
                _ => Vec::new(),
            })
            .filter(|value| matches!(value, Value::Symbol(_)))
            .collect();
        let mut literal = || Expr::Literal(values[self.rng.random_range(0..values.len())].clone());
        let (a, b) = (literal(), literal());
        match self.below(4) {
            0 => binary(Binary::In, left, Expr::Set(vec![a, b])),
            1 => binary(operator, a, left),
            2 => match self.of_class(Class::Symbol) {
                Some(right) => binary(operator, left, right),
                None => binary(operator, left, b),
            },
            _ => binary(operator, left, a),
        }
    }

    /// A number.
    pub fn number(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.below(4) == 0 {
            let named = if self.below(4) > 0 {
                self.of_class(Class::Int)
            } else {
                None
            };
            return named.unwrap_or_else(|| int(self.rng.random_range(-3..6)));
        }
        match self.below(12) {
            0..=3 => {
                let operator = self.pick(&[Binary::Add, Binary::Sub, Binary::Mul]);
                binary(operator, self.number(depth - 1), self.number(depth - 1))
            }
            4 => {
                let operator = self.pick(&[Binary::Div, Binary::Mod]);
                let left = self.number(depth - 1);
                let right = self.number(depth - 1);
                match self.below(8) {
                    // Undefined where it is zero.
                    0 => binary(operator, left, right),
                    1..=3 => {
                        let is_zero = binary(Binary::Eq, right.clone(), int(0));
                        let quotient = binary(operator, left.clone(), right);
                        Expr::Ite(Box::new(is_zero), Box::new(left), Box::new(quotient))
                    }
                    _ => {
                        let by = self.pick(&[-3, -2, -1, 1, 2, 3]);
                        binary(operator, left, int(by))
                    }
                }
            }
            5 => Expr::Minus(Box::new(self.number(depth - 1))),
            6 => self.ite(depth, Self::number),
            7 => self.case(depth, Self::number),
            8 => {
                let name = self.pick(&["min", "max"]);
                Expr::Call(name, vec![self.number(depth - 1), self.number(depth - 1)])
            }
            9 => Expr::Call("abs", vec![self.number(depth - 1)]),
            10 => {
                let of = if self.below(2) == 0 {
                    self.condition(depth - 1)
                } else {
                    let shape = self.shape();
                    self.word(shape, depth - 1)
                };
                Expr::Call("toint", vec![of])
            }
            _ => {
                let n = 1 + self.below(3);
                let all = (0..n).map(|_| self.condition(depth - 1)).collect();
                Expr::Call("count", all)
            }
        }
    }

    /// The shape of some word in scope, or another one.
    fn shape(&mut self) -> Shape {
        let shapes = self.scope.iter().filter_map(|entry| match entry.of {
            Type::Word(shape) => Some(shape),
            _ => None,
        });
        let shapes: Vec<Shape> = shapes.collect();
        if shapes.is_empty() || self.below(5) == 0 {
            return Shape {
                signed: self.rng.random(),
                width: self.rng.random_range(1..4),
            };
        }
        self.pick(&shapes)
    }

    /// A word of a shape.
    pub fn word(&mut self, shape: Shape, depth: u32) -> Expr {
        if depth == 0 || self.below(4) == 0 {
            let named = if self.below(5) > 0 {
                self.of_class(Class::Word(shape))
            } else {
                None
            };
            return named.unwrap_or_else(|| {
                let bits = self.rng.random_range(0..1 << shape.width);
                Expr::Literal(Value::Word(shape, bits))
            });
        }
        let Shape { signed, width } = shape;
        let sub = depth - 1;
        match self.below(13) {
            0..=3 => {
                let all = [
                    Binary::Add,
                    Binary::Sub,
                    Binary::Mul,
                    Binary::And,
                    Binary::Or,
                    Binary::Xor,
                    Binary::Xnor,
                    Binary::Implies,
                    Binary::Iff,
                ];
                binary(
                    self.pick(&all),
                    self.word(shape, sub),
                    self.word(shape, sub),
                )
            }
            4 => {
                let by = if self.below(3) == 0 {
                    self.word(shape, sub)
                } else {
                    let bits = self.rng.random_range(1..1 << width);
                    Expr::Literal(Value::Word(shape, bits))
                };
                binary(
                    self.pick(&[Binary::Div, Binary::Mod]),
                    self.word(shape, sub),
                    by,
                )
            }
            5 => Expr::Not(Box::new(self.word(shape, sub))),
            6 => Expr::Minus(Box::new(self.word(shape, sub))),
            7 => {
                let by = if self.below(3) == 0 {
                    let other = Shape {
                        signed: false,
                        width: 1 + self.below(4) as u32,
                    };
                    self.word(other, sub)
                } else {
                    int(self.rng.random_range(0..=i64::from(width)))
                };
                binary(
                    self.pick(&[Binary::Shl, Binary::Shr]),
                    self.word(shape, sub),
                    by,
                )
            }
            8 => self.ite(depth, |own, depth| own.word(shape, depth)),
            9 => self.case(depth, |own, depth| own.word(shape, depth)),
            10 => {
                let other = Shape {
                    signed: !signed,
                    width,
                };
                let name = if signed { "signed" } else { "unsigned" };
                Expr::Call(name, vec![self.word(other, sub)])
            }
            11 => {
                let old = Shape {
                    signed,
                    width: self.rng.random_range(1..5),
                };
                if old.width < width && self.below(2) == 0 {
                    let by = int(i64::from(width - old.width));
                    return Expr::Call("extend", vec![self.word(old, sub), by]);
                }
                let to = int(i64::from(width));
                Expr::Call("resize", vec![self.word(old, sub), to])
            }
            _ => self.special_word(shape, sub),
        }
    }

    fn special_word(&mut self, Shape { signed, width }: Shape, depth: u32) -> Expr {
        if signed {
            let (low, high) = (-(1 << (width - 1)), 1 << (width - 1));
            let value = int(self.rng.random_range(low..high));
            return Expr::Call("swconst", vec![value, int(i64::from(width))]);
        }
        let other = |signed, width| Shape { signed, width };
        match self.below(4) {
            0 if width == 1 => Expr::Call("word1", vec![self.condition(depth)]),
            1 => {
                let low = self.rng.random_range(0..2);
                let old = other(self.rng.random(), low + width + self.rng.random_range(0..2));
                Expr::Slice(Box::new(self.word(old, depth)), low + width - 1, low)
            }
            2 if width > 1 => {
                let low = self.rng.random_range(1..width);
                let [left, right] = [width - low, low].map(|width| {
                    let shape = other(self.rng.random(), width);
                    self.word(shape, depth)
                });
                binary(Binary::Concat, left, right)
            }
            _ => {
                let value = int(self.rng.random_range(0..1 << width));
                Expr::Call("uwconst", vec![value, int(i64::from(width))])
            }
        }
    }

    /// A value of a type. Now and then one that can be outside of it.
    pub fn fitting(&mut self, of: &Type, depth: u32) -> Expr {
        let values = match of {
            Type::Bool => return self.condition(depth),
            Type::Word(shape) => return self.word(*shape, depth),
            Type::Range(low, high) => (*low..=*high).map(Value::Int).collect(),
            Type::Enum(values) => values.clone(),
            Type::Array(..) => panic!("arrays are assigned element by element"),
        };
        let literal = Expr::Literal(values[self.below(values.len())].clone());
        match self.below(8) {
            0 => literal,
            1..=3 => self.named(false, |other| other == of).unwrap_or(literal),
            _ if class(of) == Class::Symbol => match self.below(12) {
                0 => self.of_class(Class::Symbol).unwrap_or(literal),
                1 if values.contains(&Value::Int(1)) => {
                    let is_small = |of: &Type| matches!(of, Type::Range(1, _));
                    self.named(false, is_small).unwrap_or(literal)
                }
                _ => literal,
            },
            _ => {
                let number = self.number(depth);
                match (of, self.below(12)) {
                    (_, 0) => number,
                    (Type::Range(low, high), 1..=5) => {
                        let size = Expr::Call("abs", vec![number]);
                        let rest = binary(Binary::Mod, size, int(high - low + 1));
                        binary(Binary::Add, rest, int(*low))
                    }
                    _ => {
                        let all = values.into_iter().map(Expr::Literal).collect();
                        let inside = binary(Binary::In, number.clone(), Expr::Set(all));
                        Expr::Case(vec![(inside, number), (truth(true), literal)])
                    }
                }
            }
        }
    }

    /// A value of a type, or a set of such values.
    pub fn choice(&mut self, of: &Type, depth: u32) -> Expr {
        if depth == 0 {
            return self.fitting(of, depth);
        }
        let sub = depth - 1;
        match (self.below(10), of) {
            (0 | 1, _) => {
                let n = 1 + self.below(3);
                Expr::Set((0..n).map(|_| self.fitting(of, sub)).collect())
            }
            (2, Type::Range(low, high)) if low < high => {
                let from = self.rng.random_range(*low..*high);
                Expr::Range(from, self.rng.random_range(from + 1..=*high))
            }
            (3, _) => binary(Binary::Union, self.choice(of, sub), self.choice(of, sub)),
            (4, _) => self.ite(depth, |own, depth| own.choice(of, depth)),
            (5 | 6, _) => self.case(depth, |own, depth| own.choice(of, depth)),
            (7, _) => match self.named(true, |other| other == of) {
                // A set does not stand under `next`.
                Some(Expr::Next(_)) | None => self.fitting(of, depth),
                Some(set) => set,
            },
            _ => self.fitting(of, depth),
        }
    }
}
