//! What is computed with decision diagrams: the operators, quantifiers, and other variables in place of some. All recurse along the two
//! edges of the topmost variable, and remember what they found (Brace, Rudell, Bryant, DAC'90).

use super::diagram::{Bdd, Diagrams, Node, Operation, Var};
use lariat_base::Stop;

impl Diagrams {
    /// Both.
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        let (f, g) = if f.0 <= g.0 { (f, g) } else { (g, f) };
        if f == Bdd::TRUE || f == g {
            return Ok(g);
        }
        if f == Bdd::FALSE || f == !g {
            return Ok(Bdd::FALSE);
        }
        let operands = [f.0, g.0, 0];
        if let Some(known) = self.recall(Operation::And, operands) {
            return Ok(known);
        }
        self.step()?;
        let level = self.level(f).min(self.level(g));
        let ((f0, f1), (g0, g1)) = (self.split(f, level), self.split(g, level));
        let low = self.and(f0, g0)?;
        let high = self.and(f1, g1)?;
        let result = self.make(self.order[level as usize], low, high)?;
        self.remember(Operation::And, operands, result);
        Ok(result)
    }

    /// One or both.
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        Ok(!self.and(!f, !g)?)
    }

    /// One, not both.
    pub fn xor(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        let is_negated = f.is_negated() != g.is_negated();
        let (f, g) = (f.negated_if(f.is_negated()), g.negated_if(g.is_negated()));
        let (f, g) = if f.0 <= g.0 { (f, g) } else { (g, f) };
        if f == g {
            return Ok(Bdd::FALSE.negated_if(is_negated));
        }
        if f == Bdd::TRUE {
            return Ok((!g).negated_if(is_negated));
        }
        let operands = [f.0, g.0, 0];
        if let Some(known) = self.recall(Operation::Xor, operands) {
            return Ok(known.negated_if(is_negated));
        }
        self.step()?;
        let level = self.level(f).min(self.level(g));
        let ((f0, f1), (g0, g1)) = (self.split(f, level), self.split(g, level));
        let low = self.xor(f0, g0)?;
        let high = self.xor(f1, g1)?;
        let result = self.make(self.order[level as usize], low, high)?;
        self.remember(Operation::Xor, operands, result);
        Ok(result.negated_if(is_negated))
    }

    /// The second where the first is true, else the third.
    pub fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Result<Bdd, Stop> {
        if f.is_negated() {
            return self.ite(!f, h, g);
        }
        if f == Bdd::TRUE || g == h {
            return Ok(g);
        }
        if g.is_constant() || g == f || g == !f {
            let g_there = g == Bdd::TRUE || g == f;
            return if g_there {
                self.or(f, h)
            } else {
                self.and(!f, h)
            };
        }
        if h.is_constant() || h == f || h == !f {
            let h_there = h == Bdd::TRUE || h == !f;
            return if h_there {
                self.or(!f, g)
            } else {
                self.and(f, g)
            };
        }
        if g == !h {
            return self.xor(f, h);
        }
        let operands = [f.0, g.0, h.0];
        if let Some(known) = self.recall(Operation::Ite, operands) {
            return Ok(known);
        }
        self.step()?;
        let level = self.level(f).min(self.level(g)).min(self.level(h));
        let ((f0, f1), (g0, g1)) = (self.split(f, level), self.split(g, level));
        let (h0, h1) = self.split(h, level);
        let low = self.ite(f0, g0, h0)?;
        let high = self.ite(f1, g1, h1)?;
        let result = self.make(self.order[level as usize], low, high)?;
        self.remember(Operation::Ite, operands, result);
        Ok(result)
    }

    /// Whether both can be true with some values of the variables of a cube.
    pub fn and_exists(&mut self, f: Bdd, g: Bdd, cube: Bdd) -> Result<Bdd, Stop> {
        if f == Bdd::FALSE || g == Bdd::FALSE || f == !g {
            return Ok(Bdd::FALSE);
        }
        if cube == Bdd::TRUE {
            return self.and(f, g);
        }
        if f == Bdd::TRUE && g == Bdd::TRUE {
            return Ok(Bdd::TRUE);
        }
        let (f, g) = if f.0 <= g.0 { (f, g) } else { (g, f) };
        let f = if f == g { Bdd::TRUE } else { f };
        let level = self.level(f).min(self.level(g));
        let mut cube = cube;
        while self.level(cube) < level {
            cube = self.nodes[cube.node()].high;
        }
        if cube == Bdd::TRUE {
            return self.and(f, g);
        }
        let operands = [f.0, g.0, cube.0];
        if let Some(known) = self.recall(Operation::AndExists, operands) {
            return Ok(known);
        }
        self.step()?;
        let ((f0, f1), (g0, g1)) = (self.split(f, level), self.split(g, level));
        let result = if self.level(cube) == level {
            let below = self.nodes[cube.node()].high;
            let low = self.and_exists(f0, g0, below)?;
            if low == Bdd::TRUE {
                low
            } else {
                let high = self.and_exists(f1, g1, below)?;
                self.or(low, high)?
            }
        } else {
            let low = self.and_exists(f0, g0, cube)?;
            let high = self.and_exists(f1, g1, cube)?;
            self.make(self.order[level as usize], low, high)?
        };
        self.remember(Operation::AndExists, operands, result);
        Ok(result)
    }

    /// Whether it can be true with some values of the variables of a cube.
    pub fn exists(&mut self, f: Bdd, cube: Bdd) -> Result<Bdd, Stop> {
        self.and_exists(f, Bdd::TRUE, cube)
    }

    /// Other variables in place of the ones that a map has: those must not occur. `id` is a number of the map.
    pub fn rename(&mut self, f: Bdd, map: &[Var], id: u32) -> Result<Bdd, Stop> {
        if f.is_constant() {
            return Ok(f);
        }
        let is_negated = f.is_negated();
        let operands = [f.negated_if(is_negated).0, id, 0];
        if let Some(known) = self.recall(Operation::Rename, operands) {
            return Ok(known.negated_if(is_negated));
        }
        self.step()?;
        let Node { var, low, high, .. } = self.nodes[f.node()];
        let low = self.rename(low, map, id)?;
        let high = self.rename(high, map, id)?;
        let var = map[var as usize];
        let level = self.level[var as usize];
        let result = if level < self.level(low) && level < self.level(high) {
            self.make(var, low, high)?
        } else {
            let var = self.var(var)?;
            self.ite(var, high, low)?
        };
        self.remember(Operation::Rename, operands, result);
        Ok(result.negated_if(is_negated))
    }
}
