//! A counterexample as a C program: `--harness FILE.c`.
//!
//! The file is the checked program itself with small insertions. Where an input comes in, the recorded
//! values are handed out; and before each expression statement and each condition, as far as it can be
//! seen in the text, a call compares where the program is, and all global variables, with what the
//! counterexample says. So the compiled file ends well exactly if the compiler's program takes the same
//! way with the same values: along the stem and three rounds of the loop, or up to the bad state.

use super::c_text::CText;
use super::inputs::{ProgramRun, ROUNDS, Taken};
use super::{Answered, CheckArgs};
use crate::session::{Failure, Session};
use lariat_base::Diagnostic;
use lariat_expr::{Sort, Value};
use lariat_system::LocRole;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Words that start a statement, not an expression.
const KEYWORDS: [&str; 12] = [
    "return", "goto", "break", "continue", "if", "while", "for", "do", "switch", "case", "default",
    "else",
];

/// Writes the harness of the first property that is violated.
pub fn write(args: &CheckArgs, session: &mut Session, answers: &[Answered]) -> Result<(), Failure> {
    let Some(path) = &args.harness else {
        return Ok(());
    };
    let violated = answers.iter().find(|a| a.report.counterexample.is_some());
    let Some(answered) = violated else {
        session
            .out
            .line("no harness is written: nothing is violated")?;
        return Ok(());
    };
    let text = match &answered.program {
        Some(run) => harness(session, answered, run),
        None => Err("the run could not be followed through the text of the program"),
    };
    let text = match text {
        Ok(text) => text,
        Err(why) => {
            let message = format!("there is no harness for this counterexample: {why}");
            session.report(&[Diagnostic::warning("no-harness", message)]);
            return Ok(());
        }
    };
    std::fs::write(path, text).map_err(|error| {
        let message = format!("cannot write `{}`: {error}", path.display());
        Failure::from(Diagnostic::error("cannot-write", message))
    })
}

/// A global variable, or an element of one, that is compared.
struct Watched {
    /// The C expression.
    text: String,
    /// Where it is in states.
    at: usize,
    /// The element of an array.
    index: Option<i64>,
    /// The bits that are compared, if the number has a fixed width.
    bits: Option<u32>,
}

/// One call of `lariat_at`: the place, and what is new about the expected values.
struct Event {
    place: usize,
    /// The variable, and its value if it is certain at this place.
    changes: Vec<(usize, Option<String>)>,
}

fn harness(
    session: &Session,
    answered: &Answered,
    run: &ProgramRun,
) -> Result<String, &'static str> {
    let file = session.sources.file(run.source);
    let text = CText::new(&file.text);
    let mut places: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let hooks: Vec<Option<Range<usize>>> = run.steps.iter().map(|t| hook(&text, run, t)).collect();
    // A finite run is cut at the first place behind its end; a lasso after its rounds.
    let mut n_steps = run.steps.len();
    if run.n_round.is_none() {
        let behind = (run.n_stem..n_steps).find(|&i| hooks[i].is_some());
        n_steps = behind.map_or(n_steps, |i| i + 1);
        if ends_badly(run) {
            n_steps = run.n_stem;
        }
    }
    let watched = watched(&text, run, &file.text)?;
    let mut expected: Vec<Option<String>> = vec![None; watched.len()];
    let mut events = Vec::new();
    for (taken, place) in run.steps[..n_steps].iter().zip(&hooks) {
        let Some(place) = place else { continue };
        let n = places.len();
        let place = *places.entry((place.start, place.end)).or_insert(n);
        let mut changes = Vec::new();
        for (i, watched) in watched.iter().enumerate() {
            let now = watched.value(taken);
            if now != expected[i] {
                changes.push((i, now.clone()));
                expected[i] = now;
            }
        }
        events.push(Event { place, changes });
    }
    if events.is_empty() {
        return Err("it has no statement whose place is known");
    }
    let mut inputs: Vec<Vec<String>> = vec![Vec::new(); run.sites.len()];
    for taken in &run.steps[..n_steps] {
        for (site, value) in &taken.inputs {
            inputs[*site].push(run.shown(*site, value));
        }
    }
    let program = edited(&file.text, &text, run, &places);
    let mut out = head(answered, run, &file.name);
    out.push_str(&program);
    if !program.ends_with('\n') {
        out.push('\n');
    }
    out.push_str("\n#line 1 \"harness\"\n");
    tables(&mut out, &inputs, &watched, &events);
    let aborts = ends_with_assertion(run);
    out.push_str(&RUNTIME.replace("@ABORTS@", if aborts { "1" } else { "0" }));
    definitions(&mut out, &text);
    Ok(out)
}

/// Whether a finite run ends in a call of an error function or a failed assertion.
fn ends_badly(run: &ProgramRun) -> bool {
    let last = run.steps[..run.n_stem].last();
    last.is_some_and(|taken| {
        let location = &run.system.locations[taken.after.loc];
        location.role == LocRole::Error
            || &*location.name == "failed-assertion"
            || location.name.starts_with("call(reach_error)")
            || location.name.starts_with("call(__VERIFIER_error)")
    })
}

fn ends_with_assertion(run: &ProgramRun) -> bool {
    let last = run.steps[..run.n_stem].last();
    let failed = |taken: &Taken| &*run.system.locations[taken.after.loc].name == "failed-assertion";
    run.n_round.is_none() && last.is_some_and(failed)
}

/// The expression whose evaluation is this step, if a call can be put in front of it.
pub fn hook(text: &CText, run: &ProgramRun, taken: &Taken) -> Option<Range<usize>> {
    let range = taken.text.clone()?;
    let code = String::from_utf8_lossy(text.code(range.clone())).into_owned();
    let first = code
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default();
    let is_word = !first.is_empty() && first.len() == code.trim().len();
    let is_number = first
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_digit());
    if range.is_empty() || KEYWORDS.contains(&first) {
        return None;
    }
    let (before, start) = text.before(range.start)?;
    let (_, end) = text.after(range.end)?;
    let is_statement = matches!(start, b';' | b'{' | b'}' | b':' | b')')
        || matches!(text.word_before(range.start), b"else" | b"do");
    let head = || text.word_before(before);
    let fits = match (start, end) {
        (b'(', b')') => matches!(head(), b"if" | b"while"),
        (b'(', b';') => head() == b"for",
        (_, b';') => is_statement,
        // The step of a `for`.
        (b';', b')') => true,
        _ => false,
    };
    // A macro may be anything; a variable or a number is a condition.
    if !fits || is_word && !is_number && start != b'(' {
        return None;
    }
    let steps = |name: &str| {
        let entry = format!("call({name})");
        let locations = run.system.locations.iter_ids();
        let mut names = locations.map(|(_, location)| &location.name);
        names.any(|known| {
            let rest = known.strip_prefix(entry.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
        })
    };
    let mut called = text.called_names(range.clone());
    let target = &run.system.locations[taken.after.loc].name;
    if text.is_call(&range) && steps(&called[0]) {
        // The step into the function; coming back is none, and a condition is looked at afterwards.
        if !target.starts_with(&format!("call({})", called[0])) {
            return None;
        }
        called.remove(0);
    }
    // Calls inside make their steps first, but what is put in front comes before them.
    (!called.iter().any(|name| steps(name))).then_some(range)
}

/// The global variables that can be compared, with the elements of arrays that have ever had a value of their own.
fn watched(text: &CText, run: &ProgramRun, source: &str) -> Result<Vec<Watched>, &'static str> {
    let mut found = Vec::new();
    for (at, variable) in run.system.variables.iter().enumerate() {
        let name = run.cx.terms.name(variable.var);
        let Some(span) = variable.span else { continue };
        let range = span.range();
        if name.starts_with("lariat_input_") || name.contains("::") || name.contains('#') {
            continue;
        }
        // Places of the instrumented text differ by what was put in before; names are found in the original.
        let base = name.split('.').next().unwrap_or(name);
        let Some(start) = global_name(text, source, base, range.start) else {
            continue;
        };
        let is_pointer = matches!(text.before(start), Some((_, b'*')));
        if is_pointer {
            continue;
        }
        let sorts = &run.cx.terms.sorts;
        let sort = run.cx.terms.var_sort(variable.var);
        let (element, is_array) = match sorts.as_array(sort) {
            Some((_, element)) => (element, true),
            None => (sort, false),
        };
        let bits = match sorts.get(element) {
            Sort::Bv(width) => Some(*width),
            _ => None,
        };
        if !is_array {
            found.push(Watched {
                text: name.to_owned(),
                at,
                index: None,
                bits,
            });
            continue;
        }
        let after = start + base.len();
        let close = matches!(text.after(after), Some((_, b'[')))
            .then(|| source[after..].find(']').map(|end| after + end + 1))
            .flatten();
        let Some(close) = close else { continue };
        if name.contains('.') || matches!(text.after(close), Some((_, b'['))) {
            continue;
        }
        let mut indices: Vec<i64> = Vec::new();
        for state in run.steps.iter().flat_map(|t| [&t.before, &t.after]) {
            if let Value::Array(array) = &state.values[at] {
                let entries = array.entries();
                indices.extend(entries.filter_map(|(index, _)| number(index)?.parse::<i64>().ok()));
            }
        }
        indices.sort_unstable();
        indices.dedup();
        for index in indices.into_iter().filter(|&index| index >= 0) {
            found.push(Watched {
                text: format!("({index} < sizeof({name}) / sizeof(*{name}) ? {name}[{index}] : 0)"),
                at,
                index: Some(index),
                bits,
            });
        }
    }
    for taken in &run.steps {
        for watched in &found {
            let values = [&taken.before, &taken.after].map(|state| watched.in_state(state));
            if values.iter().flatten().any(|value| !fits_machine(value)) {
                return Err(
                    "a number in it is larger than those of the machine; `--int bitprecise` has none",
                );
            }
        }
    }
    Ok(found)
}

/// Where a global variable is declared in the original text: its name, near the place that is known.
pub fn global_name(text: &CText, source: &str, name: &str, near: usize) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found: Vec<usize> = Vec::new();
    for (at, _) in source.match_indices(name) {
        let alone =
            !source[..at].ends_with(is_part) && !source[at + name.len()..].starts_with(is_part);
        let code = text.code(at..at + name.len()) == name.as_bytes();
        if alone
            && code
            && text.is_global(at)
            && !matches!(text.after(at + name.len()), Some((_, b'(')))
        {
            found.push(at);
        }
    }
    // Insertions only move places back.
    let before = found.iter().copied().filter(|&at| at <= near);
    before.max()
}

impl Watched {
    /// The value before a step, if the step does not change it: code that runs before it in C may be a part of
    /// the step for us.
    fn value(&self, taken: &Taken) -> Option<String> {
        let (before, after) = (self.in_state(&taken.before), self.in_state(&taken.after));
        if before == after { before } else { None }
    }

    fn in_state(&self, state: &lariat_system::State) -> Option<String> {
        let value = &state.values[self.at];
        match (value, self.index) {
            (Value::Array(array), Some(index)) => {
                let index = lariat_expr::Int::from(index);
                let index = match self.bits {
                    Some(_) => Value::Bv(index),
                    None => Value::Int(index),
                };
                number(array.get(&index))
            }
            (value, _) => number(value),
        }
    }
}

fn number(value: &Value) -> Option<String> {
    match value {
        Value::Int(number) | Value::Bv(number) => Some(number.to_string()),
        _ => None,
    }
}

fn fits_machine(value: &str) -> bool {
    value.parse::<i64>().is_ok() || value.parse::<u64>().is_ok()
}

/// A number as C text of type `long long`, whatever its sign.
fn literal(value: &str) -> String {
    if value == "-9223372036854775808" {
        return "(-9223372036854775807LL - 1)".into();
    }
    if value.parse::<i64>().is_ok() {
        format!("{value}LL")
    } else {
        format!("(long long){value}ULL")
    }
}

/// The program with its insertions.
fn edited(
    original: &str,
    text: &CText,
    run: &ProgramRun,
    places: &BTreeMap<(usize, usize), usize>,
) -> String {
    // At one place: what closes, then what opens, longer parts outside of shorter ones.
    let mut pieces: Vec<(usize, u8, usize, String, usize)> = Vec::new();
    for (&(start, end), place) in places {
        let is_step = text.code(start..end).starts_with(b"__VERIFIER_ltl_step");
        if is_step {
            pieces.push((start, 1, 0, format!("lariat_at({place})"), end));
            continue;
        }
        pieces.push((
            start,
            1,
            usize::MAX - end,
            format!("(lariat_at({place}), "),
            start,
        ));
        pieces.push((end, 0, end - start, ")".into(), end));
    }
    for (i, site) in run.sites.iter().enumerate() {
        let (start, end) = (site.call.start, site.call.end);
        let call = &original[start..end];
        let input = format!("((__typeof__({call}))lariat_input({i}))");
        pieces.push((start, 2, 0, input, end));
    }
    pieces.sort();
    let mut out = String::new();
    let mut done = 0;
    for (at, _, _, piece, skip_to) in pieces {
        if at < done {
            // Inside of a call whose arguments are left out.
            continue;
        }
        out.push_str(&original[done..at]);
        out.push_str(&piece);
        done = skip_to;
    }
    out.push_str(&original[done..]);
    out
}

fn head(answered: &Answered, run: &ProgramRun, name: &str) -> String {
    let question = &answered.report.property;
    let what = if question.name.is_empty() {
        question.text.clone()
    } else {
        format!("{}: {}", question.name, question.text)
    };
    let what = what.replace("*/", "* /");
    let how = match run.n_round {
        Some(_) => format!("It repeats the stem and {ROUNDS} rounds of the loop"),
        None => "It repeats the run to the bad state".into(),
    };
    format!(
        "/* {name} with the inputs of a run that violates\n     {what}\n   Written by lariat {}. {how}, compares the global\n   \
         variables on the way, and ends with 0 if all are as they were found. */\n\
         static long long lariat_input(int site);\nstatic void lariat_at(int place);\n\
         #define __noreturn__\n#define _Noreturn\n\
         #define __VERIFIER_assume lariat_assume\nextern void lariat_assume(int condition);\n\
         #line 1 \"{name}\"\n",
        env!("CARGO_PKG_VERSION"),
    )
}

/// The recorded inputs and the expected values.
fn tables(out: &mut String, inputs: &[Vec<String>], watched: &[Watched], events: &[Event]) {
    for (i, values) in inputs.iter().enumerate() {
        let values: Vec<String> = values.iter().map(|value| literal(value)).collect();
        let n = values.len();
        let list = if n == 0 {
            "0".into()
        } else {
            values.join(", ")
        };
        let _ = writeln!(
            out,
            "static const long long lariat_values_{i}[] = {{ {list} }};"
        );
    }
    let _ = writeln!(
        out,
        "static const struct {{ const long long *values; int n; }} lariat_inputs[] = {{"
    );
    for (i, values) in inputs.iter().enumerate() {
        let _ = writeln!(out, "    {{ lariat_values_{i}, {} }},", values.len());
    }
    out.push_str("    { 0, 0 }\n};\n");
    let _ = writeln!(out, "static int lariat_used[{}];", inputs.len() + 1);
    let places: Vec<String> = events.iter().map(|event| event.place.to_string()).collect();
    let _ = writeln!(
        out,
        "static const int lariat_places[] = {{ {} }};\nenum {{ LARIAT_EVENTS = {}, LARIAT_WATCHED = {} }};",
        places.join(", "),
        events.len(),
        watched.len()
    );
    out.push_str(
        "static const struct { int event, variable, known; long long value; } lariat_changes[] = {\n",
    );
    for (event, Event { changes, .. }) in events.iter().enumerate() {
        for (variable, value) in changes {
            let (known, value) = match value {
                Some(value) => (1, literal(value)),
                None => (0, "0".into()),
            };
            let _ = writeln!(out, "    {{ {event}, {variable}, {known}, {value} }},");
        }
    }
    out.push_str("    { LARIAT_EVENTS, 0, 0, 0 }\n};\n");
    out.push_str("static const char *const lariat_names[] = {");
    for watched in watched {
        let name = match watched.index {
            Some(index) => {
                let base = watched.text.split(['(', ')']).nth(2).unwrap_or_default();
                format!("{base}[{index}]")
            }
            None => watched.text.clone(),
        };
        let _ = write!(out, " \"{name}\",");
    }
    out.push_str(" 0 };\nstatic long long lariat_read(int variable) {\n    switch (variable) {\n");
    for (i, watched) in watched.iter().enumerate() {
        let value = match watched.bits {
            Some(bits) if bits < 64 => {
                let mask = (1u64 << bits) - 1;
                format!(
                    "(long long)((unsigned long long){} & {mask}ULL)",
                    watched.text
                )
            }
            _ => format!("(long long){}", watched.text),
        };
        let _ = writeln!(out, "    case {i}: return {value};");
    }
    out.push_str("    }\n    return 0;\n}\n");
}

/// Functions that the program only declares, or not even that.
fn definitions(out: &mut String, text: &CText) {
    for name in ["reach_error", "__VERIFIER_error"] {
        if !text.defines(name) {
            let _ = writeln!(out, "void {name}(void) {{ lariat_end(); }}");
        }
    }
}

/// What the tables are used by. It includes nothing: the program may have its own declarations of the library.
const RUNTIME: &str = r#"extern int dprintf(int, const char *, ...);
extern void _exit(int);
extern int atexit(void (*)(void));
extern void (*signal(int, void (*)(int)))(int);

static int lariat_event, lariat_change;
static int lariat_known[LARIAT_WATCHED + 1];
static long long lariat_expected[LARIAT_WATCHED + 1];

static void lariat_fail(const char *what) {
    dprintf(1, "not as in the counterexample, after %d of %d places: %s\n", lariat_event, LARIAT_EVENTS, what);
    _exit(1);
}

static void lariat_end(void) {
    if (lariat_event < LARIAT_EVENTS) lariat_fail("the program ends");
    dprintf(1, "as in the counterexample: %d places\n", LARIAT_EVENTS);
    _exit(0);
}

static void lariat_aborted(int signal) {
    (void)signal;
    lariat_end();
}

static void lariat_at(int place) {
    int i;
    if (lariat_event == LARIAT_EVENTS) lariat_fail("the program goes on");
    if (lariat_places[lariat_event] != place) lariat_fail("another way is taken");
    for (; lariat_changes[lariat_change].event == lariat_event; lariat_change++) {
        i = lariat_changes[lariat_change].variable;
        lariat_known[i] = lariat_changes[lariat_change].known;
        lariat_expected[i] = lariat_changes[lariat_change].value;
    }
    for (i = 0; i < LARIAT_WATCHED; i++) {
        if (lariat_known[i] && lariat_read(i) != lariat_expected[i]) {
            dprintf(1, "%s is %lld, not %lld\n", lariat_names[i], lariat_read(i), lariat_expected[i]);
            lariat_fail("a value differs");
        }
    }
    lariat_event++;
    if (lariat_event == LARIAT_EVENTS && !@ABORTS@) lariat_end();
}

static long long lariat_input(int site) {
    if (lariat_used[site] < lariat_inputs[site].n) return lariat_inputs[site].values[lariat_used[site]++];
    return 0;
}

void lariat_assume(int condition) {
    if (!condition) lariat_fail("an assumption is false");
}

__attribute__((constructor)) static void lariat_start(void) {
    atexit(lariat_end);
    signal(6, lariat_aborted);
}
"#;
