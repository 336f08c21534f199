//! `lariat compare --report` and its neighbours: the plots say what the runs gave, the page is quiet and usable in a real browser,
//! and `BenchExec` gets what it needs.
//!
//! Without Chromium and its driver the tests in the browser say that they were skipped.

#![cfg(unix)]
#![allow(clippy::print_stdout)] // says what was skipped

mod browser;

use browser::Browser;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("compare-report")
            .join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).expect("the file can be written");
        self.path(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|_| panic!("{name} was written"))
    }

    /// A program that answers as a script says, with a report of the time that it claims.
    fn program(&self, script: &str) -> String {
        let report = "for word; do [ \"$last\" = --json ] && json=$word; last=$word; done\n\
                      answer() { printf '{\"results\":[{\"time_s\":%s,\"statistics\":{\"states\":7}}]}' $2 > \"$json\"; exit $1; }";
        let path = self.file("fake", &format!("#!/bin/sh\n{report}\n{script}\n"));
        let permissions = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, permissions).expect("our own file");
        path
    }
}

fn compare(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.arg("compare").args(args);
    command.output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const MODEL: &str = "model cycle
var x : 0..3 = 0
action up: x < 3 -> x := x + 1
action again: x = 3 -> x := 0
";

/// Three tasks; what each configuration says of them, and in what time, is known here.
fn known(folder: &Folder, extra: &[&str]) -> Output {
    folder.file("cycle.gcl", MODEL);
    let manifest = "id\tmodel\tltl\texpected\n\
                    a\tcycle.gcl\tG x <= 3\tholds\n\
                    b<i>\tcycle.gcl\tF G x = 0\tviolated\n\
                    c\tcycle.gcl\tG F x = 1\tholds\n";
    let manifest = folder.file("tasks.tsv", manifest);
    let program = folder.program(
        "case \"$*\" in\n\
         *'F G'*expl*) answer 1 0.25;; *'F G'*) answer 1 4.0;;\n\
         *'G F'*expl*) answer 3 10.0;; *'G F'*) answer 0 0.5;;\n\
         *expl*) answer 0 0.125;; *) answer 0 1.0;; esac",
    );
    let page = folder.path("page.html");
    let base = [
        "--manifest",
        &*manifest,
        "--configs",
        "auto,expl/scc,pred-cart/ndfs",
        "--program",
        &*program,
        "--report",
        &*page,
        "--jobs",
        "1",
    ];
    compare(&[&base[..], extra].concat())
}

#[test]
fn the_files_beside_a_page_have_its_numbers() {
    let folder = Folder::new("numbers");
    let output = known(&folder, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // PAR-2 by hand: expl/scc (0.125 + 0.25 + 2·10) / 3, the others (1 + 4 + 0.5) / 3; the virtual best (0.125 + 0.25 + 0.5) / 3.
    assert_eq!(
        folder.read("page-table.csv"),
        "configuration,tasks,decided,holds,violated,wrong,unknown,failed,par2_s,time_s\n\
         virtual best,3,3,2,1,0,0,0,0.291667,0.875000\n\
         auto,3,3,2,1,0,0,0,1.833333,5.500000\n\
         pred-cart/ndfs,3,3,2,1,0,0,0,1.833333,5.500000\n\
         expl/scc,3,2,1,1,0,1,0,6.791667,10.375000\n"
    );
    let cactus = folder.read("page-cactus.csv");
    assert!(
        cactus.contains("expl/scc,1,0.125000\nexpl/scc,2,0.250000\n"),
        "{cactus}"
    );
    assert!(cactus.contains("virtual best,3,0.500000\n"), "{cactus}");
    assert_eq!(
        folder.read("page-scatter-auto-expl-scc.csv"),
        "task,auto,expl/scc\na,1.000000,0.125000\nb<i>,4.000000,0.250000\nc,0.500000,\n"
    );
    let heat = folder.read("page-heat.csv");
    assert!(heat.contains("expl,scc,expl/scc,3,2,6.791667\n"), "{heat}");
    // The drawings are what XML readers take, and have what they should show.
    for (name, texts) in [
        (
            "page-cactus.svg",
            &["auto (3)", "expl/scc (2)", "tasks decided"][..],
        ),
        (
            "page-scatter-auto-expl-scc.svg",
            &["auto, seconds", "expl/scc, seconds"],
        ),
        ("page-heat.svg", &["2/3", "3/3", "pred-cart"]),
    ] {
        let svg = folder.read(name);
        let drawing =
            roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{name}: {error}"));
        let said: Vec<&str> = drawing
            .descendants()
            .filter_map(|node| node.text())
            .map(str::trim)
            .collect();
        for text in texts {
            assert!(said.contains(text), "{name}: {text} is not in {said:?}");
        }
    }
    let dots = folder
        .read("page-scatter-auto-expl-scc.svg")
        .matches("<circle")
        .count();
    assert_eq!(dots, 3);
    // A pair that is asked for, and one that is not there.
    assert_eq!(
        known(&folder, &["--scatter", "expl/scc,pred-cart/ndfs"])
            .status
            .code(),
        Some(0)
    );
    assert!(
        folder
            .read("page-scatter-expl-scc-pred-cart-ndfs.csv")
            .starts_with("task,expl/scc,pred-cart/ndfs\n")
    );
    let wrong = known(&folder, &["--scatter", "expl/scc,pred-cart/ndf"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("did you mean `pred-cart/ndfs`"),
        "{}",
        text(&wrong.stderr)
    );
}

const TAB: &str = "\u{e004}";

/// What the page shows of the scatter plot.
const DOTS: &str = "return [...document.querySelectorAll('#scatter circle')].map((dot) => \
                    [Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy')), dot.getAttribute('aria-label')]);";

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = Browser::start("compare") else {
        return;
    };
    let folder = Folder::new("browser");
    let output = known(&folder, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = folder.0.join("page.html");
    browser.open(&page);
    // The table, as the CSV file has it.
    let shown = browser.run(
        "return [...document.querySelectorAll('#summary tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent));",
    );
    assert_eq!(shown[0][0], "virtual best");
    assert_eq!(
        shown[3],
        json!([
            "expl/scc", "3", "2", "1", "1", "0", "1", "0", "6.792", "10.38"
        ])
    );
    assert_eq!(
        browser.run("return document.getElementById('alarms');"),
        Value::Null
    );
    // Two configurations: the dots are where the times are, and move when others are chosen.
    let first = browser.run(DOTS);
    assert_eq!(first.as_array().map(Vec::len), Some(3));
    assert_eq!(first[1][2], "b<i>: auto 4.000 s, pred-cart/ndfs 4.000 s");
    let choose = "const up = document.getElementById('up'); up.value = '2'; up.dispatchEvent(new Event('change'));";
    let second = browser.run(&format!("{choose} {DOTS}"));
    assert_eq!(second[1][2], "b<i>: auto 4.000 s, expl/scc 0.250 s");
    for i in 0..3 {
        assert_eq!(first[i][0], second[i][0], "across stays");
        let (before, after) = (first[i][1].as_f64(), second[i][1].as_f64());
        // Faster is lower; what is not decided is at the top.
        assert_eq!(after > before, i < 2, "{i}: {before:?} {after:?}");
    }
    // Dots can be reached by keys, and say what they are.
    browser.run("document.getElementById('up').focus();");
    browser.press(TAB);
    let words = browser.run("return document.getElementById('dot').textContent;");
    assert_eq!(words, second[0][2]);
    // Tasks can be filtered by name, and by whether configurations differ.
    let rows = "return [...document.querySelectorAll('#tasks tbody tr:not([hidden]) th')].map((head) => head.textContent);";
    assert_eq!(browser.run(rows), json!(["a", "b<i>", "c"]));
    let differ = "document.getElementById('differ').click();";
    assert_eq!(browser.run(&format!("{differ} {rows}")), json!(["c"]));
    let text = "const field = document.getElementById('filter'); field.value = 'B<'; field.dispatchEvent(new Event('input'));";
    assert_eq!(
        browser.run(&format!("{differ} {text} {rows}")),
        json!(["b<i>"])
    );
    // Narrow or wide, only what may scroll is wider than the window.
    for width in [390, 1280] {
        browser.size(width, 900);
        let fits = browser.run("return document.documentElement.scrollWidth <= innerWidth;");
        assert_eq!(fits, true, "{width}");
    }
    is_quiet(&browser, &page);
}

/// Nothing was complained about, and nothing was asked for but the page.
fn is_quiet(browser: &Browser, page: &Path) {
    assert_eq!(browser.console(), Vec::<String>::new());
    let name = page.file_name().expect("a name").to_string_lossy();
    for url in browser.requests() {
        assert!(
            url.starts_with("file:///") && url.ends_with(&*name),
            "{url}"
        );
    }
}

#[test]
fn what_must_not_be_comes_first_and_in_red() {
    let folder = Folder::new("alarms");
    folder.file("cycle.gcl", MODEL);
    let program = folder.program("case \"$*\" in *expl*) answer 1 0.1;; *) answer 0 0.1;; esac");
    let (model, page) = (folder.path("cycle.gcl"), folder.path("page.html"));
    let formula = "G F \"x = 0\" & G !\"x = 9 & 3 < 2\"";
    let output = compare(&[
        &model,
        "--ltl",
        formula,
        "--configs",
        "auto,expl",
        "--program",
        &program,
        "--report",
        &page,
    ]);
    assert_eq!(output.status.code(), Some(101), "{}", text(&output.stderr));
    let html = folder.read("page.html");
    let (alarm, summary) = (html.find("id=\"alarms\""), html.find("id=\"summary\""));
    assert!(alarm.is_some() && alarm < summary);
    assert!(html.contains("BUG: configurations disagree"));
    let Some(browser) = Browser::start("alarms") else {
        return;
    };
    browser.open(&folder.0.join("page.html"));
    let shown = browser.run(
        "const head = document.querySelector('#alarms h2'); const box = head.getBoundingClientRect(); \
         return [box.top < 200, getComputedStyle(head).color, document.querySelectorAll('#alarms tbody tr').length, \
         document.querySelector('#alarms pre').textContent];",
    );
    assert_eq!(shown[0], true);
    let red = ["rgb(179, 38, 30)", "rgb(255, 138, 128)"];
    assert!(
        red.contains(&shown[1].as_str().expect("a colour")),
        "{shown}"
    );
    assert_eq!(shown[2], 1);
    assert!(
        shown[3].as_str().is_some_and(|text| text.contains("3 < 2")),
        "{shown}"
    );
    is_quiet(&browser, &folder.0.join("page.html"));
}

#[test]
fn benchexec_gets_what_it_needs() {
    let folder = Folder::new("benchexec");
    folder.file("cycle.gcl", MODEL);
    let manifest = folder.file(
        "tasks.tsv",
        "model\tltl\tinvariant\texpected\ncycle.gcl\tF G x = 0 & \"x < 4\"\t\tviolated\ncycle.gcl\t\tx < 4\tholds\n",
    );
    let target = folder.path("bench");
    let output = compare(&[
        "--manifest",
        &manifest,
        "--configs",
        "auto,expl",
        "--benchexec",
        &target,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("PYTHONPATH=. benchexec lariat.xml"));
    let definition = folder.read("bench/lariat.xml");
    let xml = roxmltree::Document::parse(&definition).expect("XML");
    let count = |tag: &str| {
        xml.descendants()
            .filter(|node| node.has_tag_name(tag))
            .count()
    };
    assert_eq!((count("rundefinition"), count("include")), (2, 4));
    assert!(
        folder
            .read("bench/lariat_benchexec/lariat.py")
            .contains("class Tool(")
    );
    assert!(folder.read("bench/tasks/ltl.prp").contains("options"));
    // What was written is read as a manifest, and asks the same.
    let list = folder.file("all.set", "# all\nbench/tasks/*.yml\n");
    let results = folder.path("results");
    let again = compare(&[
        "--manifest",
        &list,
        "--configs",
        "auto",
        "--benchexec-results",
        &results,
        "--summary",
    ]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    let results = folder.read("results/lariat.auto.results.xml");
    let xml = roxmltree::Document::parse(&results).expect("XML");
    let status: Vec<&str> = xml
        .descendants()
        .filter(|node| {
            node.attribute("title") == Some("status") || node.attribute("title") == Some("category")
        })
        .filter_map(|node| node.attribute("value"))
        .collect();
    assert_eq!(status, ["correct", "false", "correct", "true"]);
    // A list without any file, and a definition that is none.
    let empty = folder.file("none.set", "nothing/*.yml\n");
    assert_eq!(compare(&["--manifest", &empty]).status.code(), Some(2));
    let wrong = folder.file("wrong.yml", "input_files: [a\n");
    let output = compare(&["--manifest", &wrong]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("bad-definition"),
        "{}",
        text(&output.stderr)
    );
}
