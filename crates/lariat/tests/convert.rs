//! `lariat convert`: what is written means the same. `cargo xtask convert` does this with random models.

mod folder;

use folder::{call, example, scratch};

/// Converts a model with one formula, and checks the property of the file.
fn verdict(model: &str, ltl: &str, file: &str, args: &[&str]) -> String {
    let file = scratch("convert").join(file).display().to_string();
    let convert = ["convert", model, "--ltl", ltl, "-o", &file];
    let (code, said) = call(&[&convert[..], args].concat());
    assert_eq!(code, Some(0), "{model} to {file}: {said}");
    let (_, said) = call(&[
        "check",
        &file,
        "--property",
        "property0",
        "--quiet",
        "--timeout",
        "20s",
    ]);
    let verdict = said.lines().next().unwrap_or_default();
    verdict.rsplit(": ").next().unwrap_or_default().to_owned()
}

/// The languages that are read again.
const LANGUAGES: [&str; 9] = [
    "smv", "vmt", "moxi", "btor2", "aag", "aig", "gcl", "xsts", "sts",
];

#[test]
fn verdicts_of_examples_are_kept() {
    let rows = [
        (
            "gcl/bounded_buffer.gcl",
            "G (items = 4 -> F items < 4)",
            "violated",
        ),
        (
            "gcl/bounded_buffer.gcl",
            "G (items = 0 -> (items <= 1 W items = 1))",
            "holds",
        ),
        ("xsts/weather.xsts", "(X G looks) -> (G (!wet))", "holds"),
        ("xsts/weather.xsts", "G F (!wet)", "violated"),
    ];
    for (at, (model, ltl, expected)) in rows.into_iter().enumerate() {
        for language in LANGUAGES {
            let file = format!("example{at}.{language}");
            let found = verdict(&example(model), ltl, &file, &[]);
            assert_eq!(found, expected, "{model} with {ltl} as {language}");
        }
    }
}

/// Queues and divisions are where these are cut off, and no run comes there.
#[test]
fn verdicts_of_charts_and_controllers_are_kept() {
    let rows = [
        ("scxml/elevator.scxml", "G !in(open)", "violated"),
        (
            "scxml/elevator.scxml",
            "G (in(moving) -> in(closed))",
            "holds",
        ),
        ("st/elevator.st", "G (door -> X (!door))", "violated"),
        ("st/elevator.st", "G (1 <= floor && floor <= 4)", "holds"),
    ];
    for (at, (model, ltl, expected)) in rows.into_iter().enumerate() {
        for language in ["smv", "aag", "gcl", "xsts"] {
            let file = format!("chart{at}.{language}");
            let found = verdict(&example(model), ltl, &file, &[]);
            assert_eq!(found, expected, "{model} with {ltl} as {language}");
        }
    }
}

#[test]
fn observation_points_and_the_ends_of_runs_are_kept() {
    let model = scratch("convert").join("ends.xsts");
    let text = "var n : integer = 0\ntrans { assume n < 3; n := n + 1; }\ninit { }\nenv { }\n";
    std::fs::write(&model, text).expect("the file can be written");
    let model = model.display().to_string();
    // No run goes on for ever, so every formula holds; as an invariant it does not.
    for language in LANGUAGES {
        let file = format!("ends.{language}");
        assert_eq!(
            verdict(&model, "G n = 0", &file, &[]),
            "holds",
            "{language}"
        );
        let file = scratch("convert")
            .join(format!("reached.{language}"))
            .display()
            .to_string();
        let (code, said) = call(&["convert", &model, "--invariant", "n < 3", "-o", &file]);
        assert_eq!(code, Some(0), "{said}");
        let (code, said) = call(&["check", &file, "--quiet"]);
        assert_eq!(code, Some(1), "{language}: {said}");
    }
    let model = scratch("convert").join("phases.xsts");
    let text = "var x : boolean = false\ntrans { x := false; }\ninit { }\nenv { x := true; }\n";
    std::fs::write(&model, text).expect("the file can be written");
    let model = model.display().to_string();
    for language in LANGUAGES {
        let file = format!("phases.{language}");
        assert_eq!(
            verdict(&model, "G !x", &file, &[]),
            "violated",
            "{language}"
        );
        let macros = ["--observe", "macro"];
        assert_eq!(
            verdict(&model, "G !x", &file, &macros),
            "holds",
            "{language}"
        );
        assert_eq!(
            verdict(&model, "X X x", &file, &macros),
            "violated",
            "{language}"
        );
    }
}

#[test]
fn bounds_are_found_place_by_place() {
    let model = scratch("convert").join("loop.cfa");
    let text = "main process count {
  var i : int
  init loc A
  loc B
  loc C
  final loc D
  A -> B { i := 0 }
  B -> C { assume i /= 5 }
  C -> B { i := i + 1 }
  B -> D { assume i = 5 }
}
";
    std::fs::write(&model, text).expect("the file can be written");
    let model = model.display().to_string();
    for language in ["btor2", "aag"] {
        let file = scratch("convert")
            .join(format!("loop.{language}"))
            .display()
            .to_string();
        let (code, said) = call(&["convert", &model, "--ltl", "F loc(D)", "-o", &file]);
        assert_eq!(code, Some(0), "{said}");
        // The first value of `i` is never read.
        assert!(said.contains("i : 0..5 (found)"), "{said}");
        let found = verdict(&model, "F loc(D)", &format!("loop.{language}"), &[]);
        assert_eq!(found, "holds", "{language}");
        let found = verdict(&model, "G !loc(D)", &format!("loop.{language}"), &[]);
        assert_eq!(found, "violated", "{language}");
    }
}

#[test]
fn what_cannot_be_expressed_is_named() {
    // Three events are raised at once: a queue of two is too small.
    let raise = "<raise event=\"x\"/>".repeat(3);
    let chart = format!(
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\"><state id=\"a\"><transition event=\"go\" target=\"b\">{raise}</transition></state>\
         <state id=\"b\"><transition event=\"x\" target=\"c\"/></state><state id=\"c\"><transition event=\"x\"/></state></scxml>"
    );
    let file = scratch("convert").join("full.scxml");
    std::fs::write(&file, &chart).expect("written");
    let file = file.display().to_string();
    let convert = |queue: &str| call(&["convert", &file, "--to", "gcl", "--queue", queue]);
    let (code, said) = convert("2");
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("error[cannot-convert]") && said.contains("cut off at `overflow`, and a run"),
        "{said}"
    );
    let (code, said) = convert("3");
    assert_eq!(code, Some(0), "{said}");
    let model = scratch("convert").join("grows.gcl");
    std::fs::write(&model, "var x : int = 0\naction up: true -> x := x + 1\n").expect("written");
    let model = model.display().to_string();
    let (code, said) = call(&["convert", &model, "--invariant", "x >= 0", "--to", "aag"]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("error[cannot-convert]") && said.contains("`x`"),
        "{said}"
    );
    let (code, said) = call(&["convert", &model, "-o", "model.xyz"]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("error[unknown-language]") && said.contains("`btor2`"),
        "{said}"
    );
    let (code, said) = call(&["convert", &model]);
    assert_eq!(code, Some(2));
    assert!(said.contains("error[missing-option]"), "{said}");
    let (code, said) = call(&["convert", &example("cfa/shift_register.cfa"), "--to", "gcl"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("bit-vectors"), "{said}");
}

#[test]
fn the_properties_are_named() {
    let file = scratch("convert").join("named.aig").display().to_string();
    let model = example("gcl/bounded_buffer.gcl");
    let (code, said) = call(&["convert", &model, "-o", &file]);
    assert_eq!(code, Some(0), "{said}");
    for word in [
        "--property bounded",
        "--property drained",
        "items : 0..4 (declared)",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let (_, said) = call(&[
        "check",
        &file,
        "--property",
        "bounded",
        "--property",
        "drained",
        "--quiet",
    ]);
    // Circuits call their properties by number, too.
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        ["j0: holds", "j2: violated"]
    );
}
