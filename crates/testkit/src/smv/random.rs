//! Random small models of SMV with all that the language has for finite ones: modules with parameters, processes, inputs, frozen
//! variables, words, arrays, enumerations with numbers in them, sets, constraints, fairness, formulas with past operators.

use super::expression::{Entry, Exprs, INPUTS, Reads, STATE, STEP};
use super::flat::Flat;
use super::tree::{
    Binary, Expr, Formula, Member, Module, Role, Shape, SmvModel, Time, Type, Value, int, name,
};
use crate::Rng;
use rand::Rng as _;

/// The most states and inputs of a model, reachable or not.
const MAX_STATES: usize = 96;
const MAX_INPUTS: usize = 8;

/// A random model with few states. Some are illegal for what their values can be: see [`super::decide_smv`].
pub fn random_smv(rng: &mut Rng) -> SmvModel {
    loop {
        let model = Gen { rng, n_names: 0 }.model();
        let flat = Flat::new(&model);
        let is_small =
            flat.n_valuations(false) <= MAX_STATES && flat.n_valuations(true) <= MAX_INPUTS;
        if is_small && !flat.is_circular() {
            return model;
        }
    }
}

/// The symbolic values of all models.
const SYMBOLS: [&str; 4] = ["red", "green", "blue", "off"];

struct Gen<'g> {
    rng: &'g mut Rng,
    n_names: usize,
}

/// What a module takes for a parameter.
enum Parameter {
    /// Any expression of a type.
    Value(Type),
    /// A variable of a type, which the module assigns.
    Target(Type),
    /// An instance of the module before.
    Instance,
}

/// A module that others can use.
struct Kind {
    module: Module,
    parameters: Vec<Parameter>,
    /// What an instance can be asked for.
    exports: Vec<(String, Type, Reads)>,
    is_process: bool,
}

/// A module while it is made.
#[derive(Default)]
struct Draft {
    scope: Vec<Entry>,
    members: Vec<Member>,
    exports: Vec<(String, Type, Reads)>,
}

impl Draft {
    fn enter(&mut self, expr: Expr, of: &Type, reads: Reads) {
        if let Type::Array(low, high, element) = of {
            for at in *low..=*high {
                let part = Expr::Index(Box::new(expr.clone()), Box::new(int(at)));
                self.enter(part, element, reads);
            }
        }
        self.scope.push(Entry {
            expr,
            of: of.clone(),
            reads,
            is_set: false,
        });
    }
}

impl Gen<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_ratio(percent, 100)
    }

    fn exprs<'s>(&'s mut self, draft: &'s Draft, reads: Reads) -> Exprs<'s> {
        Exprs {
            rng: self.rng,
            scope: &draft.scope,
            reads,
        }
    }

    fn model(&mut self) -> SmvModel {
        let mut kinds: Vec<Kind> = Vec::new();
        for at in 0..self.below(3) {
            let kind = self.kind(at, kinds.last());
            kinds.push(kind);
        }
        let mut modules = vec![self.main(&kinds)];
        modules.extend(kinds.into_iter().map(|kind| kind.module));
        SmvModel { modules }
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.n_names += 1;
        format!("{prefix}{}", self.n_names)
    }

    fn scalar(&mut self) -> Type {
        let symbol = |it: &str| Value::Symbol(it.into());
        let [red, green, blue, off] = SYMBOLS.map(symbol);
        match self.below(12) {
            0..=3 => Type::Bool,
            4 | 5 => {
                let low = self.rng.random_range(-2..3);
                Type::Range(low, low + self.rng.random_range(0..4))
            }
            6 => Type::Enum(vec![red, green, blue]),
            7 => Type::Enum(vec![green, off]),
            8 => Type::Enum(vec![off, Value::Int(1), Value::Int(2)]),
            9 => Type::Enum([-1, 2, 3].map(Value::Int).to_vec()),
            _ => Type::Word(Shape {
                signed: self.rng.random(),
                width: self.rng.random_range(1..4),
            }),
        }
    }

    /// A type whose literals are all of one class: not numbers of an enumeration with symbols.
    fn plain(&mut self) -> Type {
        loop {
            let of = self.scalar();
            let is_mixed = matches!(&of, Type::Enum(values) if values.contains(&Value::Int(1)));
            if !is_mixed {
                return of;
            }
        }
    }

    fn declare(&mut self, draft: &mut Draft, role: Role) {
        let mut of = self.scalar();
        if role == Role::State && self.chance(12) {
            let low = self.rng.random_range(-1..2);
            of = Type::Array(low, low + 1, Box::new(of));
        }
        let own = self.fresh(match role {
            Role::State => "v",
            Role::Input => "i",
            Role::Frozen => "f",
        });
        let reads = if role == Role::Input { INPUTS } else { STATE };
        draft.enter(name(&own), &of, reads);
        if role == Role::State && !matches!(of, Type::Array(..)) {
            draft.exports.push((own.clone(), of.clone(), STATE));
        }
        draft.members.push(Member::Variable(role, own, of));
    }

    fn define(&mut self, draft: &mut Draft) {
        let reads = match self.below(5) {
            0 => STEP,
            1 => INPUTS,
            _ => STATE,
        };
        let of = self.plain();
        let is_set = self.chance(25);
        let depth = 2;
        let mut exprs = self.exprs(draft, reads);
        let value = match (&of, is_set) {
            (_, true) => exprs.choice(&of, depth),
            // Of a number it is not known in which range it is.
            (Type::Range(..), false) => exprs.number(depth),
            (Type::Enum(_), false) => exprs.fitting(&of, 0),
            _ => exprs.fitting(&of, depth),
        };
        let own = self.fresh("d");
        // Numbers of all sizes are in no type that a variable has.
        let of = match of {
            Type::Range(..) if !is_set => Type::Range(i64::MIN, i64::MAX),
            other => other,
        };
        draft.scope.push(Entry {
            expr: name(&own),
            of: of.clone(),
            reads,
            is_set,
        });
        if !is_set {
            draft.exports.push((own.clone(), of, reads));
        }
        draft.members.push(Member::Define(own, value));
    }

    /// How the variables of a module, or the elements of its arrays, get their values.
    fn assign(&mut self, draft: &mut Draft) {
        let variables = draft.members.iter().filter_map(|member| match member {
            Member::Variable(role @ (Role::State | Role::Frozen), name, of) => {
                Some((*role, name.clone(), of.clone()))
            }
            _ => None,
        });
        let variables: Vec<(Role, String, Type)> = variables.collect();
        for (role, own, of) in variables {
            let targets = match of {
                Type::Array(low, high, element) => (low..=high)
                    .map(|at| Expr::Index(Box::new(name(&own)), Box::new(int(at))))
                    .map(|target| (target, (*element).clone()))
                    .collect(),
                scalar => vec![(name(&own), scalar)],
            };
            for (target, of) in targets {
                let style = self.below(10);
                let mut add = |time: Time, reads: Reads| {
                    let value = self.exprs(draft, reads).choice(&of, 2);
                    let member = Member::Assign(time, target.clone(), value);
                    draft.members.push(member);
                };
                match style {
                    // What is frozen gets its value at the start.
                    0 if role == Role::State => add(Time::Always, STATE),
                    1..=6 => {
                        add(Time::Init, STATE);
                        if role == Role::State {
                            add(Time::Next, if style < 3 { STEP } else { INPUTS });
                        }
                    }
                    7 if role == Role::State => add(Time::Next, INPUTS),
                    _ => {}
                }
            }
        }
    }

    /// A condition that is true more often than not.
    fn lenient(&mut self, draft: &Draft, reads: Reads) -> Expr {
        let (left, right) = {
            let mut exprs = self.exprs(draft, reads);
            (exprs.condition(1), exprs.condition(2))
        };
        Expr::Binary(Binary::Or, Box::new(left), Box::new(right))
    }

    fn constrain(&mut self, draft: &mut Draft, percent: u32) {
        if self.chance(percent) {
            let of = self.lenient(draft, STATE);
            draft.members.push(Member::Init(of));
        }
        if self.chance(percent) {
            let of = self.lenient(draft, STATE);
            draft.members.push(Member::Invar(of));
        }
        if self.chance(percent) {
            let of = self.lenient(draft, STEP);
            draft.members.push(Member::Trans(of));
        }
        if self.chance(percent) {
            let of = self.lenient(draft, INPUTS);
            draft.members.push(Member::Justice(of));
        }
        if self.chance(percent / 2) {
            let mut exprs = self.exprs(draft, INPUTS);
            let member = Member::Compassion(exprs.condition(1), exprs.condition(1));
            draft.members.push(member);
        }
    }

    fn kind(&mut self, at: usize, before: Option<&Kind>) -> Kind {
        let mut draft = Draft::default();
        let mut parameters = Vec::new();
        let mut names = Vec::new();
        for _ in 0..self.below(3) {
            let own = self.fresh("p");
            let parameter = match (self.below(4), before) {
                (0, Some(before)) => {
                    for (export, of, reads) in &before.exports {
                        let path = Expr::Dot(Box::new(name(&own)), export.clone());
                        draft.enter(path, of, *reads);
                    }
                    Parameter::Instance
                }
                (1, _) => {
                    let of = self.scalar();
                    draft.enter(name(&own), &of, STATE);
                    let value = self.exprs(&draft, INPUTS).choice(&of, 2);
                    let member = Member::Assign(Time::Next, name(&own), value);
                    draft.members.push(member);
                    Parameter::Target(of)
                }
                _ => {
                    let of = self.plain();
                    draft.enter(name(&own), &of, STATE);
                    Parameter::Value(of)
                }
            };
            parameters.push(parameter);
            names.push(own);
        }
        for _ in 0..self.below(3) {
            self.declare(&mut draft, Role::State);
        }
        if self.chance(50) {
            self.define(&mut draft);
        }
        self.assign(&mut draft);
        self.constrain(&mut draft, 10);
        Kind {
            module: Module {
                name: format!("m{at}"),
                parameters: names,
                members: draft.members,
            },
            parameters,
            exports: draft.exports,
            is_process: self.chance(30),
        }
    }

    fn main(&mut self, kinds: &[Kind]) -> Module {
        let mut draft = Draft::default();
        draft.members.push(Member::Constants(SYMBOLS.to_vec()));
        for _ in 0..=self.below(3) {
            self.declare(&mut draft, Role::State);
        }
        if self.chance(20) {
            self.declare(&mut draft, Role::Frozen);
        }
        if self.chance(40) {
            self.declare(&mut draft, Role::Input);
        }
        for _ in 0..self.below(3) {
            self.define(&mut draft);
        }
        self.assign(&mut draft);
        let mut has_process = false;
        let mut instances: Vec<(usize, String)> = Vec::new();
        for (at, kind) in kinds.iter().enumerate() {
            let mut targets: Vec<Option<Expr>> = vec![None; kind.parameters.len()];
            for _ in 0..=self.below(2) {
                let of = instances.iter().rev().find(|(of, _)| of + 1 == at);
                let of = of.map(|(_, name)| name.clone());
                let Some(arguments) = self.arguments(&mut draft, kind, of, &mut targets) else {
                    continue;
                };
                let own = self.fresh("m");
                draft.members.push(Member::Instance {
                    name: own.clone(),
                    process: kind.is_process,
                    module: kind.module.name.clone(),
                    arguments,
                });
                for (export, of, reads) in &kind.exports {
                    let path = Expr::Dot(Box::new(name(&own)), export.clone());
                    draft.enter(path, of, *reads);
                }
                if kind.is_process {
                    has_process = true;
                    let path = Expr::Dot(Box::new(name(&own)), "running".into());
                    draft.enter(path, &Type::Bool, INPUTS);
                }
                instances.push((at, own));
            }
        }
        if has_process {
            draft.enter(name("running"), &Type::Bool, INPUTS);
        }
        self.constrain(&mut draft, 30);
        for _ in 0..=self.below(2) {
            let formula = Formulas {
                exprs: self.exprs(&draft, STATE),
                left: 3,
            }
            .formula(4);
            draft.members.push(Member::Ltl(formula));
        }
        if self.chance(40) {
            let reads = if self.chance(30) { STEP } else { STATE };
            let of = self.lenient(&draft, reads);
            draft.members.push(Member::Invariant(of));
        }
        Module {
            name: "main".into(),
            parameters: Vec::new(),
            members: draft.members,
        }
    }

    /// What an instance is given; nothing if there is no variable that it could assign. Processes may share one.
    fn arguments(
        &mut self,
        draft: &mut Draft,
        kind: &Kind,
        before: Option<String>,
        targets: &mut [Option<Expr>],
    ) -> Option<Vec<Expr>> {
        let mut arguments = Vec::new();
        for (parameter, target) in kind.parameters.iter().zip(targets) {
            arguments.push(match parameter {
                Parameter::Instance => name(before.as_ref()?),
                Parameter::Value(of) => {
                    let mut exprs = self.exprs(draft, STATE);
                    match of {
                        Type::Range(..) => exprs.number(1),
                        _ => exprs.fitting(of, 1),
                    }
                }
                Parameter::Target(of) => {
                    if let (Some(known), true) = (&target, kind.is_process && self.chance(70)) {
                        arguments.push(known.clone());
                        continue;
                    }
                    // A type of its own, so that what is assigned fits.
                    let own = self.fresh("v");
                    draft.enter(name(&own), of, STATE);
                    let variable = Member::Variable(Role::State, own.clone(), of.clone());
                    draft.members.push(variable);
                    *target = Some(name(&own));
                    name(&own)
                }
            });
        }
        Some(arguments)
    }
}

/// Makes formulas with a bounded number of temporal operators.
struct Formulas<'g> {
    exprs: Exprs<'g>,
    left: usize,
}

impl Formulas<'_> {
    fn formula(&mut self, depth: u32) -> Formula {
        let n = self.exprs.below(10);
        if depth == 0 || (self.left == 0 && n < 5) {
            self.exprs.reads = match self.exprs.below(6) {
                0 => STEP,
                1 => INPUTS,
                _ => STATE,
            };
            return Formula::Atom(self.exprs.condition(1));
        }
        let sub = depth - 1;
        if self.left > 0 && n < 6 {
            self.left -= 1;
            let all = ['X', 'F', 'G', 'Y', 'Z', 'H', 'O', 'F', 'G'];
            return match n {
                0 => {
                    let operator = ['U', 'V', 'S', 'T'][self.exprs.below(4)];
                    let (left, right) = (self.formula(sub), self.formula(sub));
                    Formula::Binary(operator, Box::new(left), Box::new(right))
                }
                1 if self.left > 0 => {
                    self.left -= 1;
                    let operator = ['F', 'G', 'O', 'H'][self.exprs.below(4)];
                    let low = self.exprs.below(2) as u32;
                    let high = low + self.exprs.below(2) as u32;
                    let of = self.formula(sub);
                    Formula::Unary(operator, Some((low, high)), Box::new(of))
                }
                _ => {
                    let operator = all[self.exprs.below(all.len())];
                    Formula::Unary(operator, None, Box::new(self.formula(sub)))
                }
            };
        }
        if n == 6 {
            return Formula::Not(Box::new(self.formula(sub)));
        }
        let all = [
            Binary::And,
            Binary::Or,
            Binary::Xor,
            Binary::Xnor,
            Binary::Implies,
            Binary::Iff,
        ];
        let operator = all[self.exprs.below(all.len())];
        let (left, right) = (self.formula(sub), self.formula(sub));
        Formula::Logic(operator, Box::new(left), Box::new(right))
    }
}
