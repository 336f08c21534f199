//! A counterexample as a C program.
//!
//! The file includes the checked program as it is, and defines the functions that it only declares: they return what the
//! counterexample says, in its order. On each call, and at the end, all global variables are compared with those of the
//! counterexample. So the compiled file ends well exactly if the compiler's program takes the same way from call to call with
//! the same values: along the stem and three rounds of the loop, or to the bad state.
//!
//! The functions are defined under names of our own and get their names for the linker (`__asm__("name")`), so that no
//! declaration of the program has to be written again. Putting calls into the program's text instead would allow to compare
//! after each statement, but needs a second idea of C.

use super::watched::{Watched, watched};
use crate::calls::{Call, calls, calls_of_step};
use crate::label;
use crate::model::Model;
use crate::report::Report;
use crate::task::Answer;
use lariat_base::{Id as _, SourceFile, SourceId, SourceMap};
use lariat_check::{Counterexample, Verdict};
use lariat_expr::{Int, Value, VarId};
use lariat_system::{
    CFunction, CFunctionId, CInput, CInt, CLinkage, CPart, CProgram, CRole, Context, Deed, Done,
    Edge, Lasso, Limits, LocId, LocRole, Run, State, Step, System, deeds, successors,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// How many rounds of a loop are repeated.
const ROUNDS: usize = 3;
/// How many steps behind the end of a finite run the next call is looked for.
const MAX_STEPS_BEHIND: usize = 1000;
/// What the tables of a harness are used by.
const RUNTIME: &str = include_str!("harness.c");
/// What feeds the reads of volatile objects.
const VOLATILE: &str = include_str!("volatile.c");
/// How to compile a harness that feeds them.
const VOLATILE_HOW: &str = "\n   It reads volatile objects. So that each read can be fed, compile it with\n     \
    cc -fsanitize=thread --param tsan-distinguish-volatile=1 -c harness.c && cc harness.o\n   \
    (clang: -mllvm -tsan-distinguish-volatile=1 instead of the --param).";

/// The harness of the counterexample of an answer, or why there is none.
pub fn harness(
    cx: &mut Context,
    sources: &SourceMap,
    model: &mut Model,
    report: &Report,
    answer: &Answer,
) -> Result<String, &'static str> {
    let (Verdict::Violated(found), Some(&source)) = (&answer.verdict, model.files.first()) else {
        return Err("there is no run, or no text of the program");
    };
    let drifting = answer.confirmed.as_ref().map_or(&[][..], |c| &c.drifting);
    let system = &mut model.systems[0];
    let question = match (report.property.name.as_str(), &report.property.text) {
        ("", text) => text.clone(),
        (name, text) => format!("{name}: {text}"),
    };
    let rounds;
    let found = match found {
        Counterexample::Lasso(lasso) if !lasso.growth.is_none() => {
            rounds = Counterexample::Path(first_rounds(cx, system, lasso));
            &rounds
        }
        found => found,
    };
    harness_of_run(cx, sources, source, system, &question, found, drifting)
}

/// The harness of a run of a system, given what it violates; the values of `drifting` variables differ from round to round.
pub fn harness_of_run(
    cx: &mut Context,
    sources: &SourceMap,
    source: SourceId,
    system: &mut System,
    question: &str,
    found: &Counterexample,
    drifting: &[VarId],
) -> Result<String, &'static str> {
    let plan = Plan::new(cx, system, found, drifting)?;
    let place = |call: &Call| label::place(sources, call.span);
    Ok(plan.text(question, sources.file(source), place))
}

/// The stem and some rounds of a loop whose inputs differ from round to round.
fn first_rounds(cx: &Context, system: &mut System, lasso: &Lasso) -> Run {
    let mut run = lasso.run.clone();
    let further = lasso.further_rounds(cx, system, ROUNDS);
    run.steps
        .extend(further.expect("a confirmed loop can be repeated for ever"));
    run
}

/// When the program has come to the end of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    /// At the last call.
    AtLastCall,
    /// When it ends.
    AtEnd,
    /// When it has run for a while without a call.
    Running,
    /// Whatever it does: the run says nothing of what comes next.
    Anyhow,
}

impl Ending {
    fn name(self) -> &'static str {
        match self {
            Self::AtLastCall => "LARIAT_AT_LAST_CALL",
            Self::AtEnd => "LARIAT_AT_END",
            Self::Running => "LARIAT_RUNNING",
            Self::Anyhow => "LARIAT_ANYHOW",
        }
    }
}

/// The calls of one step, and the values of the watched variables during it, as far as they are certain.
struct Group {
    calls: Vec<Call>,
    values: Vec<Option<Int>>,
}

/// What a harness goes by.
struct Plan {
    program: Arc<CProgram>,
    watched: Vec<Watched>,
    groups: Vec<Group>,
    /// The values at the end.
    last: Vec<Option<Int>>,
    ending: Ending,
    is_lasso: bool,
    /// The values of variables that the program only declares.
    externs: Vec<(usize, Int)>,
}

impl Plan {
    fn new(
        cx: &mut Context,
        system: &mut System,
        found: &Counterexample,
        drifting: &[VarId],
    ) -> Result<Self, &'static str> {
        let program = system.program.clone().ok_or("it is no C program")?;
        let (run, honda) = match found {
            Counterexample::Path(run) => (run, None),
            Counterexample::Lasso(lasso) => (&lasso.run, Some(lasso.honda)),
        };
        let last = run.steps.len() - 1;
        let behind = match honda {
            None => Behind::new(cx, system, &program, run),
            Some(_) => Behind::UNKNOWN,
        };
        let states = run.steps.iter().map(|step| &step.state);
        let watched = watched(system, &program, states.chain(&behind.states));
        let drifts = |watched: &Watched| drifting.contains(&watched.variable(system));
        let mut made = calls(cx, system, found);
        for calls in &mut made {
            calls.retain(|call| is_ours(&program.functions[call.function]));
        }
        let rounds = (0..honda.map_or(0, |_| ROUNDS))
            .flat_map(|round| (honda.unwrap_or(last) + 1..=last).map(move |i| (i, round)));
        let stem = (1..=honda.unwrap_or(last)).map(|i| (i, 0));
        let mut groups = Vec::new();
        for (i, round) in stem.chain(rounds) {
            if made[i].is_empty() {
                continue;
            }
            let (before, step) = (&run.steps[i - 1].state, &run.steps[i]);
            let written = written(cx, system, before, step);
            // What a step writes may have been written in C before a call or after it, unless it is what was there. What
            // the only call itself brings comes after.
            let is_only = made[i].len() == 1;
            let value = |watched: &Watched| {
                let value = watched.value(before);
                let mut writes = written
                    .iter()
                    .filter(|write| write.var == watched.variable(system));
                let is_known = writes.all(|write| {
                    is_only && write.by_call || watched.value_of(&write.value) == value
                });
                value.filter(|_| is_known && (round == 0 || !drifts(watched)))
            };
            let calls = made[i].clone();
            let values = watched.iter().map(value).collect();
            groups.push(Group { calls, values });
        }
        let in_loop = |i: &usize| honda.is_some_and(|honda| *i > honda);
        let loop_calls = (0..=last).filter(in_loop).any(|i| !made[i].is_empty());
        let is_over = system.locations[run.steps[last].state.loc.location()].role == LocRole::Final;
        let ending = match honda {
            Some(_) if loop_calls => Ending::AtLastCall,
            Some(_) if is_over => Ending::AtEnd,
            Some(_) => Ending::Running,
            None => behind.ending,
        };
        // At the end: what all states have in common that the program may be in.
        let cycle = (0..=last).filter(in_loop).map(|i| &run.steps[i].state);
        let states: Vec<&State> = cycle.chain(&behind.states).collect();
        let value_at_end = |watched: &Watched| {
            let value = watched.value(states.first()?);
            let stays = states.iter().all(|state| watched.value(state) == value);
            value.filter(|_| stays && !drifts(watched))
        };
        let last: Vec<Option<Int>> = watched.iter().map(value_at_end).collect();
        if let Some(call) = behind.call {
            let values = last.clone();
            let calls = vec![call];
            groups.push(Group { calls, values });
        }
        let start = &run.steps[0].state;
        let externs = watched.iter().enumerate().filter(|(_, w)| w.is_extern);
        let externs = externs.filter_map(|(i, w)| Some((i, w.value(start)?)));
        let externs = externs.collect();
        let plan = Self {
            externs,
            program,
            watched,
            groups,
            last,
            ending,
            is_lasso: honda.is_some(),
        };
        plan.fits_machine()?;
        Ok(plan)
    }

    /// Mathematical integers may be larger than any of the machine.
    fn fits_machine(&self) -> Result<(), &'static str> {
        let groups = self.groups.iter();
        let values = groups.flat_map(|group| &group.values).chain(&self.last);
        let calls = self.groups.iter().flat_map(|group| &group.calls);
        let inputs = calls.flat_map(|call| {
            let result = call.result.iter().map(|result| &result.value);
            result.chain(call.targets.iter().map(|target| &target.value))
        });
        if values
            .flatten()
            .chain(inputs)
            .all(|value| literal(value).is_some())
        {
            return Ok(());
        }
        Err("a number in it is larger than those of the machine; `--int bitprecise` has none")
    }

    fn text(&self, question: &str, file: &SourceFile, place: impl Fn(&Call) -> String) -> String {
        let mut out = self.head(question, file);
        self.tables(&mut out, place);
        out.push_str(RUNTIME);
        if self.reads_volatile() {
            out.push_str(VOLATILE);
        }
        self.functions(&mut out);
        out.push_str(&included(file));
        self.reader(&mut out);
        if self.reads_volatile() {
            self.volatile_finder(&mut out);
        }
        self.externs(&mut out);
        out
    }

    fn head(&self, question: &str, file: &SourceFile) -> String {
        let how = if self.is_lasso {
            format!("It repeats the stem and {ROUNDS} rounds of the loop")
        } else {
            "It repeats the run to the bad state".into()
        };
        format!(
            "/* {} with the inputs of a run that violates\n     {}\n   Written by lariat {}. {how}, compares the global\n   \
             variables on the way, and ends with 0 if all are as they were found.{} */\n",
            file.name,
            question.replace("*/", "* /"),
            env!("CARGO_PKG_VERSION"),
            if self.reads_volatile() {
                VOLATILE_HOW
            } else {
                ""
            },
        )
    }

    /// What is called, what comes back, and what the variables are then.
    fn tables(&self, out: &mut String, place: impl Fn(&Call) -> String) {
        let n_calls: usize = self.groups.iter().map(|group| group.calls.len()).sum();
        let n_ends = usize::from(matches!(self.ending, Ending::AtEnd | Ending::Running));
        let _ = writeln!(
            out,
            "#define LARIAT_CALLS {n_calls}\n#define LARIAT_GROUPS {}\n#define LARIAT_PLACES {}\n\
             #define LARIAT_VARIABLES {}\n#define LARIAT_ENDING {}",
            self.groups.len(),
            n_calls + n_ends,
            self.watched.len(),
            self.ending.name(),
        );
        let (mut calls, mut stores, mut changes) = (String::new(), String::new(), String::new());
        let mut n_calls = 0;
        let mut expected: Vec<Option<&Int>> = vec![None; self.watched.len()];
        let groups = self
            .groups
            .iter()
            .map(|group| (&group.calls[..], &group.values));
        let groups = groups.chain([(&[][..], &self.last)]);
        for (n, (group, values)) in groups.enumerate() {
            for call in group {
                let function = &self.program.functions[call.function].name;
                let result = call
                    .result
                    .as_ref()
                    .map_or("0LL".into(), |r| number(&r.value));
                let place = place(call).replace("*/", "* /");
                let id = self.number_of(call.function);
                let _ = writeln!(
                    calls,
                    "    {{ {n}, {id}, {result} }}, /* {function}, {place} */"
                );
                for target in &call.targets {
                    let bits = target.int.map_or(64, |int| int.bits);
                    let (position, value) = (target.position, number(&target.value));
                    let _ = writeln!(stores, "    {{ {n_calls}, {position}, {bits}, {value} }},");
                }
                n_calls += 1;
            }
            for (i, value) in values.iter().enumerate() {
                if value.as_ref() != expected[i] {
                    expected[i] = value.as_ref();
                    let (known, value) = match value {
                        Some(value) => (1, number(value)),
                        None => (0, "0".into()),
                    };
                    let _ = writeln!(changes, "    {{ {n}, {i}, {known}, {value} }},");
                }
            }
        }
        let mut names = String::new();
        for watched in &self.watched {
            let _ = write!(names, " \"{}\",", watched.text);
        }
        let _ = write!(
            out,
            "static const struct {{ int group, function; long long result; }} lariat_calls[] = {{\n{calls}    {{ -1, -1, 0 }}\n}};\n\
             static const struct {{ int call, argument, bits; long long value; }} lariat_stores[] = {{\n{stores}    {{ -1, -1, 0, 0 }}\n}};\n\
             static const struct {{ int group, variable, known; long long value; }} lariat_changes[] = {{\n{changes}    {{ -1, 0, 0, 0 }}\n}};\n\
             static const char *const lariat_names[] = {{{names} 0 }};\n\n",
        );
    }

    /// The functions that the program has no body for.
    fn functions(&self, out: &mut String) {
        out.push('\n');
        for (id, function) in self.program.functions.iter_ids() {
            let (name, i) = (&function.name, id.index());
            // Tasks may leave out the declarations of functions with a fixed meaning, compilers do not like it.
            let has_meaning = name.starts_with("__VERIFIER_") || &**name == "reach_error";
            let result = self.result(id);
            if has_meaning && !function.declared {
                let ty = match result.map(|result| result.int) {
                    Some(Some(int)) => c_type(int),
                    Some(None) => "void *",
                    None => "void",
                };
                let _ = writeln!(out, "extern {ty} {name}();");
            }
            let (parameters, body) = match function.role {
                CRole::Body | CRole::Volatile => continue,
                CRole::Other if name.starts_with("__builtin_") => continue,
                CRole::Other => {
                    // It is never called, but the linker must not ask for it.
                    let _ = writeln!(out, "#pragma weak {name}");
                    continue;
                }
                CRole::Silent if !self.returns_value(id) && !name.ends_with("sleep") => continue,
                CRole::Assume => {
                    let body =
                        "if (!condition) lariat_fail(\"an assumption is false\");\n    return 0;";
                    ("int condition".to_owned(), body.to_owned())
                }
                CRole::Assert => {
                    let body = "if (!condition) lariat_end();\n    return 0;";
                    ("int condition".to_owned(), body.to_owned())
                }
                CRole::Error => ("void".to_owned(), "lariat_end();\n    return 0;".to_owned()),
                CRole::Input | CRole::Silent | CRole::Step => {
                    let always = function.role != CRole::Silent
                        && (function.role == CRole::Step || result.is_some());
                    self.input_body(id, i, always)
                }
            };
            let _ = write!(
                out,
                "long long lariat_function_{i}({parameters}) LARIAT_NAME(\"{name}\");\n\
                 long long lariat_function_{i}({parameters}) {{\n    {body}\n}}\n"
            );
        }
    }

    /// The result of a function, if it has one.
    fn result(&self, function: CFunctionId) -> Option<&CInput> {
        let mut inputs = self.program.inputs.iter();
        inputs.find(|input| input.function == function && input.part == CPart::Result)
    }

    fn returns_value(&self, function: CFunctionId) -> bool {
        let mut calls = self.groups.iter().flat_map(|group| &group.calls);
        calls.any(|call| call.function == function && call.result.as_ref().is_some_and(|r| r.used))
    }

    fn input_body(&self, function: CFunctionId, i: usize, always: bool) -> (String, String) {
        let inputs = self.program.inputs.iter();
        let positions: BTreeSet<u32> = inputs
            .filter_map(|input| match input.part {
                CPart::Target(position, _) if input.function == function => Some(position),
                _ => None,
            })
            .collect();
        let n = positions.last().map_or(0, |last| last + 1);
        let parameters: Vec<String> = (0..n).map(|i| format!("void *argument_{i}")).collect();
        let parameters = match n {
            0 => "void".into(),
            _ => parameters.join(", "),
        };
        let mut body = format!("int call = lariat_call({i}, {});\n", u8::from(always));
        for position in positions {
            let _ = writeln!(
                body,
                "    lariat_store(call, {position}, argument_{position});"
            );
        }
        body.push_str("    return call < 0 ? 0 : lariat_calls[call].result;");
        (parameters, body)
    }

    /// Reads the variables that are compared; behind the program, whose names it uses.
    fn reader(&self, out: &mut String) {
        out.push_str("\nLARIAT_PLAIN static long long lariat_read(int lariat_variable) {\n    switch (lariat_variable) {\n");
        for (i, watched) in self.watched.iter().enumerate() {
            let _ = writeln!(out, "    case {i}: return (long long){};", watched.text);
        }
        out.push_str("    }\n    return 0;\n}\n\n");
    }

    /// Whether the run reads volatile objects.
    fn reads_volatile(&self) -> bool {
        let mut calls = self.groups.iter().flat_map(|group| &group.calls);
        calls.any(|call| self.program.functions[call.function].role == CRole::Volatile)
    }

    /// The number of a function in the tables. Volatile objects that have no name outside of functions share one.
    fn number_of(&self, function: CFunctionId) -> usize {
        let CFunction { name, role, .. } = &self.program.functions[function];
        if *role == CRole::Volatile && !self.is_global(name) {
            return self.program.functions.len();
        }
        function.index()
    }

    fn is_global(&self, name: &str) -> bool {
        let mut objects = self.program.objects.iter();
        !name.contains('#')
            && objects.any(|object| &*object.name == name && object.linkage != CLinkage::Local)
    }

    /// Which volatile object lies at an address.
    fn volatile_finder(&self, out: &mut String) {
        out.push_str("static int lariat_volatile_at(const char *at) {\n");
        for (id, CFunction { name, role, .. }) in self.program.functions.iter_ids() {
            if *role == CRole::Volatile && self.is_global(name) {
                let _ = writeln!(
                    out,
                    "    if (at >= (const char *)&{name} && at < (const char *)(&{name} + 1)) return {};",
                    id.index()
                );
            }
        }
        let other = self.program.functions.len();
        let _ = write!(out, "    return {other};\n}}\n\n");
    }

    /// Variables that the program only declares, with their values at the start.
    fn externs(&self, out: &mut String) {
        let objects = self.program.objects.iter();
        let externs = objects.filter(|object| object.linkage == CLinkage::Extern);
        for (i, object) in externs.enumerate() {
            let name = &object.name;
            let _ = writeln!(
                out,
                "extern char lariat_extern_{i}[] LARIAT_NAME(\"{name}\");\n\
                 char lariat_extern_{i}[sizeof({name})] __attribute__((aligned(16)));"
            );
        }
        out.push_str("static void lariat_start_externs(void) {\n");
        for (i, value) in &self.externs {
            let watched = &self.watched[*i];
            let (ty, text) = (c_type(watched.int), &watched.text);
            let _ = writeln!(
                out,
                "    *({ty} *)(void *)&{text} = ({ty}){};",
                number(value)
            );
        }
        out.push_str("}\n");
    }
}

/// Whether the harness defines a function whose calls it follows.
fn is_ours(function: &CFunction) -> bool {
    matches!(
        function.role,
        CRole::Input | CRole::Silent | CRole::Step | CRole::Volatile
    )
}

/// A write of a variable.
struct Write {
    var: VarId,
    value: Value,
    /// Whether a call brings the value in.
    by_call: bool,
}

/// What a step writes.
fn written(cx: &Context, system: &System, before: &State, step: &Step) -> Vec<Write> {
    let edge = system.edges.row(before.loc.location())[step.edge];
    let deeds = deeds(
        cx,
        &system.variables,
        Some(before),
        edge.stmt,
        &step.decisions,
    );
    let program = system.program.as_ref();
    let brings = |stmt| program.is_some_and(|program| program.arrivals.contains_key(&stmt));
    let writes = deeds.into_iter().filter_map(|Deed { stmt, what }| {
        let Done::Set(var, value) = what else {
            return None;
        };
        let by_call = brings(stmt);
        Some(Write {
            var,
            value,
            by_call,
        })
    });
    writes.collect()
}

/// What the program does after a finite run, as far as it is certain.
struct Behind {
    /// How it goes on.
    ending: Ending,
    /// The state at the next call or at the end, and those that the call may lead to.
    states: Vec<State>,
    /// The next call.
    call: Option<Call>,
}

impl Behind {
    const UNKNOWN: Self = Self {
        ending: Ending::Anyhow,
        states: Vec::new(),
        call: None,
    };

    fn new(cx: &mut Context, system: &mut System, program: &CProgram, run: &Run) -> Self {
        let limits = Limits {
            values: 2,
            cases: 100,
            samples: 1,
            ..Limits::default()
        };
        let marks = marks(system);
        let mut way = run.steps.iter().rev().map(|step| &step.state);
        let Some(mut state) = way
            .find(|state| !marks.contains(&state.loc.location()))
            .cloned()
        else {
            return Self::UNKNOWN;
        };
        for _ in 0..MAX_STEPS_BEHIND {
            let location = &system.locations[state.loc.location()];
            match (location.role, &*location.name) {
                // What an overflow does is not defined.
                (_, "overflow") => return Self::UNKNOWN,
                (LocRole::Final | LocRole::Error, _) | (_, "failed-assertion") => {
                    return Self {
                        ending: Ending::AtEnd,
                        states: vec![state],
                        call: None,
                    };
                }
                _ => {}
            }
            let mut next = successors(cx, system, Some(&state), &limits);
            next.steps
                .retain(|step| !marks.contains(&step.state.loc.location()));
            let calls = next.steps.iter().map(|step| {
                let mut calls = calls_of_step(cx, system, Some(&state), step);
                calls.retain(|call| is_ours(&program.functions[call.function]));
                calls
            });
            let calls: Vec<Vec<Call>> = calls.collect();
            let first = calls.first().and_then(|calls| calls.first()).cloned();
            match (first, &next.steps[..]) {
                (None, [step]) if next.more.is_none() => state = step.state.clone(),
                (Some(call), steps) => {
                    let same = |other: &Call| other.function == call.function;
                    if !calls.iter().all(|c| !c.is_empty() && c.iter().all(same)) {
                        return Self::UNKNOWN;
                    }
                    let after = steps.iter().map(|step| step.state.clone());
                    return Self {
                        ending: Ending::AtLastCall,
                        states: [state].into_iter().chain(after).collect(),
                        call: Some(call),
                    };
                }
                _ => return Self::UNKNOWN,
            }
        }
        Self::UNKNOWN
    }
}

/// Where error functions have bodies, the error location is a mark beside the way of the program: it and what leads only
/// there.
fn marks(system: &System) -> Vec<LocId> {
    let locations = system.locations.iter_ids();
    let mut errors = locations.filter(|(_, location)| location.role == LocRole::Error);
    let Some((mark, _)) = errors.find(|(at, _)| system.edges.row(*at).is_empty()) else {
        return Vec::new();
    };
    let leads_there = |edges: &[Edge]| edges.iter().all(|edge| edge.target == mark);
    let rows = system.edges.rows();
    let before = rows.filter(|(_, edges)| !edges.is_empty() && leads_there(edges));
    let before = before.map(|(at, _)| at);
    before.chain([mark]).collect()
}

/// The program itself: by its name, so that what it includes is found; its text if it comes from no file.
fn included(file: &SourceFile) -> String {
    let name = &file.name;
    let path = std::path::absolute(name).ok().filter(|path| path.is_file());
    match path.as_ref().and_then(|path| path.to_str()) {
        Some(path) if !path.contains(['"', '\n']) => format!("\n#include \"{path}\"\n"),
        _ => format!("\n{}\n", file.text),
    }
}

fn c_type(int: CInt) -> &'static str {
    match (int.bits, int.signed) {
        (1, _) => "_Bool",
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned int",
        (_, true) => "long",
        (_, false) => "unsigned long",
    }
}

/// A number as C text of type `long long`, whatever its sign, if it has at most 64 bits.
fn literal(value: &Int) -> Option<String> {
    match value.to_i64() {
        Some(i64::MIN) => Some("(-9223372036854775807LL - 1)".into()),
        Some(value) => Some(format!("{value}LL")),
        None if !value.is_negative() && value.bits() <= 64 => {
            Some(format!("(long long){value}ULL"))
        }
        None => None,
    }
}

fn number(value: &Int) -> String {
    literal(value).expect("numbers that do not fit are refused")
}
