//! Plots of a comparison as SVG: quantiles (cactus), one configuration against another, and a heat map.
//!
//! They are drawn for a column of a paper, black on white, with colours that people who see few colours can tell apart, and
//! with a mark of its own for each line. A page in the dark gives the same colours other values by its style
//! (`assets/compare.css`), which is why each colour here stands for one purpose only.

// Numbers of pictures are small.
#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)]

use plotters::coord::Shift;
use plotters::coord::combinators::LogCoord;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Text, axes and diagonals.
const INK: RGBColor = RGBColor(0x1b, 0x1f, 0x27);
/// What is behind everything.
const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);
/// Lines of the mesh.
const MESH: RGBColor = RGBColor(0xdd, 0xe1, 0xe8);
/// Less important lines and texts.
const SOFT: RGBColor = RGBColor(0x59, 0x62, 0x73);
/// Lines of configurations: the palette of Okabe and Ito, which is made for all eyes, and two more.
const COLOURS: [RGBColor; MOST_LINES] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x8c, 0x56, 0x4b),
    RGBColor(0x6a, 0x3d, 0x9a),
];
/// As many lines as can be told apart, the virtual best aside.
pub const MOST_LINES: usize = 8;
/// Dots of tasks that hold (or nobody knows), and of those that are violated.
const HOLDS: RGBColor = RGBColor(0x00, 0x72, 0xb2);
const VIOLATED: RGBColor = RGBColor(0xd5, 0x5e, 0x00);

/// The width of all plots but the heat map.
pub const WIDTH: u32 = 560;
const FONT: &str = "sans-serif";
/// What the back end writes is smaller by a quarter.
const SIZE: f64 = 17.0;
/// How wide a letter is, about, in parts of the size.
const LETTER: f64 = 0.44;

/// A drawing in a text cannot fail.
const CAN_BE_DRAWN: &str = "a text takes every drawing";

/// A line of a quantile plot.
pub struct Line {
    /// The configuration.
    pub name: String,
    /// Its times, the least first.
    pub times: Vec<f64>,
    /// Whether it is the virtual best.
    pub is_best: bool,
}

/// How many tasks each configuration decides within which time each.
pub fn quantiles(lines: &[Line], n_tasks: usize, axis: Axis) -> String {
    const HEIGHT: u32 = 370;
    const ROW: u32 = 22;
    let n_rows = (lines.len() as u32).div_ceil(2);
    let mut text = String::new();
    {
        let size = (WIDTH, HEIGHT + ROW * n_rows + 10);
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&PAPER).expect(CAN_BE_DRAWN);
        let (above, below) = root.split_vertically(HEIGHT);
        let most = lines.iter().map(|line| line.times.len()).max().unwrap_or(0);
        let right = (n_tasks.max(most).max(1) as f64) * 1.02;
        let mut chart = ChartBuilder::on(&above)
            .margin(10)
            .margin_right(18)
            .x_label_area_size(48)
            .y_label_area_size(70)
            .build_cartesian_2d(0.0..right, (axis.start()..axis.limit * 1.15).log_scale())
            .expect(CAN_BE_DRAWN);
        chart
            .configure_mesh()
            .x_desc("tasks decided")
            .y_desc("time for each, in seconds")
            .x_labels(8)
            .y_labels(axis.n_labels())
            .x_label_formatter(&|n| format!("{n:.0}"))
            .y_label_formatter(&|time| seconds(*time))
            .bold_line_style(MESH)
            .light_line_style(TRANSPARENT)
            .axis_style(SOFT)
            .label_style((FONT, SIZE, &INK))
            .axis_desc_style((FONT, SIZE + 1.0, &INK))
            .draw()
            .expect(CAN_BE_DRAWN);
        let limit = [(0.0, axis.limit), (right, axis.limit)];
        let limit = PathElement::new(limit, SOFT.stroke_width(1));
        chart.draw_series([limit]).expect(CAN_BE_DRAWN);
        // The best last, so that it lies above the others.
        for (i, line) in lines.iter().enumerate().rev() {
            let style = style(lines, i);
            let points: Vec<(f64, f64)> = line
                .times
                .iter()
                .enumerate()
                .map(|(n, &time)| ((n + 1) as f64, time.max(axis.low)))
                .collect();
            let series = LineSeries::new(points.clone(), style.stroke_width(2));
            chart.draw_series(series).expect(CAN_BE_DRAWN);
            // About a dozen marks on each line, at different places.
            let every = (points.len() / 12).max(1);
            let marks = points.iter().skip(i % every).step_by(every);
            let marks = marks.map(|&at| EmptyElement::at(at) + mark(i, style));
            chart.draw_series(marks).expect(CAN_BE_DRAWN);
        }
        legend(&below, lines, ROW as i32);
        root.present().expect(CAN_BE_DRAWN);
    }
    text
}

/// The names of the lines, in two columns.
fn legend(area: &DrawingArea<SVGBackend<'_>, Shift>, lines: &[Line], row: i32) {
    let n_rows = lines.len().div_ceil(2);
    for (i, line) in lines.iter().enumerate() {
        let (x, y) = (
            if i < n_rows { 14 } else { WIDTH as i32 / 2 + 4 },
            (i % n_rows) as i32 * row + row / 2,
        );
        let style = style(lines, i);
        let stroke = PathElement::new([(x, y), (x + 24, y)], style.stroke_width(2));
        area.draw(&stroke).expect(CAN_BE_DRAWN);
        let mark = EmptyElement::at((x + 12, y)) + mark(i, style);
        area.draw(&mark).expect(CAN_BE_DRAWN);
        let label = format!("{} ({})", line.name, line.times.len());
        let size = fitting(&label, 246.0, 16.0);
        let font = (FONT, size, &INK).into_text_style(area);
        let font = font.pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(label, (x + 31, y), font))
            .expect(CAN_BE_DRAWN);
    }
}

fn style(lines: &[Line], i: usize) -> RGBColor {
    if lines[i].is_best {
        INK
    } else {
        // The virtual best has a colour of its own.
        let n_before = lines[..i].iter().filter(|line| !line.is_best).count();
        COLOURS[n_before % COLOURS.len()]
    }
}

/// A mark at the origin; lines next to each other have different ones.
fn mark<DB: DrawingBackend>(i: usize, colour: RGBColor) -> DynElement<'static, DB, (i32, i32)> {
    match i % 4 {
        0 => Circle::new((0, 0), 4, colour.filled()).into_dyn(),
        1 => TriangleMarker::new((0, 0), 5, colour.filled()).into_dyn(),
        2 => Rectangle::new([(-4, -4), (4, 4)], colour.filled()).into_dyn(),
        _ => Cross::new((0, 0), 4, colour.stroke_width(2)).into_dyn(),
    }
}

/// The times that an axis shows.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    low: f64,
    limit: f64,
}

impl Axis {
    /// From a power of ten below the least time to the limit.
    pub fn new(least: f64, limit: f64) -> Self {
        let low = 10f64.powf(least.max(1e-3).log10().floor());
        Self {
            low: low.min(limit / 10.0),
            limit,
        }
    }

    /// A little before the least time, so that it has a label.
    fn start(self) -> f64 {
        self.low * 0.9
    }

    fn n_labels(self) -> usize {
        (self.limit / self.low).log10().ceil() as usize + 1
    }
}

/// A task in a scatter plot.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    /// Seconds of the one; nothing if it did not decide it.
    pub x: Option<f64>,
    /// Seconds of the other.
    pub y: Option<f64>,
    /// Whether what they found is a violation.
    pub is_violated: bool,
}

/// The space between the limit and what was not decided.
const BEYOND: f64 = 1.9;

/// The height of a scatter plot.
const SQUARE: u32 = WIDTH - 20;

type Both<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<LogCoord<f64>, LogCoord<f64>>>;

/// The axes of a scatter plot; they are the same for every two configurations of a comparison.
fn axes<'a>(root: &DrawingArea<SVGBackend<'a>, Shift>, axis: Axis) -> Both<'a> {
    let range = || (axis.start()..axis.limit * BEYOND * 1.2).log_scale();
    ChartBuilder::on(root)
        .margin(12)
        .margin_right(18)
        .x_label_area_size(48)
        .y_label_area_size(70)
        .build_cartesian_2d(range(), range())
        .expect(CAN_BE_DRAWN)
}

/// The time at which something is drawn.
fn place(time: Option<f64>, axis: Axis) -> f64 {
    time.map_or(axis.limit * BEYOND, |time| time.max(axis.low))
}

/// Where times lie in a scatter plot: how far right on the one axis, how far down on the other.
pub fn places(times: impl Iterator<Item = Option<f64>>, axis: Axis) -> Vec<(i32, i32)> {
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, (WIDTH, SQUARE)).into_drawing_area();
    let chart = axes(&root, axis);
    let times = times.map(|time| place(time, axis));
    times
        .map(|time| chart.backend_coord(&(time, time)))
        .collect()
}

/// One configuration against another.
pub fn scatter(names: [&str; 2], dots: &[Dot], axis: Axis) -> String {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, SQUARE)).into_drawing_area();
        root.fill(&PAPER).expect(CAN_BE_DRAWN);
        let mut chart = axes(&root, axis);
        let [across, up] = names.map(|name| format!("{name}, seconds"));
        let size = [&across, &up].map(|name| fitting(name, 420.0, SIZE + 1.0));
        chart
            .configure_mesh()
            .x_desc(across)
            .y_desc(up)
            .x_labels(axis.n_labels())
            .y_labels(axis.n_labels())
            .x_label_formatter(&|time| seconds(*time))
            .y_label_formatter(&|time| seconds(*time))
            .bold_line_style(MESH)
            .light_line_style(TRANSPARENT)
            .axis_style(SOFT)
            .label_style((FONT, SIZE, &INK))
            .axis_desc_style((FONT, size[0].min(size[1]), &INK))
            .draw()
            .expect(CAN_BE_DRAWN);
        let (low, high) = (axis.start(), axis.limit * BEYOND * 1.2);
        let mut segment = |from: (f64, f64), to: (f64, f64), colour: RGBColor| {
            let line = PathElement::new([from, to], colour.stroke_width(1));
            chart.draw_series([line]).expect(CAN_BE_DRAWN);
        };
        let diagonal = |factor: f64| ((low * factor, low), (high, high / factor));
        let (from, to) = diagonal(1.0);
        segment(from, to, INK);
        for factor in [10.0, 100.0] {
            if low * factor < high {
                let ((x, y), (right, up)) = diagonal(factor);
                segment((x, y), (right, up), SOFT);
                segment((y, x), (up, right), SOFT);
            }
        }
        segment((axis.limit, low), (axis.limit, high), SOFT);
        segment((low, axis.limit), (high, axis.limit), SOFT);
        let circle = |dot: &Dot| {
            let colour = if dot.is_violated { VIOLATED } else { HOLDS };
            let at = (place(dot.x, axis), place(dot.y, axis));
            Circle::new(at, 4, colour.mix(0.75).filled())
        };
        chart
            .draw_series(dots.iter().map(circle))
            .expect(CAN_BE_DRAWN);
        root.present().expect(CAN_BE_DRAWN);
    }
    text
}

/// A cell of a heat map.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Heat {
    /// How many tasks were decided.
    pub n_decided: usize,
    /// Of how many.
    pub n_tasks: usize,
    /// The PAR-2 score.
    pub par2: f64,
}

/// How many tasks each combination decided: rows by columns.
pub fn heat(rows: &[String], columns: &[String], cells: &[Vec<Option<Heat>>]) -> String {
    const CELL: (i32, i32) = (62, 46);
    let room = |names: &[String]| {
        let longest = names.iter().map(|name| name.chars().count()).max();
        (longest.unwrap_or(0) as f64 * LETTER * SIZE) as i32 + 18
    };
    let (left, top) = (room(rows), room(columns));
    let width = left + CELL.0 * columns.len() as i32 + 10;
    let height = top + CELL.1 * rows.len() as i32 + 10;
    let mut text = String::new();
    {
        let size = (width as u32, height as u32);
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&PAPER).expect(CAN_BE_DRAWN);
        let write = |text: &str, at: (i32, i32), size: f64, colour: RGBColor, pos: Pos| {
            let style = (FONT, size, &colour).into_text_style(&root).pos(pos);
            root.draw(&Text::new(text.to_owned(), at, style))
                .expect(CAN_BE_DRAWN);
        };
        for (i, row) in rows.iter().enumerate() {
            let at = (left - 8, top + CELL.1 * i as i32 + CELL.1 / 2);
            write(row, at, SIZE, INK, Pos::new(HPos::Right, VPos::Center));
        }
        for (i, column) in columns.iter().enumerate() {
            let at = (left + CELL.0 * i as i32 + CELL.0 / 2 - 7, top - 8);
            let font = (FONT, SIZE).into_font().transform(FontTransform::Rotate270);
            let style = TextStyle::from(font).color(&INK);
            root.draw(&Text::new(column.clone(), at, style))
                .expect(CAN_BE_DRAWN);
        }
        for (i, row) in cells.iter().enumerate() {
            for (j, cell) in row.iter().enumerate() {
                let Some(cell) = cell else { continue };
                let corner = (left + CELL.0 * j as i32, top + CELL.1 * i as i32);
                let far = (corner.0 + CELL.0 - 2, corner.1 + CELL.1 - 2);
                let share = cell.n_decided as f64 / cell.n_tasks.max(1) as f64;
                let (back, ink) = shade(share);
                let background = Rectangle::new([corner, far], back.filled());
                root.draw(&background).expect(CAN_BE_DRAWN);
                let middle = |y: i32| (corner.0 + CELL.0 / 2 - 1, corner.1 + y);
                let centre = Pos::new(HPos::Center, VPos::Center);
                let decided = format!("{}/{}", cell.n_decided, cell.n_tasks);
                write(
                    &decided,
                    middle(14),
                    fitting(&decided, 56.0, SIZE),
                    ink,
                    centre,
                );
                write(
                    &format!("{} s", rounded(cell.par2)),
                    middle(31),
                    14.0,
                    ink,
                    centre,
                );
            }
        }
        root.present().expect(CAN_BE_DRAWN);
    }
    text
}

/// From light (nothing decided) to dark (all of it), with what can be read on it.
fn shade(share: f64) -> (RGBColor, RGBColor) {
    const LIGHT: [f64; 3] = [247.0, 242.0, 226.0];
    const DARK: [f64; 3] = [3.0, 78.0, 123.0];
    let part = |i: usize| (LIGHT[i] + (DARK[i] - LIGHT[i]) * share).round() as u8;
    let back = RGBColor(part(0), part(1), part(2));
    let ink = if share > 0.55 {
        RGBColor(0xfd, 0xfd, 0xfd)
    } else {
        RGBColor(0x10, 0x10, 0x10)
    };
    (back, ink)
}

/// The size at which a text is no wider than this.
fn fitting(text: &str, width: f64, most: f64) -> f64 {
    let letters = text.chars().count().max(1) as f64;
    (width / (letters * LETTER)).min(most)
}

/// A time on an axis.
fn seconds(time: f64) -> String {
    if time >= 0.999 {
        format!("{time:.0}")
    } else {
        let digits = (-time.log10()).ceil() as usize;
        format!("{time:.digits$}")
    }
}

/// A time with about two digits.
fn rounded(time: f64) -> String {
    match time {
        time if time < 1.0 => format!("{time:.2}"),
        time if time < 10.0 => format!("{time:.1}"),
        _ => format!("{time:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_begin_at_a_power_of_ten() {
        let axis = Axis::new(0.034, 10.0);
        assert!((axis.low - 0.01).abs() < 1e-9, "{axis:?}");
        assert_eq!(axis.n_labels(), 4);
        // Whatever was measured, the axis has a length.
        for least in [0.0, 5.0, 10.0, 1e9] {
            let axis = Axis::new(least, 10.0);
            assert!(axis.low > 0.0 && axis.low <= 1.0, "{axis:?}");
        }
    }

    #[test]
    fn times_are_short() {
        let times = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0].map(seconds);
        assert_eq!(times, ["0.001", "0.01", "0.1", "1", "10", "100"]);
    }

    #[test]
    fn every_dot_is_drawn() {
        let dot = |x, y| Dot {
            x,
            y,
            is_violated: x.is_none(),
        };
        let dots = [
            dot(Some(0.1), None),
            dot(None, None),
            dot(Some(1e-9), Some(9.0)),
        ];
        let text = scatter(["a", "b<c"], &dots, Axis::new(0.1, 10.0));
        assert_eq!(text.matches("<circle").count(), dots.len());
        assert!(text.contains("b&lt;c") && !text.contains("b<c"), "{text}");
    }
}
