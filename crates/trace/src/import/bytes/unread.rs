//! What a directory without traces has in it: files of kinds that are not read, and what to do with them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use proftui_base::text::SafeText;

use super::source;

/// Levels of folders that are searched, the directory itself included.
const LEVELS: u32 = 4;
/// Most files that are opened; files beyond these are not looked at.
const FILES: usize = 200;
/// Most folders that are searched; folders beyond these are not looked at.
const FOLDERS: usize = 500;
/// Most columns that a file's name takes in the message; a longer name is cut in the middle.
const NAME_COLUMNS: usize = 40;

/// Describes files in and below `directory` of one kind that is not read, preferably one that can be
/// converted: names a file, counts the others, and says what to do. `None` if none is found.
pub(in crate::import) fn describe(directory: &Path) -> Option<String> {
    let (mut files, mut folders) = (Vec::new(), FOLDERS);
    collect(directory, LEVELS, &mut files, &mut folders);
    let mut kinds: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
    for file in &files {
        if let Some(what) = source::foreign(file) {
            kinds.entry(what).or_default().push(file);
        }
    }
    let (what, of_kind) =
        kinds.iter().min_by_key(|(what, files)| (!what.contains("convert it with"), Reverse(files.len())))?;
    let name = of_kind[0].file_name().unwrap_or_default().as_encoded_bytes();
    let name = SafeText::from_bytes(name).elide_middle(NAME_COLUMNS).to_string();
    Some(match of_kind.len() - 1 {
        0 => format!("{name} is {what}"),
        more => format!("{name} and {more} more: each is {what}"),
    })
}

/// Adds the visible regular files of a folder, `levels` deep, to `files`, up to [`FILES`]. Counts down
/// `budget`, the number of folders that may still be searched.
fn collect(folder: &Path, levels: u32, files: &mut Vec<PathBuf>, budget: &mut usize) {
    if levels == 0 || *budget == 0 || files.len() >= FILES {
        return;
    }
    *budget -= 1;
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let is_hidden = |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
    let (mut folders, mut plain) = (Vec::new(), Vec::new());
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if !is_hidden(&path) {
            if is_folder(&entry, &path) { folders.push(path) } else { plain.push(path) }
        }
    }
    folders.sort();
    plain.sort();
    files.extend(plain.into_iter().filter(|path| path.is_file()).take(FILES - files.len()));
    folders.iter().for_each(|folder| collect(folder, levels - 1, files, budget));
}

/// True for a folder, and for a symbolic link to a folder.
pub(in crate::import) fn is_folder(entry: &DirEntry, path: &Path) -> bool {
    entry.file_type().is_ok_and(|found| found.is_dir() || (found.is_symlink() && path.is_dir()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &[u8])]) -> Option<String> {
        let dir = tempfile::tempdir().expect("a directory");
        for (file, content) in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, content).expect("a file");
        }
        describe(dir.path())
    }

    const XPLANE: &[u8] = b"\x0a\x11\x08\x02\x12\x09/host:CPU\x1a\x00";

    #[test]
    fn a_file_that_can_be_converted_is_named_first() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("notes.txt", b"hello"), (".hidden.npy", b"\x93NUMPY")]), None);
        let said = of(&[("a.csv", b"a,b,c\n1,2,3\n"), ("b.csv", b"a,b,c\n1,2,3\n")]).expect("named");
        assert!(said.starts_with("a.csv and 1 more: each is a table (CSV)"), "{said}");
        let said = of(&[
            ("a.csv", b"a,b,c\n1,2,3\n"),
            ("b.csv", b"a,b,c\n1,2,3\n"),
            ("plugins/profile/2026_11_22/host.xplane.pb", XPLANE),
        ]);
        let said = said.expect("named");
        assert!(said.starts_with("host.xplane.pb is an XPlane profile") && said.contains("xprof"), "{said}");
        let report = of(&[("report1.nsys-rep", b"\x00\x01")]).expect("named");
        assert!(report.contains("nsys export -t sqlite"), "{report}");
    }

    #[test]
    fn a_long_name_is_cut() {
        let name = format!("{}.npy", "x".repeat(200));
        let said = of(&[(&name, b"\x93NUMPY")]).expect("named");
        assert!(said.contains('…') && said.len() < 200, "{said}");
    }
}
