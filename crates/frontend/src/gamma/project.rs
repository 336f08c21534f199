//! The files of a project, and what names mean in each of them: what the file declares, then what the files declare that it
//! imports, then what those import.

use super::tree::{Component, File, Function, Interface, TypeDecl, VarDecl};

pub(super) struct Project {
    pub files: Vec<Member>,
}

/// A file, and the files that it imports.
pub(super) struct Member {
    pub file: File,
    pub imports: Vec<usize>,
}

/// A declaration and the file that it is in.
pub(super) type Found<'a, T> = Option<(usize, &'a T)>;

impl Project {
    /// The first declaration of a name that can be seen from a file, nearest first.
    fn find<'a, T>(&'a self, from: usize, of: impl Fn(&'a File) -> Option<&'a T>) -> Found<'a, T> {
        let mut seen = vec![false; self.files.len()];
        let mut todo = vec![from];
        let mut at = 0;
        while let Some(&file) = todo.get(at) {
            at += 1;
            if std::mem::replace(&mut seen[file], true) {
                continue;
            }
            let member = &self.files[file];
            if let Some(found) = of(&member.file) {
                return Some((file, found));
            }
            todo.extend(&member.imports);
        }
        None
    }

    pub fn component(&self, from: usize, name: &str) -> Found<'_, Component> {
        self.find(from, |file| {
            file.components.iter().find(|one| *one.name.text == *name)
        })
    }

    pub fn interface(&self, from: usize, name: &str) -> Found<'_, Interface> {
        self.find(from, |file| {
            file.interfaces.iter().find(|one| *one.name.text == *name)
        })
    }

    pub fn type_named(&self, from: usize, name: &str) -> Found<'_, TypeDecl> {
        self.find(from, |file| {
            file.types.iter().find(|one| *one.name.text == *name)
        })
    }

    pub fn constant(&self, from: usize, name: &str) -> Found<'_, VarDecl> {
        self.find(from, |file| {
            file.constants.iter().find(|one| *one.name.text == *name)
        })
    }

    pub fn function(&self, from: usize, name: &str) -> Found<'_, Function> {
        self.find(from, |file| {
            file.functions.iter().find(|one| *one.name.text == *name)
        })
    }
}
