//! Atoms about statecharts: `in(STATE)`, `event(NAME)`. The same for every language of charts.
//!
//! Names are those of the chart, dots and all; where several models have a state of one name, `in(MODEL.STATE)` tells which.

use crate::expression::{Operand, What};
use crate::parser::{Parse, Parser, shorten};
use crate::scope::suggestion;
use crate::token::Tok;
use lariat_base::{Diagnostic, FxHashMap};
use lariat_expr::TermId;
use lariat_system::{Context, System};

/// What can be said of the charts of a scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChartNames {
    states: FxHashMap<Box<str>, Vec<TermId>>,
    events: FxHashMap<Box<str>, Vec<TermId>>,
}

impl ChartNames {
    /// The names of the charts among some systems; nothing if there are none.
    pub fn new(cx: &mut Context, systems: &[&System]) -> Option<Self> {
        let mut names = Self::default();
        let mut has_chart = false;
        for system in systems {
            let Some(chart) = system.chart.as_deref() else {
                continue;
            };
            has_chart = true;
            for state in chart
                .states
                .iter()
                .skip(1)
                .filter(|state| !state.kind.is_pseudo())
            {
                let all = std::iter::once(&state.name).chain(&state.other_names);
                for name in all {
                    add(&mut names.states, &system.name, name, state.active);
                }
            }
            for signal in &chart.signals {
                let is_there = cx.terms.var(signal.flag);
                let all = std::iter::once(&signal.name).chain(&signal.other_names);
                for name in all {
                    add(&mut names.events, &system.name, name, is_there);
                }
            }
            let Some(event) = chart.event else { continue };
            let event = cx.terms.var(event);
            for (name, value) in &chart.events {
                let is_last = cx.terms.eq(event, *value);
                add(&mut names.events, &system.name, name, is_last);
            }
        }
        has_chart.then_some(names)
    }
}

fn add(all: &mut FxHashMap<Box<str>, Vec<TermId>>, system: &str, name: &str, term: TermId) {
    for name in [name.into(), format!("{system}.{name}").into()] {
        let known = all.entry(name).or_default();
        if !known.contains(&term) {
            known.push(term);
        }
    }
}

impl Parser<'_> {
    /// Whether `in(` or `event(` stands here, and there is a chart.
    pub(crate) fn at_chart_atom(&self) -> bool {
        let rest = self.text()[self.token().end as usize..].trim_start();
        self.scope.charts().is_some()
            && matches!(self.token_text(), "in" | "event")
            && rest.starts_with('(')
    }

    /// `in(STATE)` or `event(NAME)`.
    pub(crate) fn chart_atom(&mut self) -> Parse<Operand> {
        let token = self.token();
        let is_state = self.token_text() == "in";
        self.advance();
        let open = self.token().end;
        let rest = &self.text()[open as usize..];
        let Some(len) = rest.find(')') else {
            self.advance();
            return Err(self.unexpected("a name and `)`"));
        };
        let name = rest[..len].trim();
        let close = open + len as u32;
        let span = self.span(open, close);
        // What stands between the brackets is a name, whatever signs it has.
        self.foreign = true;
        while self.token().start < close && self.tok() != Tok::End {
            self.advance();
        }
        self.foreign = false;
        let charts = self.scope.charts().expect("there is a chart");
        let all = if is_state {
            &charts.states
        } else {
            &charts.events
        };
        let found = all.get(name).map_or(&[][..], Vec::as_slice);
        let what = match found {
            [term] => What::Term(*term),
            _ => {
                let what = if is_state { "state" } else { "event" };
                let message = match found {
                    [] => format!("the chart has no {what} `{}`", shorten(name)),
                    _ => format!("several charts have the {what} `{}`", shorten(name)),
                };
                let mut known: Vec<&str> = all.keys().map(|name| &**name).collect();
                known.sort_unstable();
                let near = suggestion(name, known).filter(|_| found.is_empty());
                let hint = near.map(|near| format!("did you mean `{near}`?"));
                let finding = if is_state {
                    Diagnostic::error("unknown-state", message)
                } else {
                    Diagnostic::error("unknown-event", message)
                };
                self.report(finding.at(span).maybe_hint(hint));
                What::Wrong
            }
        };
        let end = self.token().end;
        self.expect(Tok::RParen, "`)`")?;
        Ok(Operand {
            what,
            start: token.start,
            end,
        })
    }
}
