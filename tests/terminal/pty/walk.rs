//! Every key and every command, in order and at random: none ends the explorer that should not, none blanks
//! the screen or leaves a trace of what stood there before.

use proftui::app::Key;
use proftui::app::command::{Command, When, all};

use super::explorer::{HOSTILE, TRACE, assert_whole, explore, plain, quit, sync};
use crate::rig::Pty;

/// The ids of the commands that leave the explorer.
const LEAVING: &[&str] = &["app.quit", "app.quit-now", "app.suspend"];

/// What a terminal sends for a key.
fn bytes(key: Key) -> String {
    match key {
        Key::Char(c) => c.to_string(),
        Key::Ctrl(c) => char::from(c as u8 & 0x1f).to_string(),
        Key::Alt(c) => format!("\x1b{c}"),
        Key::Enter => "\r".to_owned(),
        Key::Esc => super::ESC.to_owned(),
        Key::Tab => "\t".to_owned(),
        Key::BackTab => "\x1b[Z".to_owned(),
        Key::Backspace => super::BACKSPACE.to_owned(),
        Key::Delete => "\x1b[3~".to_owned(),
        Key::Up => "\x1b[A".to_owned(),
        Key::Down => "\x1b[B".to_owned(),
        Key::Right => "\x1b[C".to_owned(),
        Key::Left => "\x1b[D".to_owned(),
        Key::Home => "\x1b[H".to_owned(),
        Key::End => "\x1b[F".to_owned(),
        Key::PageUp => "\x1b[5~".to_owned(),
        Key::PageDown => "\x1b[6~".to_owned(),
        Key::F(1) => "\x1bOP".to_owned(),
        Key::F(_) => panic!("the table has a key that this test cannot type yet: {key}"),
    }
}

fn keys(command: &Command) -> impl Iterator<Item = String> {
    command.keys.iter().map(|&key| bytes(key))
}

fn safe() -> impl Iterator<Item = &'static Command> {
    all().filter(|command| !LEAVING.contains(&command.id))
}

/// Each key where it applies, and once more where it does not.
#[test]
fn every_key_where_it_applies() {
    let pty = plain();
    for command in safe() {
        let starts = match command.when {
            When::Prompt => ["/aten", ":zoom"].map(str::to_owned),
            When::List => ["l]", "l]j"].map(str::to_owned),
            When::Help => ["?", "?kernel"].map(str::to_owned),
            When::Pane => ["l2\t", "3\t"].map(str::to_owned),
            When::After(prefix) => {
                ["l", "3\t"].map(|start| start.to_owned() + &bytes(prefix.binding().keys[0]))
            }
            When::Always | When::Screen | When::Timeline => ["l", "\t"].map(str::to_owned),
        };
        for start in starts {
            // Where no list comes up, the key that closes one leaves.
            for key in keys(command).filter(|key| start.starts_with('?') || key != "q") {
                pty.send(&format!("{start}{key}"));
                sync(&pty);
            }
        }
        assert_whole(&pty);
    }
    quit(pty);
}

/// By their names, whatever has the focus.
#[test]
fn every_command_of_the_palette() {
    let pty = plain();
    for command in safe().filter(|command| !matches!(command.when, When::Prompt | When::List | When::Help)) {
        for start in ["", "l3\t"] {
            pty.send(&format!("{start}:{}\r", command.title));
            sync(&pty);
        }
        assert_whole(&pty);
    }
    quit(pty);
}

/// What people type into prompts, and what they do not.
#[test]
fn every_prompt() {
    let pty = plain();
    for prompt in ["/", ":", "g"] {
        for text in
            ["", "aten::mm", "12.5ms", "+3us", "#12", "#999999", "-99999999999s", "(?[", "é卷\u{1f525}"]
        {
            // The palette's best match may be any command, so nothing is chosen there.
            let end = if prompt == ":" { super::ESC } else { "\r" };
            pty.send(&format!("{prompt}{text}\t\t\x1b[A{end}"));
            pty.send("nN");
            sync(&pty);
        }
        assert_whole(&pty);
    }
    pty.send(&format!("/{}", "x".repeat(500)));
    pty.send(&format!("{}g{}\r", super::ESC, "9".repeat(400)));
    assert_whole(&pty);
    quit(pty);
}

/// Steps of a generator that needs no more than to be the same each time.
fn random(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as usize
}

/// Random keys, `rounds` times ten; the palette is left out, since it could choose to quit.
fn wander(pty: &Pty, seed: u64, rounds: usize) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let commands = safe().filter(|command| command.id != "app.palette");
    let keys: Vec<String> = commands.flat_map(keys).filter(|key| key != "q").collect();
    for _ in 0..rounds {
        let typed: String = (0..10).map(|_| keys[random(&mut state) % keys.len()].as_str()).collect();
        pty.send(&typed);
        assert_whole(pty);
    }
}

#[test]
fn random_keys_on_a_trace() {
    for (seed, size) in [(1, (80, 24)), (2, (200, 50))] {
        let pty = explore(TRACE, &[], size);
        wander(&pty, seed, 20);
        quit(pty);
    }
}

#[test]
fn random_keys_on_hostile_names() {
    for (seed, size) in [(3, (80, 24)), (4, (200, 50))] {
        let pty = explore(HOSTILE, &[], size);
        wander(&pty, seed, 20);
        quit(pty);
    }
}

/// A pasted line break is text that is left out, not the key that accepts; paste marks are on only while a
/// prompt is open.
#[test]
fn pasted_text_is_typed() {
    let pty = plain();
    pty.send("/");
    pty.wait_bytes(0, "\x1b[?2004h");
    pty.send("\x1b[200~cut\nlass\x1b[201~");
    pty.wait_for("/cutlass");
    pty.send(super::ESC);
    pty.wait_bytes(0, "\x1b[?2004l");
    quit(pty);
}
