//! The text of a model, with no more brackets than the language's precedence asks for: the front end must read the tree back.

use super::tree::{
    Binary, Expr, Formula, Member, Module, Role, Shape, SmvModel, Time, Type, Value,
};
use std::fmt::Write as _;

/// The text of a model.
pub fn print_smv(model: &SmvModel) -> String {
    let mut text = String::new();
    for module in &model.modules {
        print_module(module, &mut text);
    }
    text
}

fn print_module(module: &Module, text: &mut String) {
    let _ = write!(text, "MODULE {}", module.name);
    if !module.parameters.is_empty() {
        let _ = write!(text, "({})", module.parameters.join(", "));
    }
    text.push('\n');
    for member in &module.members {
        let line = match member {
            Member::Variable(role, name, of) => {
                let section = match role {
                    Role::State => "VAR",
                    Role::Input => "IVAR",
                    Role::Frozen => "FROZENVAR",
                };
                format!("{section} {name} : {};", print_type(of))
            }
            Member::Instance {
                name,
                process,
                module,
                arguments,
            } => {
                let process = if *process { "process " } else { "" };
                let arguments = match &arguments[..] {
                    [] => String::new(),
                    some => format!("({})", list(some)),
                };
                format!("VAR {name} : {process}{module}{arguments};")
            }
            Member::Constants(names) => format!("CONSTANTS {};", names.join(", ")),
            Member::Define(name, value) => format!("DEFINE {name} := {};", top(value)),
            Member::Assign(time, target, value) => {
                let (target, value) = (top(target), top(value));
                match time {
                    Time::Always => format!("ASSIGN {target} := {value};"),
                    Time::Init => format!("ASSIGN init({target}) := {value};"),
                    Time::Next => format!("ASSIGN next({target}) := {value};"),
                }
            }
            Member::Init(of) => format!("INIT {};", top(of)),
            Member::Invar(of) => format!("INVAR {};", top(of)),
            Member::Trans(of) => format!("TRANS {};", top(of)),
            Member::Justice(of) => format!("JUSTICE {};", top(of)),
            Member::Compassion(request, response) => {
                format!("COMPASSION ({}, {});", top(request), top(response))
            }
            Member::Ltl(formula) => format!("LTLSPEC {};", print_formula(formula).0),
            Member::Invariant(of) => format!("INVARSPEC {};", top(of)),
        };
        let _ = writeln!(text, "{line}");
    }
}

fn print_type(of: &Type) -> String {
    match of {
        Type::Bool => "boolean".into(),
        Type::Range(low, high) => format!("{low}..{high}"),
        Type::Enum(values) => {
            let values: Vec<String> = values.iter().map(print_value).collect();
            format!("{{{}}}", values.join(", "))
        }
        Type::Word(Shape { signed, width }) => {
            let sign = if *signed { "signed" } else { "unsigned" };
            format!("{sign} word[{width}]")
        }
        Type::Array(low, high, element) => {
            format!("array {low}..{high} of {}", print_type(element))
        }
    }
}

fn print_value(value: &Value) -> String {
    match value {
        Value::Bool(true) => "TRUE".into(),
        Value::Bool(false) => "FALSE".into(),
        Value::Int(int) => int.to_string(),
        Value::Symbol(symbol) => symbol.clone(),
        Value::Word(Shape { signed, width }, bits) => {
            let sign = if *signed { 's' } else { 'u' };
            let width = *width as usize;
            format!("0{sign}b{width}_{bits:0width$b}")
        }
        Value::Array(..) | Value::Set(_) => panic!("no literals"),
    }
}

fn list(exprs: &[Expr]) -> String {
    let texts: Vec<String> = exprs.iter().map(top).collect();
    texts.join(", ")
}

fn top(expr: &Expr) -> String {
    print(expr).0
}

/// A text in brackets if it is looser than a place allows.
fn within((text, level): (String, u32), loosest: u32) -> String {
    if level <= loosest {
        text
    } else {
        format!("({text})")
    }
}

const UNARY: u32 = 2;
const TEMPORAL: u32 = 11;
const OR: u32 = 14;
const ITE: u32 = 15;

/// The word of an operator and its level in the table of precedences.
fn operator(binary: Binary) -> (&'static str, u32) {
    match binary {
        Binary::Concat => ("::", 3),
        Binary::Mul => ("*", 4),
        Binary::Div => ("/", 4),
        Binary::Mod => ("mod", 4),
        Binary::Add => ("+", 5),
        Binary::Sub => ("-", 5),
        Binary::Shl => ("<<", 6),
        Binary::Shr => (">>", 6),
        Binary::Union => ("union", 8),
        Binary::In => ("in", 9),
        Binary::Eq => ("=", 10),
        Binary::Ne => ("!=", 10),
        Binary::Lt => ("<", 10),
        Binary::Gt => (">", 10),
        Binary::Le => ("<=", 10),
        Binary::Ge => (">=", 10),
        Binary::And => ("&", 13),
        Binary::Or => ("|", OR),
        Binary::Xor => ("xor", OR),
        Binary::Xnor => ("xnor", OR),
        Binary::Iff => ("<->", 16),
        Binary::Implies => ("->", 17),
    }
}

/// The text of an operator between two others; all but `->` associate to the left.
fn infix(binary: Binary, left: (String, u32), right: (String, u32)) -> (String, u32) {
    let (word, level) = operator(binary);
    let (of_left, of_right) = match binary {
        Binary::Implies => (level - 1, level),
        _ => (level, level - 1),
    };
    let (left, right) = (within(left, of_left), within(right, of_right));
    (format!("{left} {word} {right}"), level)
}

/// The text and its level.
fn print(expr: &Expr) -> (String, u32) {
    match expr {
        Expr::Literal(Value::Int(int)) if *int < 0 => (int.to_string(), UNARY),
        Expr::Literal(value) => (print_value(value), 0),
        Expr::Name(name) => (name.clone(), 0),
        Expr::Dot(of, name) => (format!("{}.{name}", within(print(of), 1)), 1),
        Expr::Index(of, index) => (format!("{}[{}]", within(print(of), 1), top(index)), 1),
        Expr::Slice(of, high, low) => (format!("{}[{high}:{low}]", within(print(of), 1)), 1),
        Expr::Not(of) => (format!("!{}", within(print(of), UNARY)), UNARY),
        Expr::Minus(of) => (format!("- {}", within(print(of), 1)), UNARY),
        Expr::Binary(binary, left, right) => infix(*binary, print(left), print(right)),
        Expr::Ite(condition, then, otherwise) => {
            let condition = within(print(condition), OR);
            let (then, otherwise) = (within(print(then), OR), within(print(otherwise), ITE));
            (format!("{condition} ? {then} : {otherwise}"), ITE)
        }
        Expr::Case(arms) => {
            let arms = arms.iter().map(|(condition, value)| {
                // A colon must not be that of a condition.
                let condition = within(print(condition), OR);
                format!("{condition} : {};", top(value))
            });
            let arms: Vec<String> = arms.collect();
            (format!("case {} esac", arms.join(" ")), 0)
        }
        Expr::Set(values) => (format!("{{{}}}", list(values)), 0),
        Expr::Range(low, high) => (format!("{low}..{high}"), 7),
        Expr::Next(of) => (format!("next({})", top(of)), 0),
        Expr::Call(name, arguments) => (format!("{name}({})", list(arguments)), 0),
    }
}

/// The text of a formula and its level.
fn print_formula(formula: &Formula) -> (String, u32) {
    match formula {
        Formula::Atom(expr) => print(expr),
        Formula::Not(of) => {
            let (text, level) = print_formula(of);
            let is_temporal =
                matches!(**of, Formula::Unary(..) | Formula::Not(_)) && level == TEMPORAL;
            if is_temporal {
                (format!("! {text}"), TEMPORAL)
            } else {
                (format!("!{}", within((text, level), UNARY)), UNARY)
            }
        }
        Formula::Logic(binary, left, right) => {
            infix(*binary, print_formula(left), print_formula(right))
        }
        Formula::Unary(operator, bounds, of) => {
            let bounds = match bounds {
                Some((low, high)) => format!("[{low},{high}]"),
                None => String::new(),
            };
            let of = within(print_formula(of), TEMPORAL);
            (format!("{operator}{bounds} {of}"), TEMPORAL)
        }
        Formula::Binary(operator, left, right) => {
            let left = within(print_formula(left), TEMPORAL + 1);
            let right = within(print_formula(right), TEMPORAL);
            (format!("{left} {operator} {right}"), TEMPORAL + 1)
        }
    }
}
