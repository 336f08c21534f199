//! Gamma, statecharts and their compositions (`.gcd`).
//!
//! Texts become trees (`token`, `parse`, `parse_expression`, `parse_component`, `tree`); a model has several, which import
//! each other (`project`). Compositions are taken apart into statecharts and signals (`compose`, `place_chart`). Lowering makes terms of
//! expressions (`value`, `expression`), statements of actions (`action`); `fire` is what a transition does, `step` which
//! ones fire, `queue` and `adapter` how messages wait and are taken, `environment` what comes from outside, `build` the system, `chart` what is told of it. This crate reads no files: who reads a model gives all of its texts.

mod action;
mod adapter;
mod build;
mod chart;
mod chart_tree;
mod compose;
mod environment;
mod expression;
mod fire;
mod lower;
mod parse;
mod parse_component;
mod parse_expression;
mod place_chart;
mod project;
mod property;
mod queue;
mod step;
mod token;
mod tree;
mod value;

use crate::Parsed;
use lariat_base::{Diagnostic, Diagnostics, FxHashSet, SourceFile, SourceId, Span, nearest};
use lariat_system::Context;
use lower::Lower;
use project::{Member, Project};
use std::path::Path;
use tree::{Body, Component};

/// How models are read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// Which component is the system, with arguments if it has parameters: `Crossing(3, true)`. Otherwise the one of the first file that no other
    /// one is made of.
    pub component: Option<String>,
    /// How time passes.
    pub time: Time,
    /// What the environment may send, `PORT.EVENT`; by default everything.
    pub events: Option<Vec<String>>,
    /// How many messages it may put into each queue before a cycle; one if nothing is said.
    pub messages: Option<u32>,
}

/// How time passes from one cycle to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// Any positive number of units of so many milliseconds.
    Discrete(u32),
    /// Any positive rational number of milliseconds.
    Dense,
    /// So many milliseconds.
    Fixed(u32),
}

impl Default for Time {
    fn default() -> Self {
        Self::Discrete(1)
    }
}

impl Time {
    fn is_dense(self) -> bool {
        self == Self::Dense
    }

    /// The unit in milliseconds.
    fn unit(self) -> i64 {
        match self {
            Self::Dense => 1,
            Self::Discrete(unit) | Self::Fixed(unit) => i64::from(unit.max(1)),
        }
    }

    /// Reads `discrete`, `discrete:10ms`, `dense` or `500ms`.
    pub fn parse(text: &str) -> Option<Self> {
        let milliseconds = |text: &str| -> Option<u32> {
            let (digits, factor) = if let Some(digits) = text.strip_suffix("ms") {
                (digits, 1)
            } else {
                (text.strip_suffix('s')?, 1000)
            };
            let value: u32 = digits.trim().parse().ok()?;
            value.checked_mul(factor).filter(|&value| value > 0)
        };
        match text {
            "discrete" => Some(Self::Discrete(1)),
            "dense" => Some(Self::Dense),
            _ => match text.strip_prefix("discrete:") {
                Some(unit) => milliseconds(unit).map(Self::Discrete),
                None => milliseconds(text).map(Self::Fixed),
            },
        }
    }
}

/// A text of a model.
#[derive(Clone, Debug)]
pub struct GammaFile<'a> {
    /// Which source it is.
    pub source: SourceId,
    /// The text.
    pub file: &'a SourceFile,
    /// The texts that it imports, by their positions.
    pub imports: Vec<usize>,
}

/// What a text imports: paths as written, and where they stand.
pub fn imports(source: SourceId, text: &str) -> Vec<(String, Span)> {
    let all = parse::imports(source, text).into_iter();
    all.map(|name| (name.text.into(), name.span)).collect()
}

/// Reads a model; the first text is the one that is asked for.
pub(crate) fn parse(
    cx: &mut Context,
    files: &[GammaFile<'_>],
    reading: &Reading,
) -> Result<Parsed, Vec<Diagnostic>> {
    let mut findings = Diagnostics::new();
    let mut members = Vec::new();
    let mut asked = None;
    for (at, one) in files.iter().enumerate() {
        let ending = Path::new(&*one.file.name).extension();
        let is_property_file = at == 0 && ending.is_some_and(|ending| ending == "gpd");
        let file = if is_property_file {
            let read = property::parse(one.source, &one.file.text);
            read.map(|read| {
                asked = Some(read);
                tree::File::default()
            })
        } else {
            parse::parse(one.source, &one.file.text)
        };
        match file {
            Ok(file) => members.push(Member {
                file,
                imports: one.imports.clone(),
            }),
            Err(finding) => findings.push(*finding),
        }
    }
    if findings.has_errors() {
        return Err(findings.into_vec());
    }
    let mut reading = reading.clone();
    let mut properties = Vec::new();
    if let Some(asked) = asked {
        let own = || asked.component.text.to_string();
        reading.component = reading.component.or_else(|| Some(own()));
        if asked.formulas.iter().any(|formula| formula.asks_for_run) {
            let message = "`E` asks for a run: its property is that there is none, and a run that violates it is the one";
            let finding = Diagnostic::warning("gamma-witness", message).at(asked.component.span);
            findings.push(finding);
        }
        properties = asked.properties();
    }
    let reading = &reading;
    let project = Project { files: members };
    let first = &files[0];
    let system = read(cx, &project, first, reading, &mut findings);
    match system {
        Ok(mut system) => Ok(Parsed {
            system: {
                system.properties.extend(properties);
                system
            },
            warnings: findings.into_vec(),
            obligations: Vec::new(),
        }),
        Err(finding) => {
            findings.push(*finding);
            Err(findings.into_vec())
        }
    }
}

fn read(
    cx: &mut Context,
    project: &Project,
    first: &GammaFile<'_>,
    reading: &Reading,
    findings: &mut Diagnostics,
) -> parse::Parse<lariat_system::System> {
    let whole = Span::new(first.source, 0, first.file.text.len().min(1));
    let chosen = choose(project, reading, whole)?;
    let mut lower = Lower {
        cx,
        project,
        findings,
        instances: Vec::new(),
        signals: Vec::new(),
        adapters: Vec::new(),
        queues: Vec::new(),
        variables: Vec::new(),
        enums: Vec::new(),
        file: 0,
        instance: None,
        locals: Vec::new(),
        hidden: 0,
        calls: Vec::new(),
        returned: None,
        n_locals: 0,
        deactivated: FxHashSet::default(),
        longest: Some(0.into()),
        time: reading.time,
    };
    let Some(Chosen {
        at,
        component,
        args,
    }) = chosen
    else {
        lower.check_all();
        let message = "the text declares no component, so there is nothing that runs";
        let warning = Diagnostic::warning("gamma-component", message).at(whole);
        lower.findings.push(warning);
        return Ok(build::empty(
            &mut lower,
            &crate::file_stem(first.file),
            whole,
        ));
    };
    let values = match args {
        Some(args) => {
            let mut parser = parse::Parser::new(first.source, &args)?;
            let list = parser.list(")", parse::Parser::expression);
            let list = list.map_err(|_| {
                let message = format!("`({args}` is no list of arguments");
                Box::new(Diagnostic::error("gamma-component", message))
            })?;
            let values = lower.component_arguments((at, component), &list, component.name.span);
            values.map_err(|mut finding| {
                // What is wrong stands on the command line.
                finding.primary = None;
                finding
            })?
        }
        None => {
            let mut values = Vec::new();
            for param in &component.params {
                let ty = lower.ty(at, &param.ty)?;
                values.push(lower.free_argument(&param.name.text, &ty, param.name.span)?);
            }
            values
        }
    };
    let placed = lower.place((at, component), "", values)?;
    let parts = lower.parts(&placed, reading)?;
    Ok(build::system(
        &mut lower,
        &component.name.text,
        parts,
        component.name.span,
    ))
}

struct Chosen<'a> {
    at: usize,
    component: &'a Component,
    /// Arguments as text, with the bracket that closes them.
    args: Option<String>,
}

/// The component that is the system.
fn choose<'a>(
    project: &'a Project,
    reading: &Reading,
    whole: Span,
) -> parse::Parse<Option<Chosen<'a>>> {
    let own = &project.files[0].file.components;
    if let Some(wanted) = &reading.component {
        let (name, args) = match wanted.split_once('(') {
            Some((name, args)) => (name.trim(), Some(args.to_owned())),
            None => (wanted.trim(), None),
        };
        let Some((at, component)) = project.component(0, name) else {
            let known = project
                .files
                .iter()
                .flat_map(|member| &member.file.components);
            let near = nearest(name, known.map(|one| &*one.name.text));
            let message = format!("there is no component `{name}`");
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            return Err(Box::new(
                Diagnostic::error("gamma-component", message).maybe_hint(hint),
            ));
        };
        return Ok(Some(Chosen {
            at,
            component,
            args,
        }));
    }
    let parts_of = |component: &'a Component| -> Vec<&'a str> {
        match &component.body {
            Body::Composite(composite) => {
                composite.parts.iter().map(|part| &*part.ty.text).collect()
            }
            Body::Adapter(adapter) => vec![&*adapter.part.ty.text],
            Body::Chart(_) => Vec::new(),
        }
    };
    let used: Vec<&str> = own.iter().flat_map(parts_of).collect();
    let mut free = own.iter().filter(|one| !used.contains(&&*one.name.text));
    let (chosen, second) = (free.next(), free.next());
    if let (Some(first), Some(second)) = (chosen, second) {
        let message = format!(
            "both `{}` and `{}` could be the system",
            first.name.text, second.name.text
        );
        let finding = Diagnostic::error("gamma-component", message).at(second.name.span);
        let hint = format!("say `--component {}`", second.name.text);
        return Err(Box::new(
            finding.also(first.name.span, "one is here").hint(hint),
        ));
    }
    if chosen.is_none() && !own.is_empty() {
        let message = "each component is part of another one";
        return Err(Box::new(Diagnostic::error("recursion", message).at(whole)));
    }
    Ok(chosen.map(|component| Chosen {
        at: 0,
        component,
        args: None,
    }))
}
