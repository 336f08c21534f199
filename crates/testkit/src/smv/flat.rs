//! What the names of a model mean: instances, and the variables of all of them.

use super::tree::{Expr, Member, Role, Shape, SmvModel, Time, Type, Value};
use std::collections::HashMap;

/// A variable of the whole model, without arrays.
pub(super) struct Variable {
    pub role: Role,
    /// The values of its type.
    pub values: Vec<Value>,
}

/// Where the values of a declared name are.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Variable(usize),
    Array(i64, Vec<Place>),
}

/// What a name means inside of an instance.
#[derive(Clone)]
pub(super) enum Meaning<'m> {
    Place(Place),
    /// An expression, and the instance in which it is read.
    Define(&'m Expr, usize),
    Instance(usize),
    /// Whether a process moves.
    Running(usize),
}

pub(super) struct Instance<'m> {
    pub names: HashMap<String, Meaning<'m>>,
    /// The process that its assignments belong to.
    pub process: usize,
}

/// All instances of a model and what belongs to them.
pub(super) struct Flat<'m> {
    pub variables: Vec<Variable>,
    pub instances: Vec<Instance<'m>>,
    /// Each member of each module with its instance.
    pub members: Vec<(usize, &'m Member)>,
    pub n_processes: usize,
    /// The input that says which process moves, if there are several.
    pub selector: Option<usize>,
}

impl<'m> Flat<'m> {
    pub fn new(model: &'m SmvModel) -> Self {
        let mut flat = Self {
            variables: Vec::new(),
            instances: Vec::new(),
            members: Vec::new(),
            n_processes: 1,
            selector: None,
        };
        flat.instance(model, "main", Vec::new(), 0);
        if flat.n_processes > 1 {
            let values = (0..flat.n_processes as i64).map(Value::Int).collect();
            flat.selector = Some(flat.variables.len());
            flat.variables.push(Variable {
                role: Role::Input,
                values,
            });
        }
        flat
    }

    /// Makes an instance; the modules of the generator are nested but a few levels deep.
    fn instance(
        &mut self,
        model: &'m SmvModel,
        of: &str,
        arguments: Vec<Meaning<'m>>,
        process: usize,
    ) -> usize {
        let mut modules = model.modules.iter();
        let module = modules.find(|module| module.name == of).expect("declared");
        let id = self.instances.len();
        let parameters = module.parameters.iter().cloned();
        let mut names: HashMap<String, Meaning<'m>> = parameters.zip(arguments).collect();
        if id == 0 || process != 0 {
            names.insert("running".into(), Meaning::Running(process));
        }
        self.instances.push(Instance { names, process });
        for member in &module.members {
            self.members.push((id, member));
            let (name, meaning) = match member {
                Member::Variable(role, name, of) => (name, Meaning::Place(self.place(*role, of))),
                Member::Define(name, value) => (name, Meaning::Define(value, id)),
                Member::Instance {
                    name,
                    process,
                    module,
                    arguments,
                } => {
                    let own = if *process {
                        self.n_processes += 1;
                        self.n_processes - 1
                    } else {
                        self.instances[id].process
                    };
                    let arguments = arguments.iter().map(|it| Meaning::Define(it, id)).collect();
                    (
                        name,
                        Meaning::Instance(self.instance(model, module, arguments, own)),
                    )
                }
                _ => continue,
            };
            self.instances[id].names.insert(name.clone(), meaning);
        }
        id
    }

    fn place(&mut self, role: Role, of: &Type) -> Place {
        if let Type::Array(low, high, element) = of {
            let places = (*low..=*high).map(|_| self.place(role, element)).collect();
            return Place::Array(*low, places);
        }
        self.variables.push(Variable {
            role,
            values: values_of(of),
        });
        Place::Variable(self.variables.len() - 1)
    }

    /// How many valuations variables of these roles have.
    pub fn n_valuations(&self, is_input: bool) -> usize {
        let variables = self.variables.iter();
        let own = variables.filter(|variable| (variable.role == Role::Input) == is_input);
        own.map(|variable| variable.values.len()).product()
    }

    /// The variable that an expression on the left of an assignment names.
    pub fn target(&self, instance: usize, expr: &Expr) -> usize {
        match self.place_named(instance, expr) {
            Some(Place::Variable(variable)) => variable,
            other => panic!("{expr:?} is no variable but {other:?}"),
        }
    }

    fn place_named(&self, instance: usize, expr: &Expr) -> Option<Place> {
        match expr {
            Expr::Index(of, index) => match (self.place_named(instance, of)?, &**index) {
                (Place::Array(low, places), Expr::Literal(Value::Int(at))) => {
                    places.get(usize::try_from(at - low).ok()?).cloned()
                }
                _ => None,
            },
            _ => match self.meaning(instance, expr)? {
                Meaning::Place(place) => Some(place),
                Meaning::Define(of, at) => self.place_named(at, of),
                _ => None,
            },
        }
    }

    /// What a name or a path of names means; parameters and instances are followed.
    pub fn meaning(&self, instance: usize, expr: &Expr) -> Option<Meaning<'m>> {
        match expr {
            Expr::Name(name) => self.instances[instance].names.get(name).cloned(),
            Expr::Dot(of, name) => {
                let at = self.instance_named(instance, of)?;
                self.instances[at].names.get(name).cloned()
            }
            _ => None,
        }
    }

    fn instance_named(&self, instance: usize, expr: &Expr) -> Option<usize> {
        match (expr, self.meaning(instance, expr)) {
            (_, Some(Meaning::Instance(id))) => Some(id),
            (_, Some(Meaning::Define(of, at))) => self.instance_named(at, of),
            (Expr::Name(name), None) if name == "self" => Some(instance),
            _ => None,
        }
    }
}

impl Flat<'_> {
    /// The variables that an expression mentions, and whether as they are after a step.
    pub fn reads(&self, instance: usize, expr: &Expr) -> Vec<(usize, bool)> {
        let mut found = Vec::new();
        let mut todo = vec![(instance, expr, false)];
        while let Some((instance, expr, primed)) = todo.pop() {
            let mut children: Vec<&Expr> = Vec::new();
            match expr {
                Expr::Literal(_) | Expr::Range(..) => {}
                Expr::Name(_) | Expr::Dot(..) => match self.meaning(instance, expr) {
                    Some(Meaning::Define(of, at)) => todo.push((at, of, primed)),
                    Some(Meaning::Place(place)) => {
                        found.extend(place.variables().into_iter().map(|it| (it, primed)));
                    }
                    Some(Meaning::Running(_)) => {
                        found.extend(self.selector.map(|selector| (selector, primed)));
                    }
                    _ => {}
                },
                Expr::Next(of) => todo.push((instance, of, true)),
                Expr::Slice(of, ..) | Expr::Not(of) | Expr::Minus(of) => children.push(of),
                Expr::Index(left, right) | Expr::Binary(_, left, right) => {
                    children.extend([&**left, right]);
                }
                Expr::Ite(condition, then, otherwise) => {
                    children.extend([&**condition, then, otherwise]);
                }
                Expr::Case(arms) => {
                    children.extend(
                        arms.iter()
                            .flat_map(|(condition, value)| [condition, value]),
                    );
                }
                Expr::Set(values) | Expr::Call(_, values) => children.extend(values),
            }
            todo.extend(children.into_iter().map(|child| (instance, child, primed)));
        }
        found
    }

    /// Whether assignments depend on each other in a circle, at the start or in a step.
    pub fn is_circular(&self) -> bool {
        [Time::Init, Time::Next].into_iter().any(|time| {
            let mut reads: Vec<Vec<usize>> = vec![Vec::new(); self.variables.len()];
            for &(instance, member) in &self.members {
                let Member::Assign(at, target, value) = member else {
                    continue;
                };
                // What always holds is about the state after a step, too.
                let primed = *at == Time::Next;
                if *at == time || *at == Time::Always {
                    let read = self.reads(instance, value).into_iter();
                    let read = read.filter(|read| read.1 == primed).map(|read| read.0);
                    reads[self.target(instance, target)].extend(read);
                }
            }
            (0..reads.len()).any(|start| {
                let mut seen = vec![false; reads.len()];
                let mut todo = reads[start].clone();
                while let Some(at) = todo.pop() {
                    if !std::mem::replace(&mut seen[at], true) {
                        todo.extend(&reads[at]);
                    }
                }
                seen[start]
            })
        })
    }
}

impl Place {
    fn variables(&self) -> Vec<usize> {
        match self {
            Self::Variable(variable) => vec![*variable],
            Self::Array(_, places) => places.iter().flat_map(Self::variables).collect(),
        }
    }
}

fn values_of(of: &Type) -> Vec<Value> {
    match of {
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Type::Range(low, high) => (*low..=*high).map(Value::Int).collect(),
        Type::Enum(values) => values.clone(),
        Type::Word(Shape { signed, width }) => {
            let shape = Shape {
                signed: *signed,
                width: *width,
            };
            (0..1 << width)
                .map(|bits| Value::Word(shape, bits))
                .collect()
        }
        Type::Array(..) => panic!("arrays are several variables"),
    }
}
