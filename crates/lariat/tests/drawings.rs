//! Drawings of statecharts: every state and every transition is there, nothing lies on anything else, and runs become pictures
//! and sequence charts.

use std::path::{Path, PathBuf};
use std::process::Command;

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"))
}

fn lariat(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let command = command.args(arguments).current_dir(examples());
    let output = command.output().expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("text");
    (output.status.code(), text)
}

fn charts() -> Vec<String> {
    let mut all = Vec::new();
    for language in ["gamma", "scxml"] {
        for entry in std::fs::read_dir(examples().join(language)).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            all.push(format!("{language}/{}", name.to_string_lossy()));
        }
    }
    all.sort();
    all
}

/// A box: left, upper, right, lower.
type Area = [f64; 4];

fn is_inside(inner: Area, outer: Area) -> bool {
    inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3]
}

/// The boxes of states, the outer ones first.
fn areas(svg: &str) -> Vec<Area> {
    let document = roxmltree::Document::parse(svg).expect("XML");
    let number = |node: roxmltree::Node<'_, '_>, name: &str| -> f64 {
        let text = node.attribute(name).expect("an attribute");
        text.parse().expect("a number")
    };
    let states = document.descendants().filter(|node| {
        let class = node.attribute("class");
        class.is_some_and(|class| class.starts_with("state"))
    });
    let rects = states.filter_map(|state| state.children().find(|node| node.has_tag_name("rect")));
    let areas = rects.map(|rect| {
        let (x, y) = (number(rect, "x"), number(rect, "y"));
        [x, y, x + number(rect, "width"), y + number(rect, "height")]
    });
    areas.collect()
}

#[test]
fn states_lie_inside_of_each_other_or_apart() {
    for model in charts() {
        let (code, svg) = lariat(&["show", &model, "--format", "svg"]);
        assert_eq!(code, Some(0), "{model}");
        let areas = areas(&svg);
        assert!(areas.len() > 3, "{model}");
        for (at, &a) in areas.iter().enumerate() {
            assert!(is_inside(a, areas[0]), "{model}");
            for &b in &areas[at + 1..] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                assert!(apart || is_inside(b, a), "{model}: {a:?} {b:?}");
            }
        }
        // Each transition that the text shows has its arrow.
        let (_, text) = lariat(&["show", &model]);
        let n_arrows = text.lines().filter(|line| line.contains(" -> ")).count();
        let n_paths = svg.matches("marker-end").count();
        assert!(n_paths >= n_arrows, "{model}: {n_paths} {n_arrows}");
    }
}

#[test]
fn diagrams_for_markdown_are_closed() {
    for model in charts() {
        let (code, text) = lariat(&["show", &model, "--format", "mermaid"]);
        assert_eq!(code, Some(0), "{model}");
        assert!(text.starts_with("stateDiagram-v2\n"), "{model}");
        let opened = text.matches(" {\n").count();
        let closed = text.lines().filter(|line| line.trim() == "}").count();
        assert_eq!(opened, closed, "{text}");
        assert!(text.contains("[*] --> "), "{text}");
    }
    let (code, _) = lariat(&["show", "gcl/elevator.gcl", "--format", "mermaid"]);
    assert_eq!(code, Some(2));
}

fn has_class(node: &roxmltree::Node<'_, '_>, wanted: &str) -> bool {
    let mut classes = node.attribute("class").unwrap_or("").split(' ');
    classes.any(|class| class == wanted)
}

#[test]
fn runs_become_pictures_and_sequence_charts() {
    let folder = std::env::temp_dir().join(format!("lariat-drawings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| -> PathBuf { folder.join(name) };
    let (svg, mmd) = (path("run.svg"), path("run.mmd"));
    let files = [svg.display().to_string(), mmd.display().to_string()];
    let check = ["check", "gamma/crossing.gcd", "--property", "one_green"];
    let export = ["--export", &files[0], "--export", &files[1]];
    let (code, _) = lariat(&[&check[..], &export[..]].concat());
    assert_eq!(code, Some(1));
    let svg = std::fs::read_to_string(svg).expect("it is written");
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let captions = document
        .descendants()
        .filter(|node| has_class(node, "caption"));
    assert!(captions.count() > 5);
    // Some picture shows both lights green.
    let pictures = document
        .descendants()
        .filter(|node| node.has_attribute("transform"));
    let mut both = pictures.filter(|picture| {
        let active = picture
            .descendants()
            .filter(|node| has_class(node, "active"));
        let titles = active.filter_map(|state| {
            let mut inside = state.children();
            inside.find(|node| node.has_tag_name("title"))?.text()
        });
        let titles: Vec<&str> = titles.collect();
        titles.contains(&"main.Green") && titles.contains(&"side.Green")
    });
    assert!(both.next().is_some());
    assert!(svg.contains("class=\"fired\""));
    let mmd = std::fs::read_to_string(mmd).expect("it is written");
    let start = "sequenceDiagram\n  participant e as environment\n";
    assert!(mmd.starts_with(start), "{mmd}");
    for part in [
        "e->>p1: ",
        ". police.whistle",
        ". controller.main.blink",
        ": in main.Green",
    ] {
        assert!(mmd.contains(part), "{part} in {mmd}");
    }
    let file = path("washing.mmd").display().to_string();
    let (code, _) = lariat(&["check", "scxml/washing.scxml", "--export", &file]);
    assert_eq!(code, Some(1));
    let mmd = std::fs::read_to_string(&file).expect("it is written");
    assert!(
        mmd.contains("e->>p0: ") && mmd.contains("Note over p0: in off"),
        "{mmd}"
    );
    let (code, _) = lariat(&[
        "check",
        "gcl/elevator.gcl",
        "--property",
        "served",
        "--export",
        &files[0],
    ]);
    assert_eq!(code, Some(1));
    let _ = std::fs::remove_dir_all(folder);
}
