//! `--report FILE.html`: one page that shows the answers of a check, made from the reports and nothing else.
//!
//! The page holds its data as JSON, its style and its script, and asks for nothing from anywhere: it opens from disk, and
//! can be sent to somebody. Text of models reaches the page in two ways only. In the JSON every `<` is escaped, so that
//! nothing in it can end the element that holds it; the script puts texts into text nodes, never into markup. In the HTML
//! itself there are verdicts and properties for readers without script, escaped. A content security policy names style and
//! script by their digests: whatever else came into the page, it would not run.
//!
//! The script is in `assets/`, a file for each part of the page. Graphs are laid out by dagre, which is there with its licence.

mod data;

pub use data::{Source, result, sources};

use crate::commands::check::{Header, Known};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lariat_verify::export::digest;
use lariat_verify::report::PropertyReport;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const TEMPLATE: &str = include_str!("assets/page.html");
const FRAME: &str = include_str!("assets/frame.html");
const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = concat!(
    "\"use strict\";\n",
    include_str!("assets/dom.js"),
    include_str!("assets/run.js"),
    include_str!("assets/grid.js"),
    include_str!("assets/rows.js"),
    include_str!("assets/timeline.js"),
    include_str!("assets/source.js"),
    include_str!("assets/graph.js"),
    include_str!("assets/why.js"),
    include_str!("assets/print.js"),
    include_str!("assets/violated.js"),
    include_str!("assets/other.js"),
    include_str!("assets/main.js"),
);
const LAYOUT: &str = include_str!("assets/dagre.min.js");
const LAYOUT_LICENCE: &str = include_str!("assets/dagre.LICENSE");

/// All that the script shows.
#[derive(Serialize)]
struct Data<'d, D> {
    document: D,
    sources: &'d [Source],
}

/// The page of what is known.
pub fn page(header: &Header, known: &Known<'_>, sources: &[Source]) -> String {
    let data = Data {
        document: header.with(known),
        sources,
    };
    let data = serde_json::to_string(&data).expect("a report can be written");
    let script = script(&data);
    let (style, plain) = (format!("\n{STYLE}"), plain(known));
    let parts = [
        ("policy", &*policy(&style, &script)),
        ("style", &style),
        ("plain", &plain),
        ("data", &data.replace('<', "\\u003c")),
        ("script", &script),
    ];
    fill(TEMPLATE, &parts)
}

/// Another page of ours, whose body is made elsewhere.
pub struct Frame<'a> {
    /// Its title.
    pub title: &'a str,
    /// Style besides that of all pages.
    pub style: &'a str,
    /// Its content, as HTML.
    pub body: &'a str,
    /// What its script works on, as JSON.
    pub data: &'a str,
    /// Its script.
    pub script: &'a str,
}

/// The whole page.
pub fn framed(frame: &Frame<'_>) -> String {
    let style = format!("\n{STYLE}{}", frame.style);
    let script = format!("\n{}", frame.script);
    let parts = [
        ("policy", &*policy(&style, &script)),
        ("title", &escape(frame.title)),
        ("style", &style),
        ("body", frame.body),
        ("data", &frame.data.replace('<', "\\u003c")),
        ("script", &script),
    ];
    fill(FRAME, &parts)
}

/// What a page may do: run its own script, by its digest, and nothing else.
fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'",
        source_hash(script),
        source_hash(style)
    )
}

/// The script: with the layout of graphs only if there is one to draw.
fn script(data: &str) -> String {
    let mut graphs = ["\"automaton\":{", "\"nodes\":[{"].iter();
    if graphs.any(|graph| data.contains(*graph)) {
        // Nobody should look for the map of a script in a page.
        let layout = LAYOUT.split("//# source").next().unwrap_or(LAYOUT);
        format!("\n/* dagre:\n{LAYOUT_LICENCE}*/\n{layout}\n{SCRIPT}")
    } else {
        format!("\n{SCRIPT}")
    }
}

/// How a content security policy names an inline element.
fn source_hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(digest(text.as_bytes())))
}

/// A template with its holes filled; what is filled in is not looked at again.
fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    for (i, piece) in template.split("{{").enumerate() {
        let (name, rest) = match piece.split_once("}}") {
            Some((name, rest)) if i > 0 => (name, rest),
            _ => ("", piece),
        };
        let part = parts.iter().find(|(own, _)| *own == name);
        page.push_str(part.map_or("", |(_, text)| text));
        page.push_str(rest);
    }
    page
}

/// The verdicts as HTML, for readers without script.
fn plain(known: &Known<'_>) -> String {
    let line = |result: &&RawValue| {
        let Verdict { property, verdict } =
            serde_json::from_str(result.get()).expect("what was written can be read");
        let [property, verdict] = [&property.text, &verdict].map(|text| escape(text));
        format!("<p>{property}: <strong>{verdict}</strong></p>")
    };
    known.results.iter().map(line).collect()
}

/// What is read of a result for that.
#[derive(Deserialize)]
struct Verdict {
    property: PropertyReport,
    verdict: String,
}

/// Text in HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
