//! The page of `--report` in a real browser: at every step it shows what the JSON report says, it asks for nothing from
//! outside, text of models does nothing in it, and large runs stay smooth.
//!
//! Without Chromium and its driver these tests say that they were skipped; `scripts/setup` installs them where it can.

#![allow(clippy::print_stdout)] // says what was skipped, and how fast pages are

mod browser;

use browser::Browser;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const HOME: &str = "\u{e011}";
const END: &str = "\u{e010}";
const RIGHT: &str = "\u{e014}";
const LEFT: &str = "\u{e012}";

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"))
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lariat-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

fn lariat(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let command = command.current_dir(folder).arg("check").args(args);
    command.output().expect("lariat runs")
}

/// Checks with a page and a JSON report; the page's path and the report.
fn reported(folder: &Path, name: &str, args: &[&str]) -> (PathBuf, Value) {
    let (page, json) = (
        folder.join(format!("{name}.html")),
        folder.join("report.json"),
    );
    let paths = [page.display().to_string(), json.display().to_string()];
    let mut all = args.to_vec();
    all.extend(["--quiet", "--report", &paths[0], "--json", &paths[1]]);
    let output = lariat(examples(), &all);
    assert_ne!(output.status.code(), Some(2), "{output:?}");
    let report = std::fs::read_to_string(&json).expect("a report");
    (page, serde_json::from_str(&report).expect("JSON"))
}

/// What the page shows of the current step.
const SHOWN: &str = r#"
const view = document.querySelector(".result:not([hidden])");
const cells = [...view.querySelectorAll(".cell.now")].map((cell) => {
  const name = view.querySelector(`.names [data-row="${cell.dataset.row}"]`);
  return [name.classList[1], name.textContent, cell.textContent, cell.classList.contains("changed")];
});
return {
  slider: view.querySelector("input[type=range]").valueAsNumber,
  column: Number(view.querySelector(".head.now").dataset.column),
  words: view.querySelector(".now-words").textContent,
  file: view.querySelector(".sources select")?.value ?? view.querySelector(".file")?.textContent ?? null,
  lines: [...view.querySelectorAll(".code.now")].map((line) => Number(line.dataset.line)),
  state: [...view.querySelectorAll(".node.now")].map((node) => Number(node.dataset.node)),
  cells,
};"#;

/// A value of a JSON report as people write it.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Compares the page at a step with the report.
fn agrees(shown: &Value, run: &Value, at: usize, hint: &str) {
    let hint = &format!("{hint}, step {}", at + 1);
    let (step, before) = (
        &run["steps"][at],
        at.checked_sub(1).map(|i| &run["steps"][i]),
    );
    assert_eq!(shown["slider"], at + 1, "{hint}");
    assert_eq!(shown["column"], at, "{hint}");
    let action = step["action"].as_str().expect("an action");
    let words = shown["words"].as_str().expect("words");
    assert!(
        words.starts_with(&format!("Step {} of ", at + 1)),
        "{hint}: {words}"
    );
    assert!(words.contains(action), "{hint}: {words}");
    if let Some((file, line)) = step["source"].as_str().and_then(|s| s.rsplit_once(':')) {
        let lines = match step["lines"].as_array().expect("lines") {
            none if none.is_empty() => json!([line.parse::<u64>().expect("a line")]),
            lines => json!(lines),
        };
        assert_eq!(shown["lines"], lines, "{hint}");
        assert_eq!(shown["file"], file, "{hint}");
    }
    let mut states = run["steps"].as_array().expect("steps")[..=at].iter().rev();
    let state = states.find_map(|step| step["automaton_state"].as_u64());
    assert_eq!(
        shown["state"],
        state.map_or(json!([]), |state| json!([state])),
        "{hint}"
    );
    let cells = shown["cells"].as_array().expect("cells");
    let cell = |kind: &str, name: &str| {
        let mut rows = cells.iter();
        let found = rows.find(|cell| cell[0] == kind && cell[1] == name);
        found.unwrap_or_else(|| panic!("{hint}: no row {name} in {cells:?}"))
    };
    for (name, value) in step["state"].as_object().expect("a state") {
        let changed = before.is_some_and(|before| before["state"][name] != *value);
        let cell = cell("variable", name);
        assert_eq!(cell[2], text(value), "{hint}: {name}");
        assert_eq!(cell[3], changed, "{hint}: {name} is marked as changed");
    }
    for part in run["parts"].as_array().expect("parts") {
        let truth = part["truth"].as_str().expect("a row").as_bytes()[at];
        let sign = match truth {
            b'1' => "✓",
            b'0' => "✗",
            _ => "·",
        };
        let formula = part["formula"].as_str().expect("a formula");
        assert_eq!(cell("part", formula)[2], sign, "{hint}: {formula}");
        // The truth of the parts comes from the evaluator of words, that of atoms from the states.
        let atoms = run["atoms"].as_array().expect("atoms");
        let plain = formula.trim_matches('"');
        if let (Some(i), Some(own)) = (
            atoms.iter().position(|atom| atom == plain),
            step["atoms"].as_array(),
        ) {
            assert_eq!(own[i], truth == b'1', "{hint}: {formula}");
        }
    }
}

/// Nothing was complained about, and nothing was asked for but the page.
fn is_quiet(browser: &Browser, page: &Path) {
    assert_eq!(
        browser.console(),
        Vec::<String>::new(),
        "{}",
        page.display()
    );
    let name = page.file_name().expect("a name").to_string_lossy();
    for url in browser.requests() {
        assert!(
            url.starts_with("file:///") && url.ends_with(&*name),
            "{url}"
        );
    }
}

/// Goes through every violated property of a page.
fn steps_through(browser: &Browser, page: &Path, report: &Value) -> usize {
    browser.open(page);
    let results = report["results"].as_array().expect("results");
    let mut n_steps = 0;
    for (i, result) in results.iter().enumerate() {
        let verdict = browser.run(&format!(
            "document.getElementById('tab-{i}')?.click(); document.activeElement.blur();\
             return document.querySelector('.result:not([hidden]) h2').textContent;"
        ));
        let expected = result["verdict"].as_str().expect("a verdict");
        assert!(
            verdict.as_str().expect("a text").ends_with(expected),
            "{verdict}"
        );
        let run = &result["counterexample"];
        let Some(steps) = run["steps"].as_array() else {
            continue;
        };
        browser.run(
            "const box = document.querySelector('.result:not([hidden]) input[type=checkbox]');\
             if (box.checked) box.click(); box.blur();",
        );
        let hint = &format!("{} {i}", page.display());
        browser.press(HOME);
        for at in 0..steps.len() {
            agrees(&browser.run(SHOWN), run, at, hint);
            browser.press(RIGHT);
        }
        browser.press(END);
        agrees(&browser.run(SHOWN), run, steps.len() - 1, hint);
        if steps.len() > 1 {
            browser.press(LEFT);
            agrees(&browser.run(SHOWN), run, steps.len() - 2, hint);
        }
        n_steps += steps.len();
    }
    is_quiet(browser, page);
    n_steps
}

#[test]
fn every_step_is_shown_as_reported() {
    let Some(browser) = Browser::start("page") else {
        return;
    };
    let folder = folder("pages");
    let pump = ["cfa/pump.cfa", "xsts/tank.xsts", "--compose", "alternate"];
    let runs: [(&str, &[&str]); 4] = [
        (
            "xsts",
            &[
                "xsts/traffic_light.xsts",
                "--ltl",
                "(G F tick) -> (G F green)",
                "--invariant",
                "!(mode = Mode.Interrupted)",
                "--ltl",
                "G (green -> ((green) W (yellow)))",
            ],
        ),
        ("c", &["c/coolant_faulty.c"]),
        (
            "path",
            &[&pump[..], &["--invariant", "level <= 8"]].concat(),
        ),
        ("lasso", &[&pump[..], &["--ltl", "F pump"]].concat()),
    ];
    for (name, args) in runs {
        let (page, report) = reported(&folder, name, args);
        let n_steps = steps_through(&browser, &page, &report);
        assert!(n_steps > 4, "{name} has a run");
    }
    filters_and_unrolls(&browser, &folder);
    let _ = std::fs::remove_dir_all(folder);
}

/// Rows can be filtered, and a loop unrolled: operators of the past tell its rounds apart.
fn filters_and_unrolls(browser: &Browser, folder: &Path) {
    let formula = "G (tick -> !(O (green & Y (green & O (tick)))))";
    let args = ["xsts/traffic_light.xsts", "--ltl", formula];
    let (page, report) = reported(folder, "past", &args);
    assert_eq!(report["results"][0]["verdict"], "violated");
    browser.open(&page);
    let names = |script: &str| {
        let names = "return [...document.querySelectorAll('.names .variable')].map((name) => name.textContent);";
        browser.run(&format!("{script}; {names}"))
    };
    let set = |text: &str| {
        format!(
            "const field = document.querySelector('input[type=search]'); field.value = '{text}';\
             field.dispatchEvent(new Event('input'))"
        )
    };
    assert_eq!(names(&set("RE, mod")), json!(["mode", "red", "green"]));
    assert_eq!(names(&set("no such")), json!([]));
    let run = &report["results"][0]["counterexample"];
    let n_steps = run["steps"].as_array().expect("steps").len();
    let start = run["loop_starts_after_step"].as_u64().expect("a loop") as usize;
    let unroll = "const rounds = document.querySelector('input[type=number]'); rounds.value = 4;\
                  rounds.dispatchEvent(new Event('change')); document.activeElement.blur();";
    browser.run(&format!("{}; {unroll}", set("")));
    browser.press(END);
    let shown = browser.run(SHOWN);
    assert_eq!(shown["slider"], n_steps + 3 * (n_steps - start));
    assert!(
        shown["words"]
            .as_str()
            .is_some_and(|words| words.contains("round 4"))
    );
    // The last told round repeats.
    for part in run["parts"].as_array().expect("parts") {
        let rounds = part["later"].as_array().expect("rounds");
        let truth = rounds.last().unwrap_or(&part["truth"]);
        let sign = match truth.as_str().and_then(|truth| truth.chars().last()) {
            Some('1') => "✓",
            Some('0') => "✗",
            _ => "·",
        };
        let mut cells = shown["cells"].as_array().expect("cells").iter();
        let is_part = |cell: &&Value| cell[0] == "part" && cell[1] == part["formula"];
        let cell = cells.find(is_part).expect("a row");
        assert_eq!(cell[2], sign, "{}", part["formula"]);
    }
    is_quiet(browser, &page);
}

#[test]
fn other_verdicts_have_their_pages() {
    let Some(browser) = Browser::start("verdicts") else {
        return;
    };
    let folder = folder("verdicts");
    let (page, report) = reported(
        &folder,
        "holds",
        &["xsts/traffic_light.xsts", "--engine", "cegar"],
    );
    let proof = &report["results"][0]["proof"];
    browser.open(&page);
    let drawn = browser.run(
        "return [document.querySelectorAll('.node').length, document.querySelectorAll('.locations tbody tr').length];",
    );
    let n = |list: &Value| list.as_array().expect("a list").len();
    assert_eq!(drawn, json!([n(&proof["nodes"]), n(&proof["locations"])]));
    is_quiet(&browser, &page);

    let model = folder.join("hard.gcl");
    let text =
        "var x : int = 2\nvar y : int = 3\naction go: true -> x := x * y + 1, y := y * x + 2\n";
    std::fs::write(&model, text).expect("a model");
    let path = model.display().to_string();
    let unknown = [&*path, "--ltl", "G F (x mod 7 = 3)", "--timeout", "1s"];
    let (page, report) = reported(&folder, "unknown", &unknown);
    let result = &report["results"][0];
    assert_eq!(result["verdict"], "unknown");
    browser.open(&page);
    let shown = browser.run("return document.querySelector('main').innerText;");
    let shown = shown.as_str().expect("a text");
    for part in [
        &result["reason"],
        &result["unknown"]["cause"],
        &result["unknown"]["advice"],
    ] {
        let part = part.as_str().expect("a text");
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    for attempt in result["attempts"].as_array().expect("attempts") {
        assert!(shown.contains(attempt["what"].as_str().expect("a text")));
    }
    is_quiet(&browser, &page);
    text_of_models_does_nothing(&browser, &folder);
    let _ = std::fs::remove_dir_all(folder);
}

/// Whatever stands in a model, it is text.
fn text_of_models_does_nothing(browser: &Browser, folder: &Path) {
    let bad = "</script><script>document.title='taken'</script><!--<script><img src=x onerror=document.title='taken'>{{script}}&lt;";
    let name = "<img src=x onerror=alert(1)>&amp;'\".gcl";
    let model = format!("// {bad}\nvar x : int = 0\naction go: true -> x := 1 - x // {bad}\n");
    std::fs::write(folder.join(name), model).expect("a model");
    let page = folder.join("bad.html");
    let output = lariat(
        folder,
        &[name, "--ltl", "G F (x = 2)", "--report", "bad.html"],
    );
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    browser.open(&page);
    browser.press(RIGHT);
    let shown = browser.run(
        "return [document.title, document.querySelectorAll('img').length, document.scripts.length,\
                 document.querySelector('[data-line=\"1\"]').lastChild.textContent, document.querySelector('h1').textContent];",
    );
    let title = format!("violated – {name}");
    assert_eq!(shown, json!([title, 0, 2, format!("// {bad}"), name]));
    is_quiet(browser, &page);
}

/// The data of a page with a run of so many steps over so many variables, every one of which changes at every step.
fn large(page: &str, n_steps: usize, n_variables: usize) -> String {
    let (head, rest) = page.split_once("id=\"data\">").expect("data");
    let (data, tail) = rest.split_once("</script>").expect("an end");
    let mut data: Value = serde_json::from_str(data).expect("JSON");
    let run = &mut data["document"]["results"][0]["run"];
    let step = run["steps"][1].clone();
    run["steps"] = json!(vec![step; n_steps]);
    run["loop_starts_after_step"] = json!(n_steps / 2);
    run["texts"] = json!((0..1000).map(|i| i.to_string()).collect::<Vec<_>>());
    let variable = |v: usize| {
        let values: Vec<usize> = (0..n_steps).map(|i| (i * (v + 1)) % 997).collect();
        json!({ "name": format!("module_{}.signal_{v}", v / 50), "group": format!("module_{}", v / 50), "at": null, "is": values })
    };
    run["variables"] = json!((0..n_variables).map(variable).collect::<Vec<_>>());
    for part in run["parts"].as_array_mut().expect("parts") {
        part["truth"] = json!("10-1".repeat(n_steps / 4));
    }
    format!("{head}id=\"data\">{data}</script>{tail}")
}

#[test]
fn large_runs_stay_smooth() {
    let Some(browser) = Browser::start("large") else {
        return;
    };
    let folder = folder("large");
    let (page, _) = reported(
        &folder,
        "small",
        &["xsts/traffic_light.xsts", "--ltl", "G F red"],
    );
    let page = std::fs::read_to_string(page).expect("a page");
    let path = folder.join("large.html");
    std::fs::write(&path, large(&page, 10_000, 500)).expect("a page");
    browser.size(1280, 900);
    // The machine may be busy with other tests: the best of three counts.
    let best = |measure: &dyn Fn() -> f64| (0..3).map(|_| measure()).fold(f64::MAX, f64::min);
    let opened = best(&|| {
        browser.open(&path);
        let time =
            browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd;");
        time.as_f64().expect("a time")
    });
    let stepped = best(&|| {
        let times = browser.run(
            "const times = [];\
             for (const key of ['End', 'ArrowLeft', 'Home', ...Array(20).fill('ArrowRight')]) {\
               const start = performance.now();\
               document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));\
               document.querySelector('.cell.now').getBoundingClientRect();\
               times.push(performance.now() - start);\
             }\
             return times.sort((a, b) => a - b)[times.length >> 1];",
        );
        times.as_f64().expect("a time")
    });
    let n = browser.run("return [document.getElementsByTagName('*').length, document.querySelector('.grid').ariaColCount];");
    println!("opens in {opened:.0} ms, steps in {stepped:.0} ms (median), {n} elements");
    // The bounds are 2 s and 50 ms on a quiet machine; one with other things to do may be five times slower.
    assert!(opened < 5.0 * 2000.0, "it opens in {opened} ms");
    assert!(stepped < 5.0 * 50.0, "it steps in {stepped} ms");
    assert!(n[0].as_u64().is_some_and(|n| n < 10_000), "{n} elements");
    assert_eq!(n[1], "10001");
    is_quiet(&browser, &path);
    let _ = std::fs::remove_dir_all(folder);
}
