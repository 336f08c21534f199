//! Files in VMT-LIB and `MoXI` are *settled*: reading one and writing it again gives the same text.
//!
//! In which order a conjunction has its parts, and what is written once under a name, follows from the order in which terms were made, and for
//! a text that is the order in the text. So a file is read and written again until nothing changes, which is the
//! second time as a rule. (An order of terms that does not depend on their making would do without; it would have to reach through formulas, too,
//! whose Boolean parts become terms when they are read.) Nothing is handed out that cannot be read back.

use super::{Target, Written, once};
use crate::ask::Asker;
use crate::model::Model;
use crate::pass::deadlock::{Deadlock, go_on_after_deadlock};
use crate::property::Property;
use crate::translate_all;
use lariat_base::{Budget, Diagnostic, SourceMap};
use lariat_system::Context;

/// A text that has not settled after so many rounds is as good as any.
const MAX_ROUNDS: usize = 8;

/// The file, written as often as it changes.
pub(super) fn settled(mut written: Written, target: Target) -> Result<Written, Diagnostic> {
    for _ in 0..MAX_ROUNDS {
        let again = written_again(&written, target)?;
        let is_settled = again.bytes == written.bytes;
        written.bytes = again.bytes;
        for (own, (name, _)) in written.properties.iter_mut().zip(again.properties) {
            own.0 = name;
        }
        if is_settled {
            break;
        }
    }
    Ok(written)
}

fn written_again(written: &Written, target: Target) -> Result<Written, Diagnostic> {
    let first = |findings: Vec<Diagnostic>| findings.into_iter().next().expect("errors are told");
    let language = target.language();
    let language = language.expect("VMT-LIB and MoXI are read");
    let text = String::from_utf8_lossy(&written.bytes).into_owned();
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add(target.name(), text);
    let parsed = lariat_frontend::parse(&mut cx, language, source, sources.file(source));
    let mut model = Model::single(parsed.map_err(first)?.system);
    let properties: Vec<Property> = if written.properties.is_empty() {
        Vec::new()
    } else {
        let asked = Asker::new(&mut cx, &mut sources, &model).own(None);
        let translated = translate_all(asked.map_err(first)?, &Budget::unlimited());
        translated.map_err(|error| Diagnostic::error("gave-up", error.to_string()))?
    };
    let how = Deadlock::usual(&model);
    go_on_after_deadlock(&mut cx, &mut model.systems[0], how)
        .expect("a relation says when it can step");
    once(&mut cx, &mut model, &properties, target)
}
