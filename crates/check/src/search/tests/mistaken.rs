//! The algorithms as printed, to show that the trap graphs catch them. Recursive; for tiny graphs.

use super::Lists;

#[derive(Clone, Copy)]
pub enum Seed {
    Source,
    Target,
}

/// Nested search that starts the red search before the blue one goes on.
pub fn red_first(graph: &Lists, seed: Seed) -> bool {
    let n = graph.arcs.len();
    let (mut blue, mut red) = (vec![false; n], vec![false; n]);
    (graph.initial.iter()).any(|&start| descend(graph, start, seed, &mut blue, &mut red))
}

fn descend(graph: &Lists, node: usize, seed: Seed, blue: &mut [bool], red: &mut [bool]) -> bool {
    blue[node] = true;
    graph.arcs[node].iter().any(|&(target, marks)| {
        let closed = marks != 0
            && match seed {
                Seed::Source => target == node || find(graph, target, node, red),
                Seed::Target => find(graph, target, target, red),
            };
        closed || (!blue[target] && descend(graph, target, seed, blue, red))
    })
}

fn find(graph: &Lists, node: usize, sought: usize, red: &mut [bool]) -> bool {
    if std::mem::replace(&mut red[node], true) {
        return false;
    }
    (graph.arcs[node].iter()).any(|&(next, _)| next == sought || find(graph, next, sought, red))
}

/// Guided search where a node remembers only the hondas known when it was left.
pub fn guided(graph: &Lists) -> bool {
    let n = graph.arcs.len();
    let mut search = Guided {
        graph,
        stack: Vec::new(),
        hondas: vec![None; n],
    };
    graph.initial.iter().any(|&start| search.visit(start, 0))
}

struct Guided<'a> {
    graph: &'a Lists,
    /// Nodes with the number of accepting arcs before them.
    stack: Vec<(usize, u32)>,
    /// Nodes that were left, with the hondas they led to by then.
    hondas: Vec<Option<Vec<usize>>>,
}

impl Guided<'_> {
    fn visit(&mut self, node: usize, counter: u32) -> bool {
        self.stack.push((node, counter));
        self.hondas[node] = Some(Vec::new());
        let mut known = Vec::new();
        for &(target, marks) in &self.graph.arcs[node] {
            let counter = counter + marks.count_ones();
            let ends = match &self.hondas[target] {
                _ if self.position(target).is_some() => vec![target],
                Some(hondas) => hondas.clone(),
                None => {
                    if self.visit(target, counter) {
                        return true;
                    }
                    known.extend(self.hondas[target].clone().unwrap_or_default());
                    continue;
                }
            };
            for honda in ends {
                let at = self.position(honda).map(|at| self.stack[at].1);
                if at.is_some_and(|before| before < counter) {
                    return true;
                }
                known.push(honda);
            }
        }
        self.stack.pop();
        known.retain(|&honda| honda != node);
        self.hondas[node] = Some(known);
        false
    }

    fn position(&self, node: usize) -> Option<usize> {
        self.stack.iter().position(|entry| entry.0 == node)
    }
}
