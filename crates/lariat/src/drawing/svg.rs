//! A drawing of a statechart as SVG; what is active and what has just fired can stand out.

use super::chart::{ChartDrawing, End, Line, Placed, draw, shortened, text_width};
use super::layered::Point;
use lariat_system::{Chart, ChartKind};
use std::fmt::Write as _;

/// What stands out in a drawing.
#[derive(Clone, Copy, Default)]
pub struct Marks<'a> {
    /// The active states.
    pub active: &'a [usize],
    /// The transitions that fired.
    pub fired: &'a [usize],
}

const STYLE: &str = "text{font-family:Helvetica,Arial,sans-serif;font-size:12px;fill:#222}.line,.label{font-size:10px}.label{paint-order:stroke;\
stroke:#fff;stroke-width:5px;stroke-linejoin:round}rect,circle,polygon{fill:#fff;stroke:#555}.outer{fill:#fafafa}.region{stroke-dasharray:5 3}.active>rect{fill:#ffe9b0;\
stroke:#b26b00;stroke-width:2}path{fill:none;stroke:#555}.fired{stroke:#b26b00;stroke-width:2.5}.dot{fill:#333;stroke:none}.title{font-weight:bold}\
.caption{font-size:13px}";

/// The head of an arrow, as large on thick lines as on thin ones.
fn marker(name: &str, colour: &str) -> String {
    format!(
        "<marker id=\"{name}\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\" style=\"fill:{colour};stroke:none\"/></marker>"
    )
}

/// The chart as an SVG file.
pub fn chart(chart: &Chart, marks: Marks<'_>) -> String {
    let drawing = draw(chart);
    let (width, height) = drawing.size;
    let mut text = open(width, height);
    body(&mut text, chart, &drawing, marks);
    text.push_str("</svg>\n");
    text
}

/// The chart once for each step of a run, one below another: a caption, and what stands out.
pub fn film(chart: &Chart, steps: &[(String, Vec<usize>, Vec<usize>)]) -> String {
    const LINE: f64 = 16.0;
    const CAPTION: f64 = 10.0 + 2.0 * LINE;
    let drawing = draw(chart);
    let width = drawing.size.0.max(500.0);
    let most = ((width - 24.0) / text_width("n", 13.0)) as usize;
    let each = drawing.size.1 + CAPTION;
    let mut text = open(width, each * steps.len() as f64);
    for (at, (caption, active, fired)) in steps.iter().enumerate() {
        let y = each * at as f64;
        for (line, words) in (1..).zip(two_lines(caption, most)) {
            let (y, words) = (y + 2.0 + LINE * f64::from(line), escape(&words));
            let _ = writeln!(
                text,
                "<text class=\"caption\" x=\"12\" y=\"{y:.1}\">{words}</text>"
            );
        }
        let _ = writeln!(text, "<g transform=\"translate(0 {:.1})\">", y + CAPTION);
        body(&mut text, chart, &drawing, Marks { active, fired });
        text.push_str("</g>\n");
    }
    text.push_str("</svg>\n");
    text
}

/// A caption in at most two lines, broken at a blank if there is one.
fn two_lines(text: &str, most: usize) -> Vec<String> {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return vec![text.to_owned()];
    };
    let end = text[..end].rfind(' ').unwrap_or(end);
    let (first, rest) = text.split_at(end);
    vec![first.to_owned(), shortened(rest.trim_start(), most)]
}

fn open(width: f64, height: f64) -> String {
    let (head, fired) = (marker("head", "#555"), marker("fired", "#b26b00"));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <style>{STYLE}</style>\n<defs>{head}{fired}</defs>\n<rect width=\"100%\" height=\"100%\" style=\"fill:#fff;stroke:none\"/>\n"
    )
}

fn body(text: &mut String, chart: &Chart, drawing: &ChartDrawing, marks: Marks<'_>) {
    for at in 0..chart.states.len() {
        state(text, chart, at, &drawing.states[at], marks);
    }
    // Labels stand above all lines.
    for line in &drawing.lines {
        path(text, drawing, line, marks);
    }
    for line in &drawing.lines {
        label(text, line);
    }
}

fn state(text: &mut String, chart: &Chart, at: usize, placed: &Placed, marks: Marks<'_>) {
    let Placed {
        corner: (x, y),
        size: (w, h),
        lines,
        name,
    } = placed;
    let own = &chart.states[at];
    let active = if at > 0 && marks.active.contains(&at) {
        " active"
    } else {
        ""
    };
    let _ = write!(
        text,
        "<g class=\"state{active}\"><title>{}</title>",
        escape(&own.name)
    );
    let (mx, my) = (x + w / 2.0, y + h / 2.0);
    match own.kind {
        ChartKind::ShallowHistory | ChartKind::DeepHistory => {
            let letter = if own.kind == ChartKind::DeepHistory {
                "H*"
            } else {
                "H"
            };
            let _ = writeln!(
                text,
                "<circle cx=\"{mx:.1}\" cy=\"{my:.1}\" r=\"12\"/><text class=\"line\" x=\"{mx:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{letter}</text></g>",
                my + 4.0
            );
            return;
        }
        ChartKind::Junction => {
            let _ = writeln!(
                text,
                "<polygon points=\"{mx:.1},{y:.1} {:.1},{my:.1} {mx:.1},{:.1} {x:.1},{my:.1}\"/></g>",
                x + w,
                y + h
            );
            return;
        }
        _ => {}
    }
    let of_parallel = own
        .parent
        .is_some_and(|outer| chart.states[outer].kind == ChartKind::Parallel);
    let has_children = matches!(own.kind, ChartKind::Compound | ChartKind::Parallel);
    let class = match (has_children, of_parallel) {
        (true, true) => " class=\"outer region\"",
        (true, false) => " class=\"outer\"",
        _ => "",
    };
    let _ = write!(
        text,
        "<rect{class} x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"8\"/>"
    );
    if own.kind == ChartKind::Final {
        let _ = write!(
            text,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>",
            x + 3.0,
            y + 3.0,
            w - 6.0,
            h - 6.0
        );
    }
    let title = if has_children { " class=\"title\"" } else { "" };
    let _ = write!(
        text,
        "<text{title} x=\"{mx:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        y + 17.0,
        escape(name)
    );
    for (n, line) in lines.iter().enumerate() {
        let _ = write!(
            text,
            "<text class=\"line\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 10.0,
            y + 32.0 + n as f64 * 13.0,
            escape(line)
        );
    }
    text.push_str("</g>\n");
}

fn path(text: &mut String, drawing: &ChartDrawing, line: &Line, marks: Marks<'_>) {
    let is_loop = line.from == line.to;
    let mut points = line.points.clone();
    let (first, last) = (points.first().copied(), points.last().copied());
    if !is_loop {
        let start = end_point(drawing, line.from, first, line.to);
        let end = end_point(drawing, line.to, last, line.from);
        if let End::Dot((x, y)) = line.from {
            let _ = writeln!(
                text,
                "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>"
            );
        }
        let (mut before, mut after) = (vec![start], vec![end]);
        if let (Some(outer), Some(next)) = (line.leaves, first) {
            before = way_out(drawing, line.from, outer, next);
        }
        if let (Some(outer), Some(next)) = (line.reaches, last) {
            after = way_out(drawing, line.to, outer, next);
        }
        after.reverse();
        points = [before, points, after].concat();
    }
    let is_fired = line.transition.is_some_and(|at| marks.fired.contains(&at));
    let (class, head) = if is_fired {
        (" class=\"fired\"", "fired")
    } else {
        ("", "head")
    };
    let mut d = format!("M{:.1} {:.1}", points[0].0, points[0].1);
    for pair in points.windows(2) {
        let ((x, y), (u, v)) = (pair[0], pair[1]);
        if is_loop || (x - u).abs() < 0.5 || (y - v).abs() < 0.5 || points.len() == 2 {
            let _ = write!(d, "L{u:.1} {v:.1}");
        } else {
            let middle = f64::midpoint(y, v);
            let _ = write!(d, "C{x:.1} {middle:.1} {u:.1} {middle:.1} {u:.1} {v:.1}");
        }
    }
    let _ = writeln!(text, "<path{class} d=\"{d}\" marker-end=\"url(#{head})\"/>");
}

/// The way from a state inside of others to a point outside: to the border of the outermost, and along it.
fn way_out(drawing: &ChartDrawing, end: End, outer: usize, next: Point) -> Vec<Point> {
    let End::State(at) = end else {
        return Vec::new();
    };
    let (own, around) = (&drawing.states[at], &drawing.states[outer]);
    let (left, right) = (around.corner.0 + 6.0, around.corner.0 + around.size.0 - 6.0);
    let y = own.corner.1 + own.size.1 / 2.0;
    let (x, lane) = if (next.0 - left).abs() < (next.0 - right).abs() {
        (own.corner.0, left)
    } else {
        (own.corner.0 + own.size.0, right)
    };
    let is_below = next.1 > around.corner.1 + around.size.1 / 2.0;
    let border = around.corner.1 + if is_below { around.size.1 } else { 0.0 };
    vec![(x, y), (lane, y), (lane, border)]
}

/// Where a line touches the box that it begins or ends at: on the side of the next point, as near to it as possible.
fn end_point(drawing: &ChartDrawing, end: End, next: Option<Point>, other: End) -> Point {
    let at = match end {
        End::Dot((x, y)) => return (x, y + 5.0),
        End::Border(at) => {
            let Placed { corner, size, .. } = &drawing.states[at];
            let (x, y) = next.unwrap_or(*corner);
            let is_upper = y - corner.1 < corner.1 + size.1 - y;
            return (
                x,
                if is_upper {
                    corner.1 + 24.0
                } else {
                    corner.1 + size.1
                },
            );
        }
        End::State(at) => at,
    };
    let Placed {
        corner: (x, y),
        size: (w, h),
        ..
    } = drawing.states[at];
    let (nx, ny) = next.unwrap_or_else(|| match other {
        End::State(other) => {
            let Placed { corner, size, .. } = &drawing.states[other];
            (corner.0 + size.0 / 2.0, corner.1 + size.1 / 2.0)
        }
        End::Dot(point) => point,
        End::Border(_) => (x, y),
    });
    let inset = (w / 2.0).min(10.0);
    let px = nx.clamp(x + inset, x + w - inset);
    if ny >= y + h {
        (px, y + h)
    } else if ny <= y {
        (px, y)
    } else {
        (if nx < x { x } else { x + w }, ny)
    }
}

fn label(text: &mut String, line: &Line) {
    let n = line.label.len() as f64;
    for (at, part) in line.label.iter().enumerate() {
        let y = line.at.1 + 12.0 * (at as f64 - (n - 1.0) / 2.0) + 3.5;
        let _ = writeln!(
            text,
            "<text class=\"label\" x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
            line.at.0,
            escape(part)
        );
    }
}

fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
