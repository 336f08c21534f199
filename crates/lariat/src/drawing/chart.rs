//! Statecharts as drawings: states inside of states as boxes inside of boxes, regions side by side.
//!
//! Each state that has states inside is laid out by itself, from the inside out: its children are the nodes of a layered drawing, and so
//! is the dot that its first state is entered from. A transition belongs to the innermost state around both of its ends.

use super::layered::{Link, Point, layout};
use lariat_system::{Chart, ChartKind};

/// Sizes of letters.
const NAME_SIZE: f64 = 12.0;
const LABEL_SIZE: f64 = 10.0;
/// Around what is in a box.
const PAD: f64 = 12.0;
const DOT: Point = (10.0, 10.0);
/// How long a line of a label gets, in letters.
const LINE: usize = 26;

/// A box of the drawing: of a state.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// Its upper left corner, first inside of the state around it.
    pub corner: Point,
    pub size: Point,
    /// Lines of text below its name.
    pub lines: Vec<String>,
    pub name: String,
}

/// A line of the drawing.
#[derive(Clone, Debug)]
pub struct Line {
    /// The state around it, whose corner its points count from until all is placed.
    inside: usize,
    pub from: End,
    pub to: End,
    /// The children of the state around it that its ends lie in, where those are no children themselves.
    pub leaves: Option<usize>,
    pub reaches: Option<usize>,
    pub points: Vec<Point>,
    pub label: Vec<String>,
    /// The middle of the label.
    pub at: Point,
    /// The transition that it is, if it is one.
    pub transition: Option<usize>,
}

/// Where a line begins or ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum End {
    State(usize),
    /// The dot that a state is entered from.
    Dot(Point),
    /// The border of the state around the line, from inside.
    Border(usize),
}

/// A chart whose parts have their places.
pub struct ChartDrawing {
    pub states: Vec<Placed>,
    pub lines: Vec<Line>,
    pub size: Point,
}

/// How wide a text is, about.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.58
}

/// What a transition is between, among the children of the innermost state around both.
enum Ends {
    Children(usize, usize),
    /// From the state itself into it, or from inside to its border.
    Into(usize),
    OutOf(usize),
    Itself,
}

/// Lays out a chart.
pub fn draw(chart: &Chart) -> ChartDrawing {
    let mut drawing = ChartDrawing {
        states: chart.states.iter().map(|_| Placed::default()).collect(),
        lines: Vec::new(),
        size: (0.0, 0.0),
    };
    for (at, placed) in drawing.states.iter_mut().enumerate() {
        placed.name = short_name(chart, at);
        placed.lines = chart.states[at]
            .actions
            .iter()
            .map(|line| clipped(line))
            .collect();
        let inner = chart.transitions.iter().filter(|one| one.source == at);
        let inner = inner.filter(|one| one.targets.is_empty());
        placed.lines.extend(inner.map(|one| clipped(&one.label)));
    }
    // Children stand after their parents.
    for at in (0..chart.states.len()).rev() {
        drawing.measure(chart, at);
    }
    drawing.settle(chart);
    drawing
}

/// The name of a state without those of the states around it.
fn short_name(chart: &Chart, at: usize) -> String {
    let name = &*chart.states[at].name;
    let mut outer = chart.states[at].parent;
    while let Some(state) = outer {
        let prefix = format!("{}.", chart.states[state].name);
        if let Some(own) = name.strip_prefix(&prefix) {
            return own.to_owned();
        }
        outer = chart.states[state].parent;
    }
    name.to_owned()
}

fn clipped(text: &str) -> String {
    shortened(text, 40)
}

/// The start of a text that is too long.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most.max(1) - 1).collect();
    format!("{start}…")
}

/// A label in lines.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn label_size(lines: &[String]) -> Point {
    let widths = lines.iter().map(|line| text_width(line, LABEL_SIZE) + 6.0);
    let height = lines.len() as f64 * (LABEL_SIZE + 2.0);
    (widths.fold(8.0, f64::max), height.max(8.0))
}

impl ChartDrawing {
    /// The size of a state, and where its children are in it.
    fn measure(&mut self, chart: &Chart, at: usize) {
        let own = &self.states[at];
        let texts = own.lines.iter().map(|line| text_width(line, LABEL_SIZE));
        let text = texts.fold(text_width(&own.name, NAME_SIZE), f64::max) + 2.0 * PAD;
        let head = NAME_SIZE + 10.0 + own.lines.len() as f64 * (LABEL_SIZE + 3.0);
        let inner = match chart.states[at].kind {
            ChartKind::ShallowHistory | ChartKind::DeepHistory => {
                self.states[at].size = (24.0, 24.0);
                return;
            }
            ChartKind::Junction => {
                self.states[at].size = (18.0, 18.0);
                return;
            }
            ChartKind::Atomic | ChartKind::Final => (0.0, 0.0),
            ChartKind::Compound => self.inside(chart, at, head),
            ChartKind::Parallel => self.side_by_side(chart, at, head),
        };
        let has_children = inner != (0.0, 0.0);
        let foot = if has_children { 2.0 * PAD } else { 4.0 };
        self.states[at].size = (
            text.max(inner.0 + 2.0 * PAD).max(50.0),
            head + inner.1 + foot,
        );
        // What is inside stands in the middle.
        let shift = (self.states[at].size.0 - inner.0 - 2.0 * PAD) / 2.0;
        if has_children && shift > 0.0 {
            self.shift_inside(chart, at, shift);
        }
    }

    fn shift_inside(&mut self, chart: &Chart, at: usize, shift: f64) {
        for child in children(chart, at) {
            self.states[child].corner.0 += shift;
        }
        for line in self.lines.iter_mut().filter(|line| line.inside == at) {
            line.at.0 += shift;
            line.points.iter_mut().for_each(|point| point.0 += shift);
            for end in [&mut line.from, &mut line.to] {
                if let End::Dot(point) = end {
                    point.0 += shift;
                }
            }
        }
    }

    /// Children of which one is active: a layered drawing.
    fn inside(&mut self, chart: &Chart, at: usize, head: f64) -> Point {
        let children = children(chart, at);
        // Loops need room to the right of their state.
        let loops: Vec<f64> = children
            .iter()
            .map(|&child| {
                let own = Self::loops(chart, child);
                let widths = own.iter().map(|(_, lines)| label_size(lines).0 + 26.0);
                widths.fold(0.0, f64::max)
            })
            .collect();
        let sizes = children.iter().zip(&loops);
        let mut nodes: Vec<Point> = sizes
            .map(|(&child, room)| (self.states[child].size.0 + room, self.states[child].size.1))
            .collect();
        let (mut links, mut lines) = (Vec::new(), Vec::new());
        for &first in &chart.states[at].initial {
            if let Some(to) = position(chart, &children, first) {
                nodes.push(DOT);
                links.push(Link {
                    from: nodes.len() - 1,
                    to,
                    label: (8.0, 4.0),
                });
                lines.push((End::Dot((0.0, 0.0)), End::State(first), Vec::new(), None));
            }
        }
        for (number, transition) in chart.transitions.iter().enumerate() {
            for &target in &transition.targets {
                let Some(ends) = ends(chart, at, &children, transition.source, target) else {
                    continue;
                };
                let label = wrapped(&transition.label);
                let (mut from, mut to) = (End::State(transition.source), End::State(target));
                let (a, b) = match ends {
                    Ends::Children(a, b) => (a, b),
                    Ends::Into(b) => {
                        nodes.push((8.0, 2.0));
                        from = End::Border(at);
                        (nodes.len() - 1, b)
                    }
                    Ends::OutOf(a) => {
                        nodes.push((8.0, 2.0));
                        to = End::Border(at);
                        (a, nodes.len() - 1)
                    }
                    Ends::Itself => continue,
                };
                links.push(Link {
                    from: a,
                    to: b,
                    label: label_size(&label),
                });
                lines.push((from, to, label, Some(number)));
            }
        }
        // Dots come first, so that what they lead to is on top.
        let drawn = layout_from_dots(&nodes, &links, children.len());
        let origin = (PAD, head + PAD);
        for (at, &child) in children.iter().enumerate() {
            let (size, middle) = (self.states[child].size, drawn.nodes[at]);
            let left = middle.0 - nodes[at].0 / 2.0;
            self.states[child].corner = (origin.0 + left, origin.1 + middle.1 - size.1 / 2.0);
        }
        let moved = |point: Point| (origin.0 + point.0, origin.1 + point.1);
        for ((line, link), (points, label)) in lines.into_iter().zip(&links).zip(drawn.links) {
            let (from, to, text, transition) = line;
            let from = match from {
                End::Dot(_) => End::Dot(moved(drawn.nodes[link.from])),
                other => other,
            };
            let outer = |end: End, node: usize| match (end, children.get(node)) {
                (End::State(state), Some(&child)) if state != child => Some(child),
                _ => None,
            };
            self.lines.push(Line {
                inside: at,
                from,
                to,
                leaves: outer(from, link.from),
                reaches: outer(to, link.to),
                points: points.into_iter().map(moved).collect(),
                label: text,
                at: moved(label),
                transition,
            });
        }
        for &child in &children {
            for (number, label) in Self::loops(chart, child) {
                self.add_loop(at, child, number, label);
            }
        }
        drawn.size
    }

    /// The transitions from a state to itself.
    fn loops(chart: &Chart, at: usize) -> Vec<(usize, Vec<String>)> {
        let all = chart.transitions.iter().enumerate();
        all.filter(|(_, one)| one.source == at && one.targets.contains(&at))
            .map(|(number, one)| (number, wrapped(&one.label)))
            .collect()
    }

    fn add_loop(&mut self, inside: usize, child: usize, transition: usize, label: Vec<String>) {
        let Placed { corner, size, .. } = self.states[child];
        let before = self
            .lines
            .iter()
            .filter(|line| line.from == End::State(child) && line.to == End::State(child));
        let (right, n) = (corner.0 + size.0, before.count() as f64);
        let y = corner.1 + 10.0 + n * 24.0;
        let middle = right + 20.0 + label_size(&label).0 / 2.0;
        self.lines.push(Line {
            inside,
            from: End::State(child),
            to: End::State(child),
            leaves: None,
            reaches: None,
            points: vec![
                (right, y),
                (right + 18.0, y),
                (right + 18.0, y + 12.0),
                (right, y + 12.0),
            ],
            label,
            at: (middle, y + 6.0),
            transition: Some(transition),
        });
    }

    /// Regions: one beside another, in rows that make the whole about as high as wide.
    fn side_by_side(&mut self, chart: &Chart, at: usize, head: f64) -> Point {
        let children = children(chart, at);
        let sizes: Vec<Point> = children
            .iter()
            .map(|&child| self.states[child].size)
            .collect();
        let area: f64 = sizes
            .iter()
            .map(|size| (size.0 + PAD) * (size.1 + PAD))
            .sum();
        let widest = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
        let limit = (area * 3.0).sqrt().max(widest);
        let (mut x, mut y, mut high, mut width) = (0.0, 0.0, 0.0_f64, 0.0_f64);
        for (&child, size) in children.iter().zip(&sizes) {
            if x > 0.0 && x + size.0 > limit {
                (x, y, high) = (0.0, y + high + PAD, 0.0);
            }
            self.states[child].corner = (PAD + x, head + PAD + y);
            x += size.0 + PAD;
            high = high.max(size.1);
            width = width.max(x - PAD);
        }
        // Transitions from one region to another are straight lines.
        for (number, transition) in chart.transitions.iter().enumerate() {
            for &target in &transition.targets {
                let found = ends(chart, at, &children, transition.source, target);
                if matches!(
                    found,
                    Some(Ends::Children(..) | Ends::Into(_) | Ends::OutOf(_))
                ) {
                    self.lines.push(Line {
                        inside: at,
                        from: End::State(transition.source),
                        to: End::State(target),
                        leaves: None,
                        reaches: None,
                        points: Vec::new(),
                        label: wrapped(&transition.label),
                        at: (0.0, 0.0),
                        transition: Some(number),
                    });
                }
            }
        }
        (width, y + high)
    }

    /// Gives everything its place in the whole drawing.
    fn settle(&mut self, chart: &Chart) {
        self.states[0].corner = (PAD, PAD);
        for at in 1..chart.states.len() {
            let Some(outer) = chart.states[at].parent else {
                continue;
            };
            let around = self.states[outer].corner;
            let own = &mut self.states[at].corner;
            *own = (own.0 + around.0, own.1 + around.1);
        }
        let middle = |placed: &Placed| {
            (
                placed.corner.0 + placed.size.0 / 2.0,
                placed.corner.1 + placed.size.1 / 2.0,
            )
        };
        for line in &mut self.lines {
            let around = self.states[line.inside].corner;
            let moved = |point: Point| (point.0 + around.0, point.1 + around.1);
            line.points
                .iter_mut()
                .for_each(|point| *point = moved(*point));
            line.at = moved(line.at);
            for end in [&mut line.from, &mut line.to] {
                if let End::Dot(point) = end {
                    *point = moved(*point);
                }
            }
            if let ([], End::State(from), End::State(to)) = (&line.points[..], line.from, line.to) {
                let (a, b) = (middle(&self.states[from]), middle(&self.states[to]));
                line.at = (f64::midpoint(a.0, b.0), f64::midpoint(a.1, b.1));
            }
        }
        let size = self.states[0].size;
        self.size = (size.0 + 2.0 * PAD, size.1 + 2.0 * PAD);
    }
}

/// Lays out with the nodes after the first `n` in front of all others: there the search for cycles starts.
fn layout_from_dots(nodes: &[Point], links: &[Link], n: usize) -> super::layered::Drawing {
    let total = nodes.len();
    let turned = |at: usize| if at >= n { at - n } else { at + (total - n) };
    let mut moved = nodes[n..].to_vec();
    moved.extend(&nodes[..n]);
    let links: Vec<Link> = links
        .iter()
        .map(|link| Link {
            from: turned(link.from),
            to: turned(link.to),
            label: link.label,
        })
        .collect();
    let mut drawn = layout(&moved, &links);
    drawn.nodes = (0..total).map(|at| drawn.nodes[turned(at)]).collect();
    drawn
}

fn children(chart: &Chart, at: usize) -> Vec<usize> {
    let all = 0..chart.states.len();
    all.filter(|&state| chart.states[state].parent == Some(at))
        .collect()
}

/// Which child a state is or lies in.
fn position(chart: &Chart, children: &[usize], state: usize) -> Option<usize> {
    let mut at = Some(state);
    while let Some(state) = at {
        if let Some(found) = children.iter().position(|&child| child == state) {
            return Some(found);
        }
        at = chart.states[state].parent;
    }
    None
}

/// How a transition is drawn in a state, if it belongs there.
fn ends(chart: &Chart, at: usize, children: &[usize], from: usize, to: usize) -> Option<Ends> {
    let (a, b) = (
        position(chart, children, from),
        position(chart, children, to),
    );
    match (a, b) {
        (Some(a), Some(b)) if a != b => Some(Ends::Children(a, b)),
        (Some(a), Some(_)) if from == to && children[a] == from => Some(Ends::Itself),
        (None, Some(b)) if from == at => Some(Ends::Into(b)),
        (Some(a), None) if to == at => Some(Ends::OutOf(a)),
        _ => None,
    }
}
