//! `lariat compare --report FILE.html`: one page with tables and plots, and beside it each plot as SVG with its data as CSV.
//!
//! The page asks for nothing from outside, as that of `check` (`crate::page`, whose style it shares). What it says stands in its
//! HTML; its script only lets a person choose two configurations to compare, and tasks to look at.

use super::comparison::{Alarm, Comparison};
use super::export::Setup;
use super::plot::{self, Axis, Dot, Heat, Line};
use super::runner::Ending;
use super::score::{Score, Scores};
use super::text;
use crate::csv::field;
use crate::options::Opt;
use crate::page::{Frame, escape, framed};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const STYLE: &str = include_str!("assets/compare.css");
const SCRIPT: &str = include_str!("assets/compare.js");

/// A report.
pub struct Report {
    /// The page.
    pub page: String,
    /// The files beside it.
    pub beside: Vec<File>,
}

/// A file beside the page.
pub struct File {
    /// Where it goes.
    pub path: PathBuf,
    /// What is in it.
    pub text: String,
}

/// A plot: what it shows in words, the drawing, and its numbers.
struct Figure {
    /// What follows the name of the page in the names of its files.
    name: String,
    svg: String,
    csv: String,
}

/// The report whose page goes there. `pairs` are the configurations to be drawn against each other.
pub fn report(
    page: &Path,
    comparison: &Comparison,
    setup: &Setup<'_>,
    pairs: &[(usize, usize)],
) -> Report {
    let scores = Scores::new(comparison, setup.timeout);
    let axis = Axis::new(scores.least_time(), scores.limit);
    let pairs = if pairs.is_empty() {
        usual_pairs(&scores)
    } else {
        pairs.to_vec()
    };
    let cactus = quantiles(&scores, axis);
    let scatters: Vec<Figure> = pairs
        .iter()
        .filter_map(|&pair| scatter(comparison, &scores, pair, axis))
        .collect();
    let heat = heat(comparison, &scores);
    let table = summary_csv(&scores);
    let html = html(comparison, setup, &scores, &cactus, heat.as_ref(), axis);
    let beside = |end: &str| {
        let stem = page.file_stem().unwrap_or_default().to_string_lossy();
        page.with_file_name(format!("{stem}-{end}"))
    };
    let mut files = vec![File {
        path: beside("table.csv"),
        text: table,
    }];
    for figure in std::iter::once(cactus).chain(scatters).chain(heat) {
        let Figure { name, svg, csv } = figure;
        for (end, text) in [("svg", svg), ("csv", csv)] {
            let path = beside(&format!("{name}.{end}"));
            files.push(File { path, text });
        }
    }
    Report {
        page: html,
        beside: files,
    }
}

/// Every two of few configurations, of many the best two.
fn usual_pairs(scores: &Scores) -> Vec<(usize, usize)> {
    let numbers: Vec<usize> = scores.all.iter().filter_map(|s| s.configuration).collect();
    let n = if numbers.len() <= 3 { numbers.len() } else { 2 };
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    pairs.map(|(i, j)| (numbers[i], numbers[j])).collect()
}

fn quantiles(scores: &Scores, axis: Axis) -> Figure {
    let line = |score: &Score| Line {
        name: score.name.clone(),
        times: score.sorted_times(),
        is_best: score.configuration.is_none(),
    };
    let shown = scores.all.iter().take(plot::MOST_LINES).map(line);
    let best = (scores.all.len() > 1).then(|| line(&scores.best));
    let lines: Vec<Line> = best.into_iter().chain(shown).collect();
    let mut csv = String::from("configuration,decided,time_s\n");
    for score in std::iter::once(&scores.best).chain(&scores.all) {
        for (n, time) in score.sorted_times().into_iter().enumerate() {
            let _ = writeln!(csv, "{},{},{time:.6}", field(&score.name), n + 1);
        }
    }
    Figure {
        name: "cactus".to_owned(),
        svg: plot::quantiles(&lines, scores.best.n_tasks(), axis),
        csv,
    }
}

/// Whether anybody found a task violated.
fn is_violated(scores: &Scores, task: usize) -> bool {
    let mut outcomes = scores.all.iter().filter_map(|score| score.tasks[task]);
    outcomes.any(|outcome| outcome.decided().is_some() && outcome.ending == Ending::Violated)
}

fn scatter(
    comparison: &Comparison,
    scores: &Scores,
    (first, second): (usize, usize),
    axis: Axis,
) -> Option<Figure> {
    let find = |number: usize| scores.all.iter().find(|s| s.configuration == Some(number));
    let (first, second) = (find(first)?, find(second)?);
    let [x, y] = [first, second].map(|score| field(&score.name));
    let mut csv = format!("task,{x},{y}\n");
    let mut dots = Vec::new();
    for (task, prepared) in comparison.tasks.iter().enumerate() {
        let (Some(x), Some(y)) = (first.tasks[task], second.tasks[task]) else {
            continue;
        };
        let (x, y) = (x.decided(), y.decided());
        let number = |time: Option<f64>| time.map_or_else(String::new, |time| format!("{time:.6}"));
        let _ = writeln!(
            csv,
            "{},{},{}",
            field(&prepared.task.id),
            number(x),
            number(y)
        );
        let is_violated = is_violated(scores, task);
        dots.push(Dot { x, y, is_violated });
    }
    Some(Figure {
        name: format!("scatter-{}-{}", plain(&first.name), plain(&second.name)),
        svg: plot::scatter([&first.name, &second.name], &dots, axis),
        csv,
    })
}

/// A name that every file system takes.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    name.chars().map(plain).collect()
}

/// Domains by searches and refinements, where there are several to compare.
fn heat(comparison: &Comparison, scores: &Scores) -> Option<Figure> {
    let (mut rows, mut columns) = (Vec::<String>::new(), Vec::<String>::new());
    let mut placed = Vec::new();
    for score in &scores.all {
        let configuration = &comparison.configurations[score.configuration?];
        let value = |opt: Opt| {
            let given = configuration.args.is_given(opt);
            let word = given.then(|| configuration.args.word(opt))?;
            word.map(str::to_owned)
        };
        let Some(row) = value(Opt::Domain) else {
            continue;
        };
        let parts = [Opt::Search, Opt::LassoRefinement, Opt::Refinement];
        let parts: Vec<String> = parts.into_iter().filter_map(value).collect();
        let column = if parts.is_empty() {
            "default".to_owned()
        } else {
            parts.join("/")
        };
        placed.push((row, column, score));
    }
    for (row, column, _) in &placed {
        for (list, name) in [(&mut rows, row), (&mut columns, column)] {
            if !list.contains(name) {
                list.push(name.clone());
            }
        }
    }
    if rows.len() * columns.len() < 2 {
        return None;
    }
    rows.sort();
    columns.sort();
    let mut cells = vec![vec![None; columns.len()]; rows.len()];
    let mut csv = String::from("domain,search_and_refinement,configuration,tasks,decided,par2_s\n");
    for (row, column, score) in placed {
        let at = |list: &[String], name: &String| list.iter().position(|other| other == name);
        let (i, j) = (at(&rows, &row)?, at(&columns, &column)?);
        let heat = Heat {
            n_decided: score.n_decided(),
            n_tasks: score.n_tasks(),
            par2: score.par2(scores.limit),
        };
        let _ = writeln!(
            csv,
            "{row},{column},{},{},{},{:.6}",
            field(&score.name),
            heat.n_tasks,
            heat.n_decided,
            heat.par2
        );
        // Options that have no place in the map may tell configurations of one place apart: the best is shown.
        let best: &mut Option<Heat> = &mut cells[i][j];
        if best.is_none_or(|best| best.n_decided < heat.n_decided) {
            *best = Some(heat);
        }
    }
    Some(Figure {
        name: "heat".to_owned(),
        svg: plot::heat(&rows, &columns, &cells),
        csv,
    })
}

const HEADS: [&str; 10] = [
    "configuration",
    "tasks",
    "decided",
    "holds",
    "violated",
    "wrong",
    "unknown",
    "failed",
    "PAR-2",
    "time",
];

/// A row of the summary: counts, PAR-2 and the time of all tasks.
fn summary_row(score: &Score, limit: f64) -> (Vec<usize>, f64, f64) {
    let ended = |ending: Ending| score.count(|one| one.ending == ending && !one.is_wrong);
    let counts = vec![
        score.n_tasks(),
        score.n_decided(),
        ended(Ending::Holds),
        ended(Ending::Violated),
        score.count(|one| one.is_wrong),
        ended(Ending::Unknown),
        ended(Ending::Error) + ended(Ending::Crash),
    ];
    let time = score.tasks.iter().flatten().map(|one| one.time).sum();
    (counts, score.par2(limit), time)
}

fn with_best(scores: &Scores) -> impl Iterator<Item = &Score> {
    std::iter::once(&scores.best).chain(&scores.all)
}

fn summary_csv(scores: &Scores) -> String {
    let mut csv = HEADS
        .join(",")
        .replace("PAR-2", "par2_s")
        .replace("time", "time_s")
        + "\n";
    for score in with_best(scores) {
        let (counts, par2, time) = summary_row(score, scores.limit);
        let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
        let _ = writeln!(
            csv,
            "{},{},{par2:.6},{time:.6}",
            field(&score.name),
            counts.join(",")
        );
    }
    csv
}

fn html(
    comparison: &Comparison,
    setup: &Setup<'_>,
    scores: &Scores,
    cactus: &Figure,
    heat: Option<&Figure>,
    axis: Axis,
) -> String {
    let mut body = head(comparison, setup);
    body += &alarms(comparison, setup.program);
    body += &panel(
        "summary",
        "All tasks, the best configuration first",
        &summary(scores),
    );
    let n_all = scores.all.len();
    let many = if n_all > plot::MOST_LINES {
        format!(
            " The plot has the best {} of {n_all} configurations; the CSV file beside this page has all.",
            plot::MOST_LINES
        )
    } else {
        String::new()
    };
    let words = format!(
        "How many tasks (across) were decided within how much time each (up). Further right is more, lower is faster. \
         The line above is the time limit.{many}"
    );
    let drawing = figure(
        &cactus.svg,
        &words,
        "Quantile plot; the table above and the CSV file have its numbers",
    );
    body += "<div class=\"plots\">\n";
    body += &panel("cactus", "Decided tasks by time", &drawing);
    if n_all > 1 {
        body += &panel(
            "scatter",
            "Two configurations, task by task",
            &versus(comparison, scores, axis),
        );
    }
    if let Some(heat) = heat {
        let words = "Decided of all tasks, and PAR-2 in seconds below. Darker is more.";
        let drawing = figure(
            &heat.svg,
            words,
            "Heat map; the CSV file beside this page has its numbers",
        );
        body += &panel("heat", "Domain by search and refinement", &drawing);
    }
    body += "</div>\n";
    body += &panel("tasks", "Every task", &tasks(comparison, scores));
    framed(&Frame {
        title: "Lariat comparison",
        style: STYLE,
        body: &body,
        data: &data(comparison, scores, axis).to_string(),
        script: SCRIPT,
    })
}

fn panel(id: &str, title: &str, content: &str) -> String {
    format!(
        "<section class=\"panel\" id=\"{id}\" aria-labelledby=\"head-{id}\">\
         <h3 id=\"head-{id}\">{title}</h3>{content}</section>\n"
    )
}

fn figure(svg: &str, words: &str, label: &str) -> String {
    // One who cannot see it hears what it is, not each of its labels.
    let svg = svg.replacen(
        "<svg ",
        &format!("<svg role=\"img\" aria-label=\"{}\" ", escape(label)),
        1,
    );
    format!("<p class=\"small\">{words}</p><div class=\"plot\">{svg}</div>")
}

fn head(comparison: &Comparison, setup: &Setup<'_>) -> String {
    let memory = setup.memory.map_or_else(String::new, |bytes| {
        format!(", {} MiB", bytes.div_ceil(1 << 20))
    });
    let missing = match comparison.n_missing {
        0 => String::new(),
        n => format!(
            "<p class=\"ended\">{n} runs were not made: the comparison was ended before.</p>"
        ),
    };
    let repetitions = comparison.runs.iter().map(|run| run.repetition + 1).max();
    let repeated = match repetitions {
        Some(n) if n > 1 => format!(" Each ran {n} times; times are medians."),
        _ => String::new(),
    };
    format!(
        "<header class=\"top\"><h1>Comparison of {} on {}</h1><p class=\"made\">Lariat {}</p>\
         <p class=\"small\">{} runs of <code>{}</code>, each with {} s{memory}, {} at a time.{repeated}</p>{missing}</header>\n",
        count(comparison.configurations.len(), "configuration"),
        count(comparison.tasks.len(), "task"),
        env!("CARGO_PKG_VERSION"),
        comparison.runs.len(),
        escape(setup.program),
        setup.timeout.as_secs_f64(),
        setup.n_jobs,
    )
}

fn count(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// What must not be, first and in red.
fn alarms(comparison: &Comparison, program: &str) -> String {
    let alarms = comparison.alarms();
    if alarms.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for alarm in &alarms {
        let (task, kind) = match alarm {
            Alarm::Disagreement { task, .. } => (task, "disagreement"),
            Alarm::Crash { task, .. } => (task, "crash"),
            Alarm::Wrong { task, .. } => (task, "wrong verdict"),
        };
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{kind}</th><td>{}</td><td><pre>{}</pre></td></tr>",
            escape(&task.task.id),
            escape(&text::alarm(comparison, program, alarm))
        );
    }
    format!(
        "<section class=\"panel alarms\" role=\"alert\" id=\"alarms\"><h2>{} that must not be</h2>\
         <div class=\"wide\"><table><thead><tr><th scope=\"col\">what</th><th scope=\"col\">task</th>\
         <th scope=\"col\">who says what, and how to see it</th></tr></thead><tbody>{rows}</tbody></table></div></section>\n",
        count(alarms.len(), "thing")
    )
}

fn summary(scores: &Scores) -> String {
    let mut rows = String::new();
    for score in with_best(scores) {
        let (counts, par2, time) = summary_row(score, scores.limit);
        let class = if score.configuration.is_none() {
            " class=\"best\""
        } else {
            ""
        };
        let _ = write!(
            rows,
            "<tr{class}><th scope=\"row\">{}</th>",
            escape(&score.name)
        );
        for (head, n) in HEADS[1..].iter().zip(&counts) {
            let class = if *head == "wrong" && *n > 0 {
                " class=\"no\""
            } else {
                ""
            };
            let _ = write!(rows, "<td{class}>{n}</td>");
        }
        let _ = write!(rows, "<td>{par2:.3}</td><td>{time:.2}</td></tr>");
    }
    let heads = HEADS
        .iter()
        .map(|head| format!("<th scope=\"col\">{head}</th>"));
    format!(
        "<div class=\"wide\"><table class=\"numbers\"><thead><tr>{}</tr></thead><tbody>{rows}</tbody></table></div>\
         <p class=\"small\">PAR-2 is the mean time in seconds, where a task that is not decided counts twice the limit of {} s. \
         <em>time</em> is the sum in seconds. The virtual best takes for each task the configuration that decides it first.</p>",
        heads.collect::<String>(),
        scores.limit
    )
}

/// The choice of two configurations, and their plot.
fn versus(comparison: &Comparison, scores: &Scores, axis: Axis) -> String {
    let options = |chosen: usize| -> String {
        let option = |(i, score): (usize, &Score)| {
            let selected = if i == chosen { " selected" } else { "" };
            format!(
                "<option value=\"{i}\"{selected}>{}</option>",
                escape(&score.name)
            )
        };
        scores.all.iter().enumerate().map(option).collect()
    };
    let dots: Vec<Dot> = (0..comparison.tasks.len())
        .filter_map(|task| {
            let (x, y) = (scores.all[0].tasks[task]?, scores.all[1].tasks[task]?);
            let (x, y) = (x.decided(), y.decided());
            let is_violated = is_violated(scores, task);
            Some(Dot { x, y, is_violated })
        })
        .collect();
    let svg = plot::scatter(["across", "up"], &dots, axis);
    let words = "A dot is a task. Below the diagonal the configuration of the upward axis is faster; the thin diagonals are ten and a hundred \
                 times. At the far ends is what was not decided. Blue: holds (or not known), orange: violated.";
    format!(
        "<div class=\"controls\"><label>across <select id=\"across\">{}</select></label>\
         <label>up <select id=\"up\">{}</select></label></div>{}<p class=\"small\" id=\"dot\" aria-live=\"polite\"></p>",
        options(0),
        options(1),
        figure(
            &svg,
            words,
            "Scatter plot; the table of every task has its numbers"
        )
    )
}

fn tasks(comparison: &Comparison, scores: &Scores) -> String {
    let mut heads = String::new();
    for score in &scores.all {
        let _ = write!(heads, "<th scope=\"col\">{}</th>", escape(&score.name));
    }
    let mut rows = String::new();
    for (number, prepared) in comparison.tasks.iter().enumerate() {
        let expected = prepared
            .task
            .expected
            .map_or("", super::task::Expected::name);
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{}</th><td>{expected}</td>",
            escape(&prepared.task.id)
        );
        if let Some(error) = &prepared.error {
            let _ = write!(
                rows,
                "<td colspan=\"{}\">{}</td></tr>",
                scores.all.len(),
                escape(error)
            );
            continue;
        }
        for score in &scores.all {
            rows += &score.tasks[number].map_or_else(
                || "<td></td>".to_owned(),
                |outcome| {
                    let class = match (outcome.is_wrong, outcome.ending) {
                        (true, _) | (_, Ending::Crash) => "wrong",
                        (_, Ending::Holds) => "yes",
                        (_, Ending::Violated) => "no",
                        _ => "unseen",
                    };
                    let (least, most) = outcome.spread;
                    let spread = if least < most {
                        format!(" <span class=\"small\">{least:.2}–{most:.2}</span>")
                    } else {
                        String::new()
                    };
                    let name = outcome.ending.name();
                    format!(
                        "<td><span class=\"{class}\">{name}</span> {:.3}{spread}</td>",
                        outcome.time
                    )
                },
            );
        }
        rows += "</tr>";
    }
    format!(
        "<div class=\"controls\"><input type=\"search\" id=\"filter\" placeholder=\"filter tasks\" aria-label=\"filter tasks\">\
         <label><input type=\"checkbox\" id=\"differ\"> only where configurations differ</label></div>\
         <div class=\"wide tasks\"><table class=\"numbers\"><thead><tr><th scope=\"col\">task</th><th scope=\"col\">expected</th>{heads}</tr></thead>\
         <tbody>{rows}</tbody></table></div>"
    )
}

/// What the script needs: where the times of each configuration lie in the scatter plot.
fn data(comparison: &Comparison, scores: &Scores, axis: Axis) -> serde_json::Value {
    let configurations = scores.all.iter().map(|score| {
        let decided = score
            .tasks
            .iter()
            .map(|one| one.and_then(|one| one.decided()));
        let places = plot::places(decided.clone(), axis);
        let tasks = score.tasks.iter().zip(places).zip(decided);
        let tasks: Vec<_> = tasks
            .map(|((one, (x, y)), time)| one.map(|_| json!({ "x": x, "y": y, "time": time })))
            .collect();
        json!({ "name": score.name, "tasks": tasks })
    });
    let tasks = comparison.tasks.iter().enumerate();
    let tasks =
        tasks.map(|(i, task)| json!({ "id": task.task.id, "violated": is_violated(scores, i) }));
    json!({ "configurations": configurations.collect::<Vec<_>>(), "tasks": tasks.collect::<Vec<_>>() })
}
