//! Programs as text.

use super::{Ex, Kind, Op, RandomSt, Stm, Ty, Unit, UnitKind, Var};
use std::fmt::Write as _;

pub(super) fn program(program: &RandomSt) -> String {
    let mut text = String::new();
    for unit in &program.units {
        print_unit(unit, &mut text);
    }
    text
}

pub(super) fn type_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "BOOL",
        Ty::Int(8, true) => "SINT",
        Ty::Int(16, true) => "INT",
        Ty::Int(32, true) => "DINT",
        Ty::Int(8, false) => "USINT",
        Ty::Int(_, _) => "UINT",
        Ty::Time => "TIME",
    }
}

fn print_unit(unit: &Unit, text: &mut String) {
    let (word, end) = match unit.kind {
        UnitKind::Program => ("PROGRAM", "END_PROGRAM"),
        UnitKind::Block => ("FUNCTION_BLOCK", "END_FUNCTION_BLOCK"),
        UnitKind::Function => ("FUNCTION", "END_FUNCTION"),
    };
    let result = if unit.kind == UnitKind::Function {
        format!(" : {}", type_name(unit.result))
    } else {
        String::new()
    };
    writeln!(text, "{word} {}{result}", unit.name).expect("a string takes all");
    let sections = [
        (Kind::Input, "VAR_INPUT"),
        (Kind::Output, "VAR_OUTPUT"),
        (Kind::InOut, "VAR_IN_OUT"),
        (Kind::Local, "VAR"),
        (Kind::Temp, "VAR_TEMP"),
    ];
    for (kind, word) in sections {
        let vars: Vec<&Var> = unit.vars.iter().filter(|var| var.kind == kind).collect();
        let instances = if kind == Kind::Local {
            &unit.instances[..]
        } else {
            &[]
        };
        if vars.is_empty() && instances.is_empty() {
            continue;
        }
        writeln!(text, "{word}").expect("a string takes all");
        for var in vars {
            writeln!(text, "  {}", declaration(var)).expect("a string takes all");
        }
        for (name, block) in instances {
            writeln!(text, "  {name} : {block};").expect("a string takes all");
        }
        text.push_str("END_VAR\n");
    }
    statements(&unit.body, 1, text);
    writeln!(text, "{end}\n").expect("a string takes all");
}

fn declaration(var: &Var) -> String {
    let mut ty = type_name(var.ty).to_owned();
    if let Some((low, high)) = var.sub {
        ty = format!("{ty} ({low}..{high})");
    }
    if let Some((low, high)) = var.array {
        return format!("{} : ARRAY [{low}..{high}] OF {ty};", var.name);
    }
    if var.kind == Kind::InOut {
        return format!("{} : {ty};", var.name);
    }
    format!("{} : {ty} := {};", var.name, literal(var.ty, var.init))
}

fn literal(ty: Ty, value: i128) -> String {
    match ty {
        Ty::Bool => if value == 0 { "FALSE" } else { "true" }.to_owned(),
        Ty::Time => format!("T#{value}ms"),
        Ty::Int(..) => format!("{}#{value}", type_name(ty)),
    }
}

fn say(text: &mut String, part: &str) {
    text.push_str(part);
}

fn statements(all: &[Stm], depth: usize, text: &mut String) {
    for stm in all {
        text.push_str(&"  ".repeat(depth));
        statement(stm, depth, text);
        text.push('\n');
    }
}

fn statement(stm: &Stm, depth: usize, text: &mut String) {
    let pad = "  ".repeat(depth);
    match stm {
        Stm::Assign(name, value) => say(text, &format!("{name} := {};", expr(value))),
        Stm::AssignElem(name, index, value) => {
            say(
                text,
                &format!("{name}[{}] := {};", expr(index), expr(value)),
            );
        }
        Stm::If(branches, otherwise) => {
            for (i, (test, body)) in branches.iter().enumerate() {
                let word = if i == 0 { "IF" } else { "ELSIF" };
                say(text, &format!("{word} {} THEN\n", expr(test)));
                statements(body, depth + 1, text);
                text.push_str(&pad);
            }
            if !otherwise.is_empty() {
                text.push_str("ELSE\n");
                statements(otherwise, depth + 1, text);
                text.push_str(&pad);
            }
            text.push_str("END_IF;");
        }
        Stm::Case(of, branches, otherwise) => {
            say(text, &format!("CASE {} OF\n", expr(of)));
            for (labels, body) in branches {
                let labels: Vec<String> = labels
                    .iter()
                    .map(|(low, high)| {
                        if low == high {
                            low.to_string()
                        } else {
                            format!("{low}..{high}")
                        }
                    })
                    .collect();
                say(text, &format!("{pad}  {}:\n", labels.join(", ")));
                statements(body, depth + 2, text);
            }
            if !otherwise.is_empty() {
                say(text, &format!("{pad}ELSE\n"));
                statements(otherwise, depth + 1, text);
            }
            say(text, &format!("{pad}END_CASE;"));
        }
        Stm::For(var, from, to, by, body) => {
            say(
                text,
                &format!("FOR {var} := {} TO {} BY {by} DO\n", expr(from), expr(to)),
            );
            statements(body, depth + 1, text);
            say(text, &format!("{pad}END_FOR;"));
        }
        Stm::While(test, body) => {
            say(text, &format!("WHILE {} DO\n", expr(test)));
            statements(body, depth + 1, text);
            say(text, &format!("{pad}END_WHILE;"));
        }
        Stm::Repeat(body, until) => {
            text.push_str("REPEAT\n");
            statements(body, depth + 1, text);
            say(text, &format!("{pad}UNTIL {} END_REPEAT;", expr(until)));
        }
        Stm::Exit => text.push_str("EXIT;"),
        Stm::Continue => text.push_str("CONTINUE;"),
        Stm::Return => text.push_str("RETURN;"),
        Stm::Call(name, inputs, references, outputs) => {
            let mut args: Vec<String> = inputs
                .iter()
                .map(|(name, value)| format!("{name} := {}", expr(value)))
                .collect();
            args.extend(
                references
                    .iter()
                    .map(|(name, to)| format!("{name} := {to}")),
            );
            args.extend(outputs.iter().map(|(name, to)| format!("{name} => {to}")));
            say(text, &format!("{name}({});", args.join(", ")));
        }
    }
}

fn expr(e: &Ex) -> String {
    match e {
        Ex::Lit(ty, value) => literal(*ty, *value),
        Ex::Var(name) => name.clone(),
        Ex::Elem(name, index) => format!("{name}[{}]", expr(index)),
        Ex::Bin(op, _, left, right) => {
            let op = match op {
                Op::Add => "+",
                Op::Sub => "-",
                Op::Mul => "*",
                Op::Div => "/",
                Op::Mod => "MOD",
                Op::And => "AND",
                Op::Or => "or",
                Op::Xor => "XOR",
                Op::Eq => "=",
                Op::Ne => "<>",
                Op::Lt => "<",
                Op::Le => "<=",
                Op::Gt => ">",
                Op::Ge => ">=",
            };
            format!("({} {op} {})", expr(left), expr(right))
        }
        Ex::Not(inner) => format!("NOT ({})", expr(inner)),
        Ex::Neg(_, inner) => format!("-({})", expr(inner)),
        Ex::Std(name, _, args) => call(name, args),
        Ex::Call(name, args) => call(name, args),
        Ex::Conv(from, to, inner) => {
            format!(
                "{}_TO_{}({})",
                type_name(*from),
                type_name(*to),
                expr(inner)
            )
        }
    }
}

fn call(name: &str, args: &[Ex]) -> String {
    let args: Vec<String> = args.iter().map(expr).collect();
    format!("{name}({})", args.join(", "))
}
