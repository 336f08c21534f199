//! A machine as text in each language, and its claim as LTL about that text.
//!
//! In every language an infinite run of the text, looked at where it stands between two actions, is an infinite run of
//! the machine, and the other way round. In C these places are calls of `__VERIFIER_ltl_step()`, the only ones that are
//! observed then; in a CFA it is one location, and the formula speaks of the states at it; in XSTS the state
//! after `env` is looked at besides, where nothing has changed but what nobody reads.

use super::expression::Expr;
use super::machine::{Action, Claim, Kind, Machine, Update};
use lariat_system::Language;
use std::fmt::Write as _;

/// The text of a machine.
pub fn model(machine: &mut Machine<'_>, language: Language) -> String {
    match language {
        Language::Gcl => gcl(machine),
        Language::Xsts => xsts(machine),
        Language::Sts => sts(machine),
        Language::Cfa => cfa(machine),
        Language::C => c(machine),
        Language::Smv => smv(machine),
        Language::Vmt | Language::Moxi | Language::Scxml | Language::Gamma | Language::St => {
            panic!("machines are not written in {language:?}")
        }
        Language::Aiger | Language::Btor2 => panic!("circuits are finite"),
    }
}

/// The text of a claim about the text of a machine.
pub fn formula(machine: &mut Machine<'_>, claim: &Claim, language: Language) -> String {
    let form = machine.number(0, 2);
    // Formulas about SMV are asked in Lariat's own spelling, but for rational numbers.
    let text = |expr: &Expr| match language {
        Language::Smv => expr.text(Language::Sts, &machine.names).replace('%', "/"),
        other => expr.text(other, &machine.names),
    };
    let is_cfa = language == Language::Cfa;
    // Of the states at the location: there is one, and it has the property; if it is one, it has the property.
    let some = |expr: &Expr| {
        if is_cfa {
            format!("(loc(LOOP) and {})", text(expr))
        } else {
            text(expr)
        }
    };
    let all = |expr: &Expr| {
        if is_cfa {
            format!("(not loc(LOOP) or {})", text(expr))
        } else {
            text(expr)
        }
    };
    match (claim, form) {
        (Claim::Eventually(p), 0) => format!("true U {}", some(p)),
        (Claim::Eventually(p), 1) => format!("! G ! {}", some(p)),
        (Claim::Eventually(p), _) => format!("F {}", some(p)),
        (Claim::Response(p, q), 0) => format!("G (! {} | F {})", some(p), some(q)),
        (Claim::Response(p, q), _) => format!("G ({} -> F {})", some(p), some(q)),
        (Claim::Recurrent(p), 0) => format!("! F G ! {}", some(p)),
        (Claim::Recurrent(p), _) => format!("G F {}", some(p)),
        (Claim::Stable(p), _) => format!("F G {}", all(p)),
    }
}

/// The conjunction of conditions.
fn all(conditions: &[Expr], language: Language, names: &[String]) -> String {
    Expr::And(conditions.to_vec()).text(language, names)
}

fn gcl(machine: &Machine<'_>) -> String {
    let (language, names) = (Language::Gcl, &machine.names);
    let mut out = String::from("model random\n");
    for (name, kind) in names.iter().zip(&machine.kinds) {
        let _ = writeln!(out, "var {name} : {}", short_sort(*kind));
    }
    for condition in &machine.init {
        let _ = writeln!(out, "init {}", condition.text(language, names));
    }
    for (i, action) in machine.actions.iter().enumerate() {
        let guard = all(&action.guard, language, names);
        let effects = action.updates.iter().map(|(var, update)| match update {
            Update::To(value) => format!("{} := {}", names[*var], value.text(language, names)),
            Update::Any => format!("{} := any", names[*var]),
        });
        let effects: Vec<String> = effects.collect();
        let effects = match &effects[..] {
            [] => "skip".to_owned(),
            effects => effects.join(", "),
        };
        let _ = writeln!(out, "action act{i}: {guard} -> {effects}");
    }
    out
}

fn sts(machine: &Machine<'_>) -> String {
    let (language, names) = (Language::Sts, &machine.names);
    let mut out = String::from("specification Random {\n  system random := {\n");
    for (name, kind) in names.iter().zip(&machine.kinds) {
        let _ = writeln!(out, "    var {name} : {}", short_sort(*kind));
    }
    for condition in &machine.init {
        let _ = writeln!(out, "    initial {}", condition.text(language, names));
    }
    let relation = |action: &Action| {
        let mut parts = vec![all(&action.guard, language, names)];
        for (var, name) in names.iter().enumerate() {
            let equals = match machine.kinds[var] {
                Kind::Bool => "iff",
                Kind::Int | Kind::Rat => "=",
            };
            let update = action.updates.iter().find(|(own, _)| *own == var);
            match update {
                Some((_, Update::To(value))) => {
                    parts.push(format!(
                        "({name}' {equals} {})",
                        value.text(language, names)
                    ));
                }
                Some((_, Update::Any)) => {}
                None => parts.push(format!("({name}' {equals} {name})")),
            }
        }
        format!("({})", parts.join(" and "))
    };
    let relations: Vec<String> = machine.actions.iter().map(relation).collect();
    let _ = writeln!(out, "    transition {}", relations.join("\n      or "));
    out += "  }\n}\n";
    out
}

/// All actions are one relation; in half of the models an input says which of them is taken.
fn smv(machine: &mut Machine<'_>) -> String {
    let is_named = machine.chance(2);
    let (language, names) = (Language::Smv, &machine.names);
    let mut out = String::from("MODULE main\n");
    for (name, kind) in names.iter().zip(&machine.kinds) {
        let sort = match kind {
            Kind::Int => "integer",
            Kind::Rat => "real",
            Kind::Bool => "boolean",
        };
        let _ = writeln!(out, "VAR {name} : {sort};");
    }
    if is_named {
        let _ = writeln!(out, "IVAR act : 0..{};", machine.actions.len());
    }
    for condition in &machine.init {
        let _ = writeln!(out, "INIT {};", condition.text(language, names));
    }
    let relation = |(i, action): (usize, &Action)| {
        let mut parts = vec![all(&action.guard, language, names)];
        parts.extend(is_named.then(|| format!("act = {i}")));
        for (var, name) in names.iter().enumerate() {
            let update = action.updates.iter().find(|(own, _)| *own == var);
            let value = match update {
                Some((_, Update::Any)) => continue,
                Some((_, Update::To(value))) => value.text(language, names),
                None => name.clone(),
            };
            parts.push(format!("next({name}) = {value}"));
        }
        format!("({})", parts.join(" & "))
    };
    let relations: Vec<String> = machine.actions.iter().enumerate().map(relation).collect();
    let _ = writeln!(out, "TRANS {};", relations.join("\n  | "));
    out
}

fn short_sort(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "int",
        Kind::Rat => "rat",
        Kind::Bool => "bool",
    }
}

/// How a language with statements writes the parts of an action.
struct Statements<'s> {
    language: Language,
    /// Assigns the second to the first.
    assign: &'s dyn Fn(&str, &str) -> String,
    /// Declares the copy of this name, of this sort, with this value.
    copy: &'s dyn Fn(&str, Kind, &str) -> String,
    /// Gives the variable any value.
    havoc: &'s dyn Fn(&str, Kind) -> String,
}

impl Statements<'_> {
    /// The assignments of an action, one after the other; over copies if the order would matter.
    fn of(&self, machine: &Machine<'_>, action: &Action) -> Vec<String> {
        let (mut first, mut then) = (Vec::new(), Vec::new());
        let has_copies = action.needs_copies();
        for (var, update) in &action.updates {
            let (name, kind) = (&machine.names[*var], machine.kinds[*var]);
            match update {
                Update::Any => then.push((self.havoc)(name, kind)),
                Update::To(value) => {
                    let value = value.text(self.language, &machine.names);
                    if has_copies {
                        let copy = format!("next_{name}");
                        first.push((self.copy)(&copy, kind, &value));
                        then.push((self.assign)(name, &copy));
                    } else {
                        then.push((self.assign)(name, &value));
                    }
                }
            }
        }
        first.extend(then);
        first
    }
}

fn xsts(machine: &mut Machine<'_>) -> String {
    let language = Language::Xsts;
    let sort = |kind: Kind| match kind {
        Kind::Int => "integer",
        Kind::Rat => unreachable!("XSTS has no rationals"),
        Kind::Bool => "boolean",
    };
    let mut out = String::new();
    let has_input = machine.chance(3);
    if has_input {
        out += "var ignored : integer\n";
    }
    for (name, kind) in machine.names.iter().zip(&machine.kinds) {
        let _ = writeln!(out, "var {name} : {}", sort(*kind));
    }
    let statements = Statements {
        language,
        assign: &|name, value| format!("{name} := {value};"),
        copy: &|name, kind, value| format!("local var {name} : {} = {value};", sort(kind)),
        havoc: &|name, _| format!("havoc {name};"),
    };
    let blocks = machine.actions.iter().map(|action| {
        let guard = all(&action.guard, language, &machine.names);
        let effects = statements.of(machine, action);
        format!("{{ assume {guard}; {} }}", effects.join(" "))
    });
    let blocks: Vec<String> = blocks.collect();
    let _ = writeln!(out, "trans {}", blocks.join(" or "));
    let init = all(&machine.init, language, &machine.names);
    let _ = writeln!(out, "init {{ assume {init}; }}");
    out += if has_input {
        "env { havoc ignored; }\n"
    } else {
        "env { }\n"
    };
    out
}

fn cfa(machine: &Machine<'_>) -> String {
    let language = Language::Cfa;
    let mut out = String::from("main process random {\n");
    for (name, kind) in machine.names.iter().zip(&machine.kinds) {
        let sort = short_sort(*kind);
        let _ = writeln!(out, "    var {name} : {sort}\n    var next_{name} : {sort}");
    }
    out += "    init loc START  loc LOOP  final loc END  error loc ERR\n";
    let init = all(&machine.init, language, &machine.names);
    let _ = writeln!(out, "    START -> LOOP {{ assume {init} }}");
    let statements = Statements {
        language,
        assign: &|name, value| format!("{name} := {value}"),
        copy: &|name, _, value| format!("{name} := {value}"),
        havoc: &|name, _| format!("havoc {name}"),
    };
    for action in &machine.actions {
        let guard = all(&action.guard, language, &machine.names);
        let _ = writeln!(out, "    LOOP -> LOOP {{\n        assume {guard}");
        for effect in statements.of(machine, action) {
            let _ = writeln!(out, "        {effect}");
        }
        out += "    }\n";
    }
    out += "}\n";
    out
}

fn c(machine: &Machine<'_>) -> String {
    let language = Language::C;
    let sort = |kind: Kind| match kind {
        Kind::Bool => "_Bool",
        Kind::Int => "int",
        Kind::Rat => unreachable!("C has no rationals"),
    };
    let any = |kind: Kind| match kind {
        Kind::Bool => "__VERIFIER_nondet_bool()",
        Kind::Int | Kind::Rat => "__VERIFIER_nondet_int()",
    };
    let mut out = String::from(
        "extern int __VERIFIER_nondet_int(void);\nextern _Bool __VERIFIER_nondet_bool(void);\n\
         extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void __VERIFIER_assume(int);\n\
         extern void __VERIFIER_ltl_step(void);\n",
    );
    for (name, kind) in machine.names.iter().zip(&machine.kinds) {
        let _ = writeln!(out, "{} {name};", sort(*kind));
    }
    out += "int main(void) {\n";
    for (name, kind) in machine.names.iter().zip(&machine.kinds) {
        let _ = writeln!(out, "    {name} = {};", any(*kind));
    }
    let init = all(&machine.init, language, &machine.names);
    let _ = writeln!(
        out,
        "    __VERIFIER_assume({init});\n    __VERIFIER_ltl_step();"
    );
    out += "    while (1) {\n        unsigned char choice = __VERIFIER_nondet_uchar();\n        ";
    let statements = Statements {
        language,
        assign: &|name, value| format!("{name} = {value};"),
        copy: &|name, kind, value| format!("{} {name} = {value};", sort(kind)),
        havoc: &|name, kind| format!("{name} = {};", any(kind)),
    };
    for (i, action) in machine.actions.iter().enumerate() {
        if i + 1 < machine.actions.len() {
            let _ = write!(out, "if (choice == {i}) ");
        }
        let guard = all(&action.guard, language, &machine.names);
        let _ = writeln!(out, "{{\n            __VERIFIER_assume({guard});");
        for effect in statements.of(machine, action) {
            let _ = writeln!(out, "            {effect}");
        }
        out += "        }";
        out += if i + 1 < machine.actions.len() {
            " else "
        } else {
            "\n"
        };
    }
    out += "        __VERIFIER_ltl_step();\n    }\n}\n";
    out
}
