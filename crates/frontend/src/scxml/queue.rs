//! Events that wait: the inner queue, and what the chart sent itself through the outer one.
//!
//! The inner queue is a row of seats from which the first is taken. What the chart sent itself, with or without a delay, is
//! one list: in the order of the macrosteps that sent it, within one by delay, then as sent. Macrosteps take no time, so one
//! that stands before another with at least its delay arrives before it; of two others any may come first.
//!
//! Both have a bounded number of seats. Where there is none, a flag is set, and the run leads to a place where nothing more
//! is said about it.

use super::lower::{Lower, Seat, Slot, fields};
use super::tree::Payload;
use super::value::V;
use lariat_expr::{TermId, Value, VarId};
use lariat_system::StmtId;

/// What comes with an event.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    /// For each part that is read, its value.
    pub values: Vec<Option<V>>,
    /// When evaluating a part is an error, read or not.
    pub raises: Vec<TermId>,
    /// When a part is nothing that is modelled.
    pub outside: Vec<TermId>,
}

impl Lower<'_> {
    /// The values that are sent.
    pub fn carried(&mut self, payload: &Payload) -> Carried {
        let wanted = fields(self.table, &self.vars.is_used);
        let mut carried = self.no_fields();
        for (name, code) in &payload.fields {
            let name = super::types::field_name(name);
            let value = self.value(code);
            carried.raises.push(value.raises);
            carried.outside.push(value.outside);
            let at = self.table.find(&name);
            if let Some(seat) = wanted.iter().position(|&known| Some(known) == at) {
                carried.values[seat] = Some(value);
            }
        }
        carried
    }

    fn no_fields(&self) -> Carried {
        Carried {
            values: vec![None; fields(self.table, &self.vars.is_used).len()],
            raises: Vec::new(),
            outside: Vec::new(),
        }
    }

    /// Puts a value into a slot.
    pub fn store(&mut self, slot: Slot, value: Option<V>) -> Vec<StmtId> {
        let mut parts = Vec::new();
        let no = self.cx.terms.false_();
        match (value, slot.defined) {
            (None, Some(defined)) => {
                // A value that is not there is always the same: states that do not differ are one.
                let sort = self.cx.terms.var_sort(slot.var);
                let value = Value::some(&self.cx.terms.sorts, sort);
                let value = self.cx.terms.lit(value, sort);
                parts.push(self.assign(slot.var, value));
                parts.push(self.assign(defined, no));
            }
            (None, None) => {}
            (Some(value), defined) => {
                let matches = self.cx.terms.sort(value.term) == self.cx.terms.var_sort(slot.var);
                if matches {
                    parts.push(self.assign(slot.var, value.term));
                }
                if let Some(defined) = defined {
                    let is_there = self.cx.terms.not(value.lacks);
                    parts.push(self.assign(defined, is_there));
                }
            }
        }
        parts
    }

    /// Copies a seat to another; nothing is an empty one.
    fn copy(&mut self, to: &Seat, from: Option<&Seat>, nothing: TermId) -> Vec<StmtId> {
        let Some(from) = from else {
            let mut parts = vec![self.assign(to.what, nothing)];
            for &slot in &to.fields {
                parts.extend(self.store(slot, None));
            }
            return parts;
        };
        let what = self.cx.terms.var(from.what);
        let mut parts = vec![self.assign(to.what, what)];
        for (to, from) in to.fields.iter().zip(&from.fields) {
            parts.extend(self.move_slot(*to, *from));
        }
        parts
    }

    fn move_slot(&mut self, to: Slot, from: Slot) -> Vec<StmtId> {
        let value = self.cx.terms.var(from.var);
        let mut parts = vec![self.assign(to.var, value)];
        if let (Some(to), Some(from)) = (to.defined, from.defined) {
            let value = self.cx.terms.var(from);
            parts.push(self.assign(to, value));
        }
        parts
    }

    /// Takes the seat at a position out of a row.
    fn take_out(&mut self, seats: &[Seat], at: usize, nothing: TermId) -> Vec<StmtId> {
        let mut parts = Vec::new();
        for i in at..seats.len() {
            parts.extend(self.copy(&seats[i], seats.get(i + 1), nothing));
        }
        parts
    }

    /// What a seat holds becomes the event that is handled.
    fn present(&mut self, seat: Option<&Seat>) -> Vec<StmtId> {
        let mut parts = Vec::new();
        for (i, at) in fields(self.table, &self.vars.is_used)
            .into_iter()
            .enumerate()
        {
            let slot = self.vars.data[at];
            match seat {
                Some(seat) => parts.extend(self.move_slot(slot, seat.fields[i])),
                None => parts.extend(self.store(slot, None)),
            }
        }
        parts
    }

    fn name_current(&mut self, event: TermId) -> Option<StmtId> {
        self.vars.current.map(|current| self.assign(current, event))
    }

    /// Raises an event of this name without data, if anything can hear it.
    pub fn raise_named(&mut self, event: &str) -> StmtId {
        let carried = self.no_fields();
        self.raise(event, &carried)
    }

    /// Puts an event at the end of the inner queue.
    pub fn raise(&mut self, event: &str, carried: &Carried) -> StmtId {
        if !self.events.internal.iter().any(|known| **known == *event) {
            return self.cx.stmts.skip();
        }
        let what = self.texts.term(&mut self.cx.terms, event);
        let overflow = self.vars.overflow.expect("there is a queue");
        let mut rest = self.assign_bool(overflow, true);
        for seat in self.vars.internal.clone().into_iter().rev() {
            let (var, none) = (self.cx.terms.var(seat.what), self.texts.none);
            let is_free = self.cx.terms.eq(var, none);
            let mut parts = vec![self.assign(seat.what, what)];
            for (slot, value) in seat.fields.iter().zip(&carried.values) {
                parts.extend(self.store(*slot, *value));
            }
            let put = self.seq(&parts);
            rest = self.when(is_free, put, Some(rest));
        }
        rest
    }

    /// The first of the inner queue, if there is one; `None` if there is no queue.
    pub fn front(&mut self) -> Option<TermId> {
        let first = self.vars.internal.first()?.what;
        Some(self.cx.terms.var(first))
    }

    /// Takes the first event, which has this name, out of the inner queue.
    pub fn dequeue(&mut self, event: &str) -> StmtId {
        let seats = self.vars.internal.clone();
        let what = self.texts.term(&mut self.cx.terms, event);
        let mut parts: Vec<StmtId> = self.name_current(what).into_iter().collect();
        parts.extend(self.present(seats.first()));
        parts.extend(self.take_out(&seats, 0, self.texts.none));
        self.seq(&parts)
    }

    fn sent(&mut self, at: Option<usize>) -> TermId {
        let arrived = self.vars.arrived.expect("something is sent");
        let sort = self.cx.terms.var_sort(arrived);
        self.cx
            .terms
            .lit(Value::Enum(at.map_or(0, |at| at as u32 + 1)), sort)
    }

    fn holds_sent(&mut self, var: VarId, at: Option<usize>) -> TermId {
        let (var, value) = (self.cx.terms.var(var), self.sent(at));
        self.cx.terms.eq(var, value)
    }

    /// Whether a seat holds one of the sends of which something is true.
    fn holds_any(&mut self, var: VarId, is_meant: impl Fn(usize) -> bool) -> TermId {
        let all: Vec<usize> = (0..self.events.sends.len())
            .filter(|&at| is_meant(at))
            .collect();
        let parts: Vec<TermId> = all
            .into_iter()
            .map(|at| self.holds_sent(var, Some(at)))
            .collect();
        self.cx.terms.or(&parts)
    }

    /// Sends something to the chart itself: it takes its place among what this macrostep sent.
    pub fn post(&mut self, at: usize, carried: &Carried) -> StmtId {
        let seats = self.vars.pending.clone();
        let delay = self.events.sends[at].delay;
        let events = self.events;
        let mut later = Vec::new();
        for (k, seat) in seats.iter().enumerate() {
            let is_free = self.holds_sent(seat.what, None);
            let takes_longer = match self.vars.old {
                None => self.cx.terms.false_(),
                Some(old) => {
                    let longer =
                        self.holds_any(seat.what, |other| events.sends[other].delay > delay);
                    let (old, k) = (
                        self.cx.terms.var(old),
                        self.cx.terms.int(i64::from(k as u32)),
                    );
                    let is_fresh = self.cx.terms.le(old, k);
                    self.cx.terms.and(&[is_fresh, longer])
                }
            };
            later.push(self.cx.terms.or(&[is_free, takes_longer]));
        }
        let last = seats.last().expect("there is a seat");
        let is_free = self.holds_sent(last.what, None);
        let is_full = self.cx.terms.not(is_free);
        let overflow = self.vars.overflow.expect("there is a queue");
        let overflow = self.assign_bool(overflow, true);
        let mut parts = Vec::new();
        let what = self.sent(Some(at));
        for k in (0..seats.len()).rev() {
            let mut put = vec![self.assign(seats[k].what, what)];
            for (slot, value) in seats[k].fields.iter().zip(&carried.values) {
                put.extend(self.store(*slot, *value));
            }
            let put = self.seq(&put);
            let stay_or_put = self.when(later[k], put, None);
            parts.push(match k.checked_sub(1) {
                None => stay_or_put,
                Some(before) => {
                    let nothing = self.sent(None);
                    let shift = self.copy(&seats[k], Some(&seats[before]), nothing);
                    let shift = self.seq(&shift);
                    self.when(later[before], shift, Some(stay_or_put))
                }
            });
        }
        let insert = self.seq(&parts);
        self.when(is_full, overflow, Some(insert))
    }

    /// Takes back what was sent under an identifier.
    pub fn cancel(&mut self, id: &str) -> StmtId {
        if self.vars.pending.is_empty() {
            return self.cx.stmts.skip();
        }
        let seats = self.vars.pending.clone();
        let events = self.events;
        let nothing = self.sent(None);
        let mut parts = Vec::new();
        for k in (0..seats.len()).rev() {
            let is_meant = self.holds_any(seats[k].what, |at| {
                events.sends[at].id.as_deref() == Some(id)
            });
            let mut out = Vec::new();
            if let Some(old) = self.vars.old {
                let (var, position, one) = (
                    self.cx.terms.var(old),
                    self.cx.terms.int(i64::from(k as u32)),
                    self.cx.terms.int(1),
                );
                let was_old = self.cx.terms.lt(position, var);
                let fewer = self.cx.terms.sub(var, one);
                let fewer = self.assign(old, fewer);
                out.push(self.when(was_old, fewer, None));
            }
            out.extend(self.take_out(&seats, k, nothing));
            let out = self.seq(&out);
            parts.push(self.when(is_meant, out, None));
        }
        self.seq(&parts)
    }

    /// What may arrive: position in the list, which send, and when it can.
    pub fn arrivals(&mut self) -> Vec<(usize, usize, TermId)> {
        let seats = self.vars.pending.clone();
        let events = self.events;
        let mut all = Vec::new();
        for (k, seat) in seats.iter().enumerate() {
            for (at, send) in events.sends.iter().enumerate() {
                let overtakes = events.sends.iter().any(|other| other.delay > send.delay);
                if k > 0 && !overtakes {
                    continue;
                }
                let mut parts = vec![self.holds_sent(seat.what, Some(at))];
                for before in &seats[..k] {
                    let goes_first = self
                        .holds_any(before.what, |other| events.sends[other].delay <= send.delay);
                    parts.push(self.cx.terms.not(goes_first));
                }
                all.push((k, at, self.cx.terms.and(&parts)));
            }
        }
        all
    }

    /// Starts a macrostep with what waits at a position, or with an event of the environment.
    pub fn begin(&mut self, event: &str, pending: Option<(usize, usize)>) -> StmtId {
        let what = self.texts.term(&mut self.cx.terms, event);
        let mut parts = vec![self.assign(self.vars.event, what)];
        parts.extend(self.name_current(what));
        let seats = self.vars.pending.clone();
        parts.extend(self.present(pending.map(|(k, _)| &seats[k])));
        if let Some(arrived) = self.vars.arrived {
            let which = self.sent(pending.map(|(_, at)| at));
            parts.push(self.assign(arrived, which));
        }
        if let Some((k, _)) = pending {
            let nothing = self.sent(None);
            parts.extend(self.take_out(&seats, k, nothing));
        }
        if let Some(old) = self.vars.old {
            let (one, zero) = (self.cx.terms.int(1), self.cx.terms.int(0));
            let mut counts = Vec::new();
            for seat in &seats {
                let is_free = self.holds_sent(seat.what, None);
                counts.push(self.cx.terms.ite(is_free, zero, one));
            }
            let n = self.cx.terms.add(&counts);
            parts.push(self.assign(old, n));
        }
        self.seq(&parts)
    }

    /// Whether nothing that the chart sent itself waits.
    pub fn none_pending(&mut self) -> TermId {
        match self.vars.pending.first().map(|seat| seat.what) {
            None => self.cx.terms.true_(),
            Some(first) => self.holds_sent(first, None),
        }
    }

    /// What is true infinitely often since everything that is sent arrives: the send does not wait, or it just arrived.
    pub fn arrives(&mut self, at: usize) -> TermId {
        let seats = self.vars.pending.clone();
        let mut waits = Vec::new();
        for seat in &seats {
            waits.push(self.holds_sent(seat.what, Some(at)));
        }
        let waits = self.cx.terms.or(&waits);
        let arrived = self.vars.arrived.expect("something is sent");
        let arrived = self.holds_sent(arrived, Some(at));
        let is_gone = self.cx.terms.not(waits);
        self.cx.terms.or(&[is_gone, arrived])
    }
}
