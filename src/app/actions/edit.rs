//! Opening the script in the user's editor.
//!
//! Must not know editors, nor whether a file exists.

use proftui_insight::analysis::vocabulary::script_line::location;

use crate::app::state::State;
use crate::app::wires::msg::Effect;

impl State {
    /// Has the line of the script for the selected event or gap opened in the user's editor; says so if none
    /// is known.
    pub(crate) fn edit_script_line(&mut self) {
        let details = self.selected.details();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let found = details.script_line().and_then(|frame| location(frame.as_bytes()));
        match found.map(|(file, line)| Effect::Edit(text(file), text(line))) {
            Some(edit) => self.effects.push(edit),
            None if details.is_reading() => self.say("reading …: the script's line is not known so far"),
            None => self.say("no line of a Python script is recorded for the selection"),
        }
    }
}
