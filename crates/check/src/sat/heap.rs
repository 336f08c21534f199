//! Variables by how often they took part in conflicts lately: the next decision is about the most active one.

/// A binary heap of variables that knows where each one is.
#[derive(Debug, Default)]
pub(super) struct Heap {
    activities: Vec<f64>,
    /// The most active one first, each at least as active as the two below it.
    order: Vec<u32>,
    /// Where each variable is in that order.
    places: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl Heap {
    /// Adds a variable, unless it is there.
    pub fn add(&mut self, var: usize) {
        if var >= self.places.len() {
            self.places.resize(var + 1, ABSENT);
            self.activities.resize(var + 1, 0.0);
        }
        if self.places[var] == ABSENT {
            self.places[var] = self.order.len() as u32;
            self.order.push(var as u32);
            self.rise(self.order.len() - 1);
        }
    }

    /// Takes the most active variable out.
    pub fn pop(&mut self) -> Option<usize> {
        let last = self.order.pop()?;
        let first = self.order.first().copied().unwrap_or(last);
        self.places[first as usize] = ABSENT;
        if first != last {
            self.order[0] = last;
            self.places[last as usize] = 0;
            self.sink(0);
        }
        Some(first as usize)
    }

    /// Makes a variable more active.
    pub fn bump(&mut self, var: usize, by: f64) {
        self.activities[var] += by;
        if self.places[var] != ABSENT {
            self.rise(self.places[var] as usize);
        }
    }

    /// Multiplies all activities.
    pub fn scale(&mut self, by: f64) {
        for activity in &mut self.activities {
            *activity *= by;
        }
    }

    fn activity(&self, at: usize) -> f64 {
        self.activities[self.order[at] as usize]
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.order.swap(a, b);
        for at in [a, b] {
            self.places[self.order[at] as usize] = at as u32;
        }
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let above = (at - 1) / 2;
            if self.activity(above) >= self.activity(at) {
                break;
            }
            self.swap(above, at);
            at = above;
        }
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let below = [2 * at + 1, 2 * at + 2];
            let below = below.into_iter().filter(|&at| at < self.order.len());
            let most = below.max_by(|&a, &b| self.activity(a).total_cmp(&self.activity(b)));
            match most {
                Some(most) if self.activity(most) > self.activity(at) => {
                    self.swap(most, at);
                    at = most;
                }
                _ => break,
            }
        }
    }
}
