//! sts
use crate::Parsed;
use lariat_base::{Diagnostic, SourceFile, SourceId};
use lariat_system::{Context, System};
pub(crate) fn parse(_: &mut Context, _: SourceId, _: &SourceFile) -> Result<Parsed, Vec<Diagnostic>> { Err(Vec::new()) }
pub(crate) fn print(_: &Context, _: &System) -> String { String::new() }
