//! Fairness that is assumed from outside of a model: which of its runs count.

use crate::ask::{Asker, Findings, in_continuous_time};
use crate::model::Model;
use lariat_base::{Diagnostic, Span};
use lariat_expr::{Dialect, TermId, show_term};
use lariat_frontend::{ExprAtom, parse_atom};
use lariat_system::{Context, Fairness, TransitionSystem as _};

impl Asker<'_> {
    /// `EXPR`: only runs count on which it is true infinitely often.
    pub fn fair(&mut self, text: &str) -> Result<Fairness, Findings> {
        let source = self.sources.add("<fair>", text.to_owned());
        let span = Span::new(source, 0, text.len());
        self.fair_term(span, text).map(Fairness::Justice)
    }

    /// `EXPR -> EXPR`: only runs count on which the second is true infinitely often if the first is.
    pub fn strong_fair(&mut self, text: &str) -> Result<Fairness, Findings> {
        let source = self.sources.add("<strong-fair>", text.to_owned());
        let Some(arrow) = outer_arrow(text) else {
            let message = "two expressions with `->` between them are expected here";
            let finding = Diagnostic::error("strong-fairness", message);
            let hint =
                "write `--strong-fair 'asks -> served'`; for one expression there is `--fair`";
            let span = Span::new(source, 0, text.len());
            return Err(vec![finding.at(span).hint(hint)]);
        };
        let part = |from: usize, to: usize| (Span::new(source, from, to), &text[from..to]);
        let (before, after) = (part(0, arrow), part(arrow + 2, text.len()));
        let request = self.fair_term(before.0, before.1)?;
        let response = self.fair_term(after.0, after.1)?;
        Ok(Fairness::Compassion(request, response))
    }

    fn fair_term(&mut self, span: Span, text: &str) -> Result<TermId, Findings> {
        match parse_atom(self.cx, &self.scope, span, text)? {
            ExprAtom::Term(term) if self.reads_clocks(&[term]) => {
                Err(vec![in_continuous_time(span)])
            }
            ExprAtom::Term(term) => Ok(term),
            ExprAtom::Location(..) | ExprAtom::Named(..) => {
                let message = "fairness is about the values of variables, not about locations";
                Err(vec![Diagnostic::error("fair-location", message).at(span)])
            }
        }
    }
}

impl Model {
    /// Lets only runs count that meet these constraints, too. They may speak of the variables of all parts.
    pub fn assume_fair(&mut self, cx: &mut Context, constraints: Vec<Fairness>) {
        if !constraints.is_empty() {
            self.systems[0].fairness.extend(constraints);
            self.recompose(cx);
        }
    }

    /// Which runs count, in words.
    pub fn fairness_in_words(&self, cx: &Context) -> Vec<String> {
        let show = |term: TermId| show_term(&cx.terms, term, &Dialect::GCL);
        let words = |constraint: &Fairness| match *constraint {
            Fairness::Justice(term) => format!("infinitely often {}", show(term)),
            Fairness::Compassion(request, response) => format!(
                "infinitely often {} if infinitely often {}",
                show(response),
                show(request)
            ),
        };
        self.fairness().iter().map(words).collect()
    }
}

/// Where the first `->` stands that is inside of no brackets or quotes and has blanks around it, or else the first one at all: `p->x`
/// is an expression of C.
fn outer_arrow(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut quoted) = (0usize, false);
    let (mut apart, mut any) = (None, None);
    for at in 0..bytes.len() {
        match bytes[at] {
            b'"' => quoted = !quoted,
            b'(' | b'[' | b'{' if !quoted => depth += 1,
            b')' | b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            b'-' if !quoted && depth == 0 && bytes.get(at + 1) == Some(&b'>') => {
                let before_is_other = at > 0 && bytes[at - 1] == b'<';
                let blank = |place: Option<&u8>| place.is_none_or(u8::is_ascii_whitespace);
                if before_is_other {
                    continue;
                }
                any.get_or_insert(at);
                if blank(at.checked_sub(1).and_then(|before| bytes.get(before)))
                    && blank(bytes.get(at + 2))
                {
                    apart.get_or_insert(at);
                }
            }
            _ => {}
        }
    }
    apart.or(any)
}

#[cfg(test)]
mod tests {
    use super::outer_arrow;

    #[test]
    fn the_arrow_between_two_conditions_is_outside_of_brackets() {
        assert_eq!(outer_arrow("a -> b"), Some(2));
        assert_eq!(outer_arrow("(a -> b) -> c"), Some(9));
        assert_eq!(outer_arrow("p->x > 0 -> q->y"), Some(9));
        assert_eq!(outer_arrow("a->b"), Some(1));
        assert_eq!(outer_arrow("a <-> b"), None);
        assert_eq!(outer_arrow("a"), None);
    }
}
