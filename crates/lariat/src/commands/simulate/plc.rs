//! Running the program of a controller with given inputs: after each scan the variables that changed.

use super::{Format, SimulateArgs};
use crate::load::load;
use crate::output::Output;
use crate::session::{Failure, Session};
use lariat_base::Diagnostic;
use lariat_expr::{Value, VarId};
use lariat_frontend::{cycle_time, parse_input};
use lariat_system::{Context, Plc, ScanEnd, Scanner, System};
use lariat_verify::report::ValueReport;
use serde_json::{Map, json};

/// What some scans get: inputs with their values. What is not given keeps its value.
type Script = Vec<Vec<(VarId, Value)>>;

/// Runs the program with the inputs of the command line, if there are any.
pub fn run(args: &SimulateArgs, session: &mut Session) -> Result<Option<()>, Failure> {
    let Some(text) = &args.inputs else {
        return Ok(None);
    };
    let model = load(session, &args.models)?;
    let system = match &model.systems[..] {
        [system] if system.plc.is_some() => system,
        _ => {
            let message = "`--inputs` has no effect: it is for Structured Text";
            return Err(Diagnostic::error("useless-option", message).into());
        }
    };
    let script = script(&mut session.cx, system, text)?;
    // Of a time between two bounds, the shortest.
    let cycle = args.models.reading.cycle();
    let cycle = cycle.and_then(|text| cycle_time(&text));
    let cycle = cycle.unwrap_or(lariat_frontend::DEFAULT_CYCLE).0;
    let cycle = i64::try_from(cycle).expect("times are small");
    show(
        &session.cx,
        system,
        &script,
        cycle,
        args.format,
        &mut session.out,
    )?;
    Ok(Some(()))
}

/// Reads `a=1, b=true; ; a=2`.
fn script(cx: &mut Context, system: &System, text: &str) -> Result<Script, Failure> {
    let plc = system.plc.clone().expect("a program of a controller");
    let mut scans = Vec::new();
    for scan in text.split(';') {
        let mut given = Vec::new();
        for part in scan
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let wrong = |message: String| {
                let finding = Diagnostic::error("bad-inputs", message);
                finding.hint(
                    "write `--inputs 'start=TRUE, level=5; ; start=FALSE'`: one part for each scan",
                )
            };
            let Some((name, value)) = part.split_once('=') else {
                return Err(wrong(format!("`{part}` gives no input a value")).into());
            };
            let (name, value) = (name.trim(), value.trim_start_matches('=').trim());
            let mut leaves = plc.leaves.iter();
            let leaf = leaves.find(|leaf| leaf.name.eq_ignore_ascii_case(name));
            let Some(leaf) = leaf.filter(|leaf| leaf.input) else {
                let names: Vec<&str> = inputs(&plc).map(|leaf| &*leaf.name).collect();
                let message = format!("`{name}` is no input; these are: {}", names.join(", "));
                return Err(wrong(message).into());
            };
            let value = parse_input(cx, &plc, leaf, value);
            let value = value.map_err(|why| wrong(format!("`{part}`: {why}")))?;
            given.push((leaf.var, value));
        }
        scans.push(given);
    }
    Ok(scans)
}

fn inputs(plc: &Plc) -> impl Iterator<Item = &lariat_system::PlcLeaf> {
    plc.leaves.iter().filter(|leaf| leaf.input)
}

fn show(
    cx: &Context,
    system: &System,
    script: &Script,
    cycle: i64,
    format: Format,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut scanner = Scanner::new(cx, system);
    let plc = scanner.plc();
    let value = |scanner: &Scanner<'_>, var: VarId| {
        let sort = cx.terms.var_sort(var);
        ValueReport::new(&cx.terms.sorts, sort, scanner.value(var))
    };
    let shown: Vec<_> = plc.leaves.iter().filter(|leaf| !leaf.hidden).collect();
    let (mut rows, mut end) = (Vec::new(), ScanEnd::Done);
    for (number, given) in script.iter().enumerate() {
        let before: Vec<String> = shown
            .iter()
            .map(|leaf| value(&scanner, leaf.var).to_string())
            .collect();
        let mut held: Vec<(VarId, Value)> = inputs(plc)
            .map(|leaf| (leaf.var, scanner.value(leaf.var).clone()))
            .collect();
        held.extend(plc.cycle.map(|var| (var, Value::Int(cycle.into()))));
        for (var, value) in given {
            for entry in held.iter_mut().filter(|entry| entry.0 == *var) {
                entry.1 = value.clone();
            }
        }
        end = scanner.scan(&mut |var| {
            let found = held.iter().find(|entry| entry.0 == var);
            found.expect("only inputs are asked for").1.clone()
        });
        if end != ScanEnd::Done {
            break;
        }
        let values: Map<String, serde_json::Value> = shown
            .iter()
            .map(|leaf| (leaf.name.to_string(), json!(value(&scanner, leaf.var))))
            .collect();
        rows.push(json!({ "scan": number + 1, "values": values }));
        if format == Format::Table {
            let changes: Vec<String> = shown
                .iter()
                .zip(before)
                .filter_map(|(leaf, before)| {
                    let now = value(&scanner, leaf.var).to_string();
                    (now != before).then(|| format!("{} = {now}", leaf.name))
                })
                .collect();
            let text = if changes.is_empty() {
                "nothing changes".to_owned()
            } else {
                changes.join(", ")
            };
            out.line(&format!("{:>3}  {text}", number + 1))?;
        }
    }
    let (name, said) = match end {
        ScanEnd::Done => ("done", None),
        ScanEnd::Fault => (
            "fault",
            Some("The next scan divides by zero, or leaves the range of an index or a variable."),
        ),
        ScanEnd::Endless => ("endless", Some("The next scan does not end.")),
        ScanEnd::Refused => (
            "refused",
            Some("An input of the next scan is out of its range."),
        ),
    };
    if format == Format::Json {
        out.json(&json!({
            "schema": "lariat-scan/1",
            "model": &*system.name,
            "scans": rows,
            "end": name,
        }))?;
    } else if let Some(said) = said {
        out.line(said)?;
    }
    Ok(())
}
