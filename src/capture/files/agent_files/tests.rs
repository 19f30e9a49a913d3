//! Tests of where the agent's files are unpacked.

use super::*;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Unpacks into a cache folder, as for `--cache`.
fn cached(path: &Path) -> Result<AgentFiles, Refused> {
    Candidate::Cache(path.to_owned()).home(user()).and_then(|home| into(&home, user()))
}

fn set(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
}

#[test]
fn changed_files_are_restored_and_a_folder_open_to_others_is_refused() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path().join("a/b");
    let files = cached(&folder).expect("unpacked");
    let file = files.python.join("sitecustomize.py");
    std::fs::write(&file, "evil").expect("written");
    assert_eq!(cached(&folder).expect("unpacked"), files);
    assert_ne!(std::fs::read_to_string(&file).expect("there"), "evil");
    set(&file, 0o666);
    assert_eq!(cached(&folder).expect("unpacked"), files);
    assert_eq!(std::fs::metadata(&file).expect("there").mode() & 0o022, 0, "others could have changed it");
    for open in [files.python.as_path(), &folder.join(OWN), &folder, &temporary.path().join("a")] {
        set(open, 0o770);
        let refused = cached(&folder).expect_err("open to a group");
        assert_eq!(refused.path, open);
        assert!(refused.is_unsafe());
        set(open, 0o700);
    }
    assert_eq!(cached(&folder).expect("unpacked"), files);
}

#[test]
fn nothing_is_made_in_a_folder_that_others_can_write_to() {
    let temporary = tempfile::tempdir().expect("a folder");
    let open = temporary.path().join("open");
    std::fs::create_dir(&open).expect("made");
    set(&open, 0o777);
    assert!(cached(&open.join("a/b")).is_err());
    assert_eq!(std::fs::read_dir(&open).expect("there").count(), 0);
}

#[test]
fn below_a_folder_of_all_users_the_name_is_secret_and_stays() {
    let temporary = tempfile::tempdir().expect("a folder");
    let shared = temporary.path().join("shared");
    std::fs::create_dir(&shared).expect("made");
    set(&shared, 0o1777);
    let unpack = || Candidate::Temporary(shared.clone()).home(user()).and_then(|home| into(&home, user()));
    let files = unpack().expect("unpacked");
    assert_eq!(unpack().expect("unpacked"), files, "the next run finds it");
    let parts: Vec<_> = files.library.strip_prefix(&shared).expect("below").iter().collect();
    let [home, secret, _] = parts[..] else { panic!("{parts:?}") };
    let length = fingerprint().len() + "-".len() + 32;
    assert_eq!(secret.len(), length, "a random number of 128 bits");
    assert_eq!(
        std::fs::metadata(shared.join(home)).expect("there").mode() & 0o777,
        0o700,
        "not to be listed"
    );
    assert_eq!(std::fs::metadata(&files.library).expect("there").mode() & 0o7777, 0o1700);
    set(&shared.join(home), 0o755);
    assert_ne!(unpack().expect("unpacked"), files, "a folder that was listed is not used");
}

#[test]
fn the_cache_comes_first_and_temporary_folders_last() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path().to_str().expect("text");
    let tried = |variables: &[(&str, &str)]| {
        let variable =
            |name: &str| variables.iter().find(|known| known.0 == name).map(|known| known.1.into());
        let (candidates, refusals) = candidates(variable);
        let candidate = |candidate: &Candidate| match candidate {
            Candidate::Cache(path) => path.display().to_string(),
            Candidate::Temporary(path) => format!("({})", path.display()),
        };
        let refusals: Vec<String> = refusals.iter().map(ToString::to_string).collect();
        (candidates.iter().map(candidate).collect::<Vec<_>>().join(" "), refusals.join(" "))
    };
    let none = String::new();
    assert_eq!(tried(&[("HOME", home)]), (format!("{home}/.cache (/var/tmp) (/tmp)"), none.clone()));
    let all = [("HOME", home), ("XDG_CACHE_HOME", "/c"), ("XDG_RUNTIME_DIR", home), ("TMPDIR", "/t")];
    assert_eq!(tried(&all), (format!("/c {home} (/var/tmp) (/tmp) (/t)"), none));
    let poor =
        [("HOME", "/nonexistent"), ("XDG_CACHE_HOME", "c"), ("XDG_RUNTIME_DIR", "/none"), ("TMPDIR", "")];
    assert_eq!(tried(&poor), ("(/var/tmp) (/tmp)".into(), "/nonexistent is not a folder".into()));
    assert_eq!(tried(&[]).1, "$HOME is not a folder");
}
