//! Prints random models as Gamma text.

use super::{Do, Entry, Gamma, GammaChart, If, Kind, On, Place, Tra};
use std::fmt::Write as _;

pub(super) fn text(model: &Gamma) -> String {
    let mut out =
        String::from("package random\ninterface Ev { out event a out event b(v : integer) }\n");
    for (at, one) in model.charts.iter().enumerate() {
        chart(&mut out, at, one);
    }
    if model.is_async() {
        for (at, adapter) in model.adapters.iter().enumerate() {
            adapter.print(at, &mut out);
        }
    }
    if model.kind != Kind::Alone {
        composition(&mut out, model);
    }
    out
}

fn composition(out: &mut String, model: &Gamma) {
    let kind = match model.kind {
        Kind::Sync => "sync",
        Kind::Cascade | Kind::Alone => "cascade",
        Kind::Scheduled => "scheduled-async",
        Kind::Async => "async",
    };
    let _ = writeln!(out, "{kind} System [");
    let n = model.charts.len();
    let is_free = |at: usize| !model.links.iter().any(|&(_, to)| to == at);
    for at in 0..n {
        if is_free(at) {
            let _ = writeln!(out, "  port in{at} : requires Ev");
        }
        if model.is_async() {
            let _ = writeln!(out, "  port go{at} : requires Ev");
        }
        let _ = writeln!(out, "  port out{at} : provides Ev");
    }
    let ty = if model.is_async() { 'A' } else { 'C' };
    out.push_str("] {\n");
    for at in 0..n {
        let _ = writeln!(out, "  component p{at} : {ty}{at}");
    }
    for at in 0..n {
        if is_free(at) {
            let _ = writeln!(out, "  bind in{at} -> p{at}.inp");
        }
        if model.is_async() {
            let _ = writeln!(out, "  bind go{at} -> p{at}.go");
        }
        let _ = writeln!(out, "  bind out{at} -> p{at}.outp");
    }
    for (from, to) in &model.links {
        let _ = writeln!(out, "  channel [ p{from}.outp ] -o)- [ p{to}.inp ]");
    }
    if matches!(model.kind, Kind::Cascade | Kind::Scheduled) {
        let order: Vec<String> = model.order.iter().map(|at| format!("p{at}")).collect();
        let _ = writeln!(out, "  execute {}", order.join(", "));
    }
    out.push_str("}\n");
}

fn chart(out: &mut String, at: usize, chart: &GammaChart) {
    let schedule = if chart.bottom_up {
        "bottom-up"
    } else {
        "top-down"
    };
    let priority = match chart.by_value {
        None => "off",
        Some(false) => "order-based",
        Some(true) => "value-based",
    };
    let orthogonal = if chart.unordered {
        "unordered"
    } else {
        "sequential"
    };
    let guards = if chart.early {
        "beginning-of-step"
    } else {
        "on-the-fly"
    };
    let _ = writeln!(
        out,
        "@RegionSchedule = {schedule}\n@TransitionPriority = {priority}\n@OrthogonalRegionSchedule = {orthogonal}\n\
         @GuardEvaluation = {guards}\nstatechart C{at} [\n  port inp : requires Ev\n  port outp : provides Ev\n] {{\n  \
         var x : integer := 1\n  var f : boolean\n  timeout t"
    );
    let mut forks = String::new();
    for (region, one) in chart.regions.iter().enumerate() {
        if one.parent.is_none() {
            print_region(out, chart, region, 1);
        }
        let entry = if one.entry == Entry::Initial {
            'I'
        } else {
            'H'
        };
        let _ = writeln!(
            forks,
            "  transition from {entry}{region} to S{}{}",
            one.first,
            actions(&one.first_acts)
        );
    }
    out.push_str(&forks);
    for (at, arc) in chart.arcs.iter().enumerate() {
        transition(out, arc, at);
    }
    for arc in chart.nodes.iter().flat_map(|via| &via.branches) {
        transition(out, arc, usize::MAX);
    }
    for (at, join) in chart.joins.iter().enumerate() {
        for from in &join.from {
            let _ = writeln!(out, "  transition from S{from} to J{at} when cycle");
        }
        let _ = writeln!(
            out,
            "  transition from J{at} to S{}{}",
            join.to,
            actions(&join.acts)
        );
    }
    out.push_str("}\n");
}

/// The region of a state in which the fork of an arc stands: the one of its source.
fn print_region(out: &mut String, chart: &GammaChart, region: usize, depth: usize) {
    let pad = "  ".repeat(depth);
    let one = &chart.regions[region];
    let _ = writeln!(out, "{pad}region R{region} {{");
    let _ = match one.entry {
        Entry::Initial => writeln!(out, "{pad}  initial I{region}"),
        Entry::Shallow => writeln!(out, "{pad}  shallow history H{region}"),
        Entry::Deep => writeln!(out, "{pad}  deep history H{region}"),
    };
    for (at, via) in chart.nodes.iter().enumerate() {
        if via.region == region {
            let kind = if via.is_merge { "merge" } else { "choice" };
            let _ = writeln!(out, "{pad}  {kind} V{at}");
        }
    }
    for (at, arc) in chart.arcs.iter().enumerate() {
        if let (Place::State(from), false) = (arc.from, arc.more.is_empty())
            && chart.states[from].region == region
        {
            let _ = writeln!(out, "{pad}  fork F{at}");
        }
    }
    for (at, join) in chart.joins.iter().enumerate() {
        if join.region == region {
            let _ = writeln!(out, "{pad}  join J{at}");
        }
    }
    for &state in &one.states {
        let decl = &chart.states[state];
        let _ = writeln!(out, "{pad}  state S{state} {{");
        for (word, acts) in [("entry", &decl.entry), ("exit", &decl.exit)] {
            if !acts.is_empty() {
                let _ = writeln!(out, "{pad}    {word}{}", actions(acts));
            }
        }
        for &inner in &decl.regions {
            print_region(out, chart, inner, depth + 2);
        }
        let _ = writeln!(out, "{pad}  }}");
    }
    let _ = writeln!(out, "{pad}}}");
}

fn place(place: Place) -> String {
    match place {
        Place::State(at) => format!("S{at}"),
        Place::Via(at) => format!("V{at}"),
        Place::Memory(region) => format!("H{region}"),
    }
}

fn transition(out: &mut String, arc: &Tra, at: usize) {
    let on = match arc.on {
        On::Cycle => "cycle",
        On::A => "inp.a",
        On::B => "inp.b",
        On::Any => "inp.any",
        On::Timeout => "timeout t",
        On::NotA => "!(inp.a)",
        On::Both => "inp.a && inp.b",
        On::AOrTimeout => "inp.a || timeout t",
    };
    let guard = match &arc.guard {
        If::Yes => String::new(),
        If::Else => " [else]".to_owned(),
        If::Less(k) => format!(" [x < {k}]"),
        If::Is(k) => format!(" [x = {k}]"),
        If::Flag => " [f]".to_owned(),
        If::NotFlag => " [not f]".to_owned(),
        If::In(state) => format!(" [in-state(S{state})]"),
        If::Param => " [inp.b::v > x]".to_owned(),
    };
    let to = if arc.more.is_empty() {
        place(arc.to)
    } else {
        format!("F{at}")
    };
    let when = match (arc.from, &arc.on) {
        (Place::Via(_), _) => String::new(),
        _ => format!(" when {on}"),
    };
    let _ = writeln!(
        out,
        "  transition ({}) from {} to {to}{when}{guard}{}",
        arc.value,
        place(arc.from),
        actions(&arc.acts)
    );
    if !arc.more.is_empty() {
        let _ = writeln!(out, "  transition from F{at} to {}", place(arc.to));
        for other in &arc.more {
            let _ = writeln!(out, "  transition from F{at} to S{other}");
        }
    }
}

fn actions(acts: &[Do]) -> String {
    if acts.is_empty() {
        return String::new();
    }
    let texts = acts.iter().map(|act| match act {
        Do::Add(k) => format!("x := (x + {k}) mod 5;"),
        Do::Flip => "f := not f;".to_owned(),
        Do::A => "raise outp.a;".to_owned(),
        Do::B => "raise outp.b(x);".to_owned(),
        Do::Set(k) => format!("set t := {k} ms;"),
        Do::Off => "deactivate t;".to_owned(),
        Do::Take => "x := inp.b::v mod 5;".to_owned(),
        Do::IfLess(k, yes, no) => {
            format!("if (x < {k}) {{ x := (x + {yes}) mod 5; }} else {{ x := (x + {no}) mod 5; f := true; }}")
        }
    });
    format!(" / {}", texts.collect::<Vec<_>>().join(" "))
}
