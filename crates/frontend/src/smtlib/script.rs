//! What all languages of SMT-LIB's commands do alike: one command after the other, then the system.

use super::{NodeId, Read, Tree};
use crate::Parsed;
use lariat_base::{Diagnostic, Diagnostics, SourceFile};
use lariat_system::System;

/// A script while it is read.
pub(crate) trait Script {
    /// Reads a command.
    fn command(&mut self, command: NodeId) -> Read<()>;
    /// The system that the commands describe.
    fn system(self, name: &str) -> Read<System>;
}

/// Reads all commands of a tree, and makes the system if none is wrong.
pub(crate) fn parsed(
    tree: &Tree,
    mut script: impl Script,
    mut findings: Diagnostics,
    file: &SourceFile,
) -> Result<Parsed, Vec<Diagnostic>> {
    for &command in &tree.roots {
        if let Err(finding) = script.command(command) {
            findings.push(finding);
            if findings.is_full() {
                break;
            }
        }
    }
    if findings.has_errors() {
        return Err(findings.into_vec());
    }
    match script.system(&crate::file_stem(file)) {
        Ok(system) => Ok(Parsed {
            system,
            warnings: findings.into_vec(),
            obligations: Vec::new(),
        }),
        Err(finding) => {
            findings.push(finding);
            Err(findings.into_vec())
        }
    }
}
