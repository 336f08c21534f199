//! Layered drawings of graphs: nodes in rows, links from row to row, labels with room of their own.
//!
//! After Sugiyama, Tagawa and Toda (1981): links that would close a cycle are turned round, nodes get the row of their longest path,
//! long links and labels become nodes of the rows between, rows are ordered by the middle of their neighbours, and places
//! come as near to those of their neighbours as the order allows (a regression with an order, solved exactly by pooling).

/// A place in a drawing.
pub type Point = (f64, f64);

/// A link between nodes, and the size of its label.
pub struct Link {
    pub from: usize,
    pub to: usize,
    pub label: Point,
}

/// Where everything is.
#[derive(Debug, Default)]
pub struct Drawing {
    /// The middle of each node.
    pub nodes: Vec<Point>,
    /// What each link passes on its way, and the middle of its label.
    pub links: Vec<(Vec<Point>, Point)>,
    pub size: Point,
}

/// Between things of a row, and between rows.
const GAP: Point = (16.0, 14.0);

/// How often rows are ordered and placed anew.
const N_SWEEPS: usize = 12;

/// Something in a row: a node, or a piece of a link.
struct Item {
    size: Point,
    /// Neighbours in the row above, and below.
    near: [Vec<usize>; 2],
    x: f64,
    /// How much it matters that it comes near to its neighbours.
    weight: f64,
}

/// Lays out a graph without links from a node to itself.
pub fn layout(nodes: &[Point], links: &[Link]) -> Drawing {
    let is_back = back_links(nodes.len(), links);
    let ends = |at: usize| {
        let Link { from, to, .. } = links[at];
        if is_back[at] { (to, from) } else { (from, to) }
    };
    let rank = ranks(nodes.len(), (0..links.len()).map(ends).collect());
    let n_rows = rank.iter().max().map_or(0, |last| 2 * last + 1);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); n_rows];
    let mut items: Vec<Item> = Vec::new();
    let add = |items: &mut Vec<Item>, size, weight| {
        items.push(Item {
            size,
            near: [Vec::new(), Vec::new()],
            x: 0.0,
            weight,
        });
        items.len() - 1
    };
    for (node, &size) in nodes.iter().enumerate() {
        let item = add(&mut items, size, 1.0);
        rows[2 * rank[node]].push(item);
    }
    // Pieces of links: one in each row between its ends, the middle one with the label.
    let mut pieces: Vec<Vec<usize>> = Vec::new();
    for (at, link) in links.iter().enumerate() {
        let (upper, lower) = ends(at);
        let between = 2 * rank[upper] + 1..2 * rank[lower];
        let middle = between.start + (between.len() / 2) / 2 * 2;
        let (mut before, mut own) = (upper, Vec::new());
        for row in between {
            let size = if row == middle {
                link.label
            } else {
                (8.0, 0.0)
            };
            let item = add(&mut items, size, 2.0);
            rows[row].push(item);
            own.push(item);
            items[before].near[1].push(item);
            items[item].near[0].push(before);
            before = item;
        }
        items[before].near[1].push(lower);
        items[lower].near[0].push(before);
        pieces.push(own);
    }
    order(&mut rows, &items);
    place(&rows, &mut items);
    finish(nodes.len(), links, &is_back, (&rows, &items, &pieces))
}

/// The links that lead back to a node on the way to them.
fn back_links(n: usize, links: &[Link]) -> Vec<bool> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (at, link) in links.iter().enumerate() {
        out[link.from].push(at);
    }
    let (mut is_back, mut seen, mut is_open) =
        (vec![false; links.len()], vec![false; n], vec![false; n]);
    for root in 0..n {
        if seen[root] {
            continue;
        }
        (seen[root], is_open[root]) = (true, true);
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&link) = out[*node].get(*next) else {
                is_open[*node] = false;
                path.pop();
                continue;
            };
            *next += 1;
            let to = links[link].to;
            if is_open[to] {
                is_back[link] = true;
            } else if !seen[to] {
                (seen[to], is_open[to]) = (true, true);
                path.push((to, 0));
            }
        }
    }
    is_back
}

/// The length of the longest path to each node.
fn ranks(n: usize, links: Vec<(usize, usize)>) -> Vec<usize> {
    let mut n_open = vec![0_usize; n];
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (from, to) in links {
        n_open[to] += 1;
        out[from].push(to);
    }
    let mut rank = vec![0; n];
    let mut ready: Vec<usize> = (0..n).filter(|&node| n_open[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &to in &out[node] {
            rank[to] = rank[to].max(rank[node] + 1);
            n_open[to] -= 1;
            if n_open[to] == 0 {
                ready.push(to);
            }
        }
    }
    rank
}

/// Orders the things of each row by the middle of their neighbours, and keeps the order with the fewest crossings.
fn order(rows: &mut Vec<Vec<usize>>, items: &[Item]) {
    let mut best = (crossings(rows, items), rows.clone());
    for sweep in 0..N_SWEEPS {
        let side = sweep % 2;
        let mut position = positions(rows, items.len());
        let n = rows.len();
        for k in 1..n {
            let row = if side == 0 { k } else { n - 1 - k };
            let middle = |item: usize| {
                let near = &items[item].near[side];
                match near.len() {
                    0 => position[item],
                    n => near.iter().map(|&other| position[other]).sum::<f64>() / n as f64,
                }
            };
            let mut keyed: Vec<(f64, usize)> =
                rows[row].iter().map(|&item| (middle(item), item)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[row] = keyed.into_iter().map(|(_, item)| item).collect();
            for (at, &item) in rows[row].iter().enumerate() {
                position[item] = at as f64;
            }
        }
        let n_crossings = crossings(rows, items);
        if n_crossings < best.0 {
            best = (n_crossings, rows.clone());
        }
    }
    *rows = best.1;
}

fn positions(rows: &[Vec<usize>], n: usize) -> Vec<f64> {
    let mut position = vec![0.0; n];
    for row in rows {
        for (at, &item) in row.iter().enumerate() {
            position[item] = at as f64;
        }
    }
    position
}

/// How many pairs of links cross between rows.
fn crossings(rows: &[Vec<usize>], items: &[Item]) -> usize {
    let position = positions(rows, items.len());
    let mut n = 0;
    for row in rows {
        let mut ends: Vec<(f64, f64)> = Vec::new();
        for &item in row {
            let below = items[item].near[1].iter();
            ends.extend(below.map(|&other| (position[item], position[other])));
        }
        for (at, a) in ends.iter().enumerate() {
            let rest = ends[at + 1..].iter();
            n += rest.filter(|b| (a.0 - b.0) * (a.1 - b.1) < 0.0).count();
        }
    }
    n
}

/// Gives the things of each row their places.
fn place(rows: &[Vec<usize>], items: &mut [Item]) {
    for row in rows {
        let mut x = 0.0;
        for &item in row {
            x += items[item].size.0 / 2.0;
            items[item].x = x;
            x += items[item].size.0 / 2.0 + GAP.0;
        }
    }
    for sweep in 0..2 * N_SWEEPS {
        let sides: &[usize] = match sweep {
            _ if sweep + 2 >= 2 * N_SWEEPS => &[0, 1],
            _ if sweep % 2 == 0 => &[0],
            _ => &[1],
        };
        let n = rows.len();
        for k in 0..n {
            let row = &rows[if sweep % 2 == 0 { k } else { n - 1 - k }];
            settle(row, sides, items);
        }
    }
}

/// Brings a row as near to its neighbours as its order allows: pools of things that touch share the mean of their wishes.
fn settle(row: &[usize], sides: &[usize], items: &mut [Item]) {
    // (sum of weighted wishes, weight, how many)
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    let mut offsets = Vec::new();
    let mut offset = 0.0;
    for (at, &item) in row.iter().enumerate() {
        if at > 0 {
            offset += f64::midpoint(items[row[at - 1]].size.0, items[item].size.0) + GAP.0;
        }
        offsets.push(offset);
        let near = sides.iter().flat_map(|&side| &items[item].near[side]);
        let (sum, n) = near.fold((0.0, 0.0), |(sum, n), &other| {
            (sum + items[other].x, n + 1.0)
        });
        let (wish, weight) = if n > 0.0 {
            (sum / n, items[item].weight)
        } else {
            (items[item].x, 0.1)
        };
        let mut pool = ((wish - offset) * weight, weight, 1);
        while let Some(&(sum, weight, n)) = pools.last()
            && sum / weight > pool.0 / pool.1
        {
            pools.pop();
            pool = (pool.0 + sum, pool.1 + weight, pool.2 + n);
        }
        pools.push(pool);
    }
    let mut at = 0;
    for (sum, weight, n) in pools {
        for _ in 0..n {
            items[row[at]].x = sum / weight + offsets[at];
            at += 1;
        }
    }
}

fn finish(
    n_nodes: usize,
    links: &[Link],
    is_back: &[bool],
    (rows, items, pieces): (&[Vec<usize>], &[Item], &[Vec<usize>]),
) -> Drawing {
    let half = |item: &Item| item.size.0 / 2.0;
    let left = items.iter().map(|item| item.x - half(item));
    let left = left.fold(f64::INFINITY, f64::min);
    let left = if left.is_finite() { left } else { 0.0 };
    let right = items.iter().map(|item| item.x + half(item) - left);
    let width = right.fold(0.0, f64::max);
    let mut bounds = vec![(0.0, 0.0); items.len()];
    let mut y = 0.0;
    for row in rows {
        let heights = row.iter().map(|&item| items[item].size.1);
        let height = heights.fold(0.0, f64::max);
        for &item in row {
            bounds[item] = (y, y + height);
        }
        y += height + GAP.1;
    }
    let middle = |item: usize| {
        (
            items[item].x - left,
            f64::midpoint(bounds[item].0, bounds[item].1),
        )
    };
    let mut drawing = Drawing {
        nodes: (0..n_nodes).map(middle).collect(),
        links: Vec::new(),
        size: (width, (y - GAP.1).max(0.0)),
    };
    for ((link, own), &is_back) in links.iter().zip(pieces).zip(is_back) {
        let labelled = own.iter().find(|&&item| items[item].size == link.label);
        let label = labelled.map_or((0.0, 0.0), |&item| middle(item));
        let mut points: Vec<Point> = Vec::new();
        for &item in own {
            let x = items[item].x - left;
            points.extend([(x, bounds[item].0), (x, bounds[item].1)]);
        }
        if is_back {
            points.reverse();
        }
        drawing.links.push((points, label));
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overlaps_and_links_lead_down() {
        let nodes = [(40.0, 20.0), (60.0, 20.0), (30.0, 50.0), (40.0, 20.0)];
        let ends = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 0)];
        let links: Vec<Link> = ends
            .iter()
            .map(|&(from, to)| Link {
                from,
                to,
                label: (50.0, 12.0),
            })
            .collect();
        let drawing = layout(&nodes, &links);
        let box_of = |at: usize, size: Point, middle: Point| {
            let _ = at;
            (
                middle.0 - size.0 / 2.0,
                middle.1 - size.1 / 2.0,
                middle.0 + size.0 / 2.0,
                middle.1 + size.1 / 2.0,
            )
        };
        let mut boxes: Vec<_> = (0..4)
            .map(|at| box_of(at, nodes[at], drawing.nodes[at]))
            .collect();
        boxes.extend(
            drawing
                .links
                .iter()
                .map(|(_, label)| box_of(0, (50.0, 12.0), *label)),
        );
        for (at, a) in boxes.iter().enumerate() {
            assert!(a.0 >= -0.01 && a.2 <= drawing.size.0 + 0.01, "{a:?}");
            for b in &boxes[at + 1..] {
                let apart = a.2 <= b.0 + 0.01
                    || b.2 <= a.0 + 0.01
                    || a.3 <= b.1 + 0.01
                    || b.3 <= a.1 + 0.01;
                assert!(apart, "{a:?} {b:?}");
            }
        }
        for (from, to) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
            assert!(drawing.nodes[from].1 < drawing.nodes[to].1);
        }
        // The way back goes up, from its source to its target.
        let (back, _) = &drawing.links[4];
        assert!(back[0].1 > back[back.len() - 1].1);
    }
}
