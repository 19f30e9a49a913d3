//! `proftui render` and `proftui config` by the real binary: formats, sizes, keys, locations, themes,
//! settings, and what is wrong with them.

use std::fs;

use crate::binary::proftui;

const GPU: &str = "demo-traces/synthetic-gpu.json.gz";

#[track_caller]
fn printed(args: &[&str]) -> String {
    let out = proftui(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("UTF-8")
}

#[track_caller]
fn fails(args: &[&str], code: i32, why: &str) {
    let out = proftui(args);
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(code), "{args:?}: {said}");
    assert!(said.contains(why), "{args:?}: {said}");
    assert!(code == 2 || said.lines().count() == 1, "{args:?}: {said}");
}

#[test]
fn a_screen_has_the_size_asked_for_and_shows_what_the_keys_did() {
    let screen =
        printed(&["render", GPU, "--size", "90x25", "--format", "text", "--keys", "/cutlass<enter>"]);
    assert_eq!(screen.lines().count(), 25);
    assert!(screen.lines().all(|line| line.chars().count() <= 90));
    assert!(screen.contains("1 of 205 for \"cutlass\""), "{screen}");
    let at = printed(&["render", GPU, "--at", "4ms..5ms@gpu0", "--format", "text"]);
    assert!(at.contains("GPU 0") && !at.contains("54.7 ms  ▼"), "{at}");
    assert_eq!(printed(&["render", GPU, "--size", "1x1", "--format", "text"]).lines().count(), 1);
}

#[test]
fn every_format_shows_the_same_text() {
    let of = |format| printed(&["render", GPU, "--format", format]);
    assert!(["text", "ansi", "svg", "html"].into_iter().all(|format| of(format).contains("GPU 0 Synthetic")));
    assert!(of("ansi").contains("\x1b[") && !of("ansi").contains("\x1b[2J"), "attributes, no movement");
    assert!(!of("text").contains('\x1b'));
    assert!(of("svg").starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    assert!(of("html").starts_with("<!DOCTYPE html>"));
    let has_kernels =
        |color| printed(&["render", GPU, "--color", color, "--format", "html"]).contains("#d78700");
    assert!(has_kernels("true") && !has_kernels("never"));
}

#[test]
fn a_file_is_written_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("screen.svg");
    let path = path.to_str().expect("UTF-8");
    assert_eq!(printed(&["render", GPU, "-o", path]), "");
    assert!(fs::read_to_string(path).expect("the picture").ends_with("</svg>\n"));
    fails(&["render", GPU, "-o", path], 1, "the file exists already");
    assert_eq!(printed(&["render", GPU, "-o", path, "--force"]), "");
    fails(&["render", GPU, "-o", "screen.png"], 1, "the ending states no format");
}

#[test]
fn what_is_wrong_is_named() {
    fails(&["render", GPU, "--size", "0x9"], 2, "from 1x1 to 1000x400");
    fails(&["render", GPU, "--keys", "j<entr>"], 2, "<entr> is no key");
    fails(&["render", GPU, "--keys", "q"], 1, "the keys end the explorer");
    fails(&["render", GPU, "--keys", "6Yx.csv<enter>"], 1, "render only prints the screen");
    fails(&["render", GPU, "--at", "5ms@gpu9"], 1, "--at 5ms@gpu9: ");
    fails(&["render", GPU, "--theme", "drak"], 1, "no theme is named drak");
    fails(&["render", GPU, "--color-by", "hue"], 2, "category, name, duration");
    fails(&["render", "no-such.json"], 1, "no-such.json");
}

#[test]
fn settings_are_read_and_printed_so_that_they_can_be_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let path = path.to_str().expect("UTF-8");
    let theme = "base = \"dark\"\n[tokens]\nkernel = [\"#123456\", \"#123456\", \"red\"]\n";
    fs::write(folder.path().join("mine.theme.toml"), theme).expect("written");
    let mine = "theme = \"mine.theme.toml\"\ncolor-by = \"category\"\n[keys]\n\"app.help\" = [\"f5\"]\n[[rename]]\nmatch = \"cutlass.*(bf16)\"\nto = \"GEMM $1\"\n";
    fs::write(path, mine).expect("written");
    let print = |config| printed(&["config", "--config", config]);
    let all = print(path);
    assert!(all.contains("\"app.help\" = [\"F5\"]") && all.contains("to = \"GEMM $1\""), "{all}");
    let again = folder.path().join("again.toml");
    fs::write(&again, &all).expect("written");
    let reread = print(again.to_str().expect("UTF-8"));
    let settings = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(settings(&all), settings(&reread));
    let svg =
        printed(&["render", GPU, "--config", path, "--format", "svg", "--keys", "<f5>", "--size", "100x40"]);
    assert!(
        svg.contains("help: type to find a command") && svg.contains("#123456"),
        "the key and the colour are those of the file"
    );
    let kernels =
        printed(&["render", GPU, "--config", path, "--format", "text", "--keys", "6", "--size", "120x40"]);
    assert!(kernels.contains("GEMM bf16") && !kernels.contains("cutlass_80"), "{kernels}");
    for (text, why) in [
        ("mice = true", "mine.toml: line 1: unknown field `mice`"),
        ("color = \"many\"", "color = \"many\": it is auto, true, 256, 16 or never"),
        ("[keys]\n\"app.hlp\" = [\"x\"]", "[keys]: no command has the id app.hlp"),
        ("[[rename]]\nmatch = \"(\"\nto = \"x\"", "[[rename]]: match = \"(\": "),
        ("theme = \"no.toml\"", "no.toml: "),
    ] {
        fs::write(path, text).expect("written");
        fails(&["config", "--config", path], 1, why);
    }
    fails(&["config", "--config", "no-such.toml"], 1, "no-such.toml: ");
}

#[test]
fn colours_follow_what_they_are_asked_to_state() {
    let of = |meaning| printed(&["render", GPU, "--format", "ansi", "--color-by", meaning]);
    let all = ["category", "name", "duration", "stream", "step", "cause"].map(of);
    for (at, one) in all.iter().enumerate() {
        assert!(all[at + 1..].iter().all(|other| one != other), "{at}");
    }
}

/// The pictures of the README and of the documentation, in `docs/pictures`: file, keys, further options.
const PICTURES: [(&str, &str, &[&str]); 5] = [
    ("idle.svg", "ii", &[]),
    ("kernel.svg", "/cutlass<enter>", &[]),
    ("verdict.svg", "!o<tab>", &[]),
    ("stretch.svg", "/cutlass<enter>zvlllllvo", &["--at", "4.9ms..6.4ms@gpu0"]),
    ("flame.svg", "Fo", &[]),
];

/// `PROFTUI_DOCS=write` writes them anew.
#[test]
fn pictures_of_the_documentation_show_the_present_screens() {
    let write = std::env::var_os("PROFTUI_DOCS").is_some();
    for (file, keys, options) in PICTURES {
        let args =
            [&["render", GPU, "--size", "140x40", "--format", "svg", "--keys", keys], options].concat();
        let (now, path) = (printed(&args), format!("docs/pictures/{file}"));
        if write {
            fs::write(&path, &now).expect("written");
        }
        let is_same = fs::read_to_string(&path).expect("the picture") == now;
        assert!(
            is_same,
            "{path} is not what proftui {} prints; PROFTUI_DOCS=write writes it",
            args.join(" ")
        );
        assert!(now.len() < 100_000, "{path} has {} bytes", now.len());
    }
}
