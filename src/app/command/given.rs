//! The keys in force once the user has given keys to commands.
//!
//! Must not know where the user writes them.

use std::collections::BTreeMap;

use super::{Command, all};
use crate::app::input::bindings::Keys;
use crate::app::input::key::Key;

/// Why keys cannot be given to commands; the text is one line for the user.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum KeysError {
    /// No command has the id that the user gave.
    #[error("no command has the id {id}")]
    NoCommand {
        /// The id that the user gave.
        id: String,
    },
    /// The user gave a command a key by a name that no key has.
    #[error("{id}: unknown key {name}")]
    NoKey {
        /// The id of the command that the user gave the key.
        id: String,
        /// The name of the key, as the user gave it.
        name: String,
    },
    /// The user gave one key to two commands that can both apply at once.
    #[error("the key {} is given to both {first} and {second}", key.label(false))]
    Twice {
        /// The key that was given twice.
        key: Key,
        /// The id of the one command, which comes first in the command table.
        first: &'static str,
        /// The id of the other command.
        second: &'static str,
    },
}

/// The keys in force once the user has given commands the keys `given`: names of keys, by the command's id.
/// Other commands lose a given key where both could apply.
///
/// # Errors
/// When there is no such command or key, or one key is given to two commands that can apply at once.
pub fn keys(given: &BTreeMap<String, Vec<String>>) -> Result<Keys, KeysError> {
    let mut others = BTreeMap::new();
    for (id, names) in given {
        let command = all().find(|command| command.id == id);
        let command = command.ok_or_else(|| KeysError::NoCommand { id: id.clone() })?;
        let no_key = |name: &str| KeysError::NoKey { id: id.clone(), name: name.to_owned() };
        let keys: Result<Vec<Key>, KeysError> =
            names.iter().map(|name| Key::parse(name).ok_or_else(|| no_key(name))).collect();
        others.insert(command.id, keys?);
    }
    let is_given = |command: &Command| given.contains_key(command.id);
    for command in all().filter(|command| is_given(command)) {
        for key in others[command.id].clone() {
            let rivals = all().filter(|other| other.id != command.id && command.when.meets(other.when));
            for other in rivals {
                let theirs = others.get(other.id).map_or(other.keys, Vec::as_slice);
                if theirs.contains(&key) && is_given(other) {
                    return Err(KeysError::Twice { key, first: command.id, second: other.id });
                }
                if theirs.contains(&key) {
                    others.insert(other.id, theirs.iter().copied().filter(|&their| their != key).collect());
                }
            }
        }
    }
    Ok(Keys::with(others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::input::bindings;

    #[test]
    fn given_keys_replace_those_of_the_table_and_are_taken_from_others() {
        let given = |pairs: &[(&str, &[&str])]| {
            let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
            keys(&pairs.iter().map(|(id, keys)| ((*id).to_owned(), names(keys))).collect())
        };
        let of = |keys: &Keys, id: &str| {
            let command = all().find(|command| command.id == id).expect("a command");
            command.key_labels(keys, false).join(" ")
        };
        let mine = given(&[("time.zoom-in", &["s", "f5"]), ("app.help", &[])]).expect("keys");
        assert_eq!(of(&mine, "time.zoom-in"), "s F5");
        assert_eq!(of(&mine, "time.zoom-out"), "-", "s is taken");
        assert_eq!(of(&mine, "app.help"), "");
        assert_eq!(mine.label(bindings::HELP), ":app.help");
        assert_eq!(
            of(&given(&[("list.down", &["s"])]).expect("keys"), "time.zoom-out"),
            "s -",
            "never both meant"
        );
        for (wrong, why) in [
            (given(&[("no.such", &["s"])]), "no command has the id no.such"),
            (given(&[("app.help", &["ctrl-xy"])]), "app.help: unknown key ctrl-xy"),
            (
                given(&[("app.help", &["s"]), ("time.fit", &["s"])]),
                "the key s is given to both time.fit and app.help",
            ),
        ] {
            assert_eq!(wrong.expect_err(why).to_string(), why);
        }
    }
}
