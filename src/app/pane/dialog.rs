//! What covers the screen: the open prompt, list or help, what is typed and chosen in it.
//!
//! Must not know what is done with what was chosen.

use super::overlay::{Help, Overlay, Prompt, PromptKind, Target};
use crate::app::input::key::Key;
use crate::app::input::prefix::Prefix;

/// The open prompt, list or help, if any, and the command that the user chose in the palette.
#[derive(Debug, Default)]
pub struct Dialog {
    overlay: Option<Overlay>,
    /// The command to run next, chosen in the palette: an index into the command table.
    chosen_command: Option<usize>,
    /// The key pressed last, if it begins commands of two keys.
    pending: Option<Prefix>,
    /// The character typed last that ended a command of two keys.
    typed: Option<char>,
    /// True if the terminal was last asked to mark pasted text.
    is_paste_marked: bool,
}

impl Dialog {
    /// The open prompt, list or help; none if none is open.
    pub fn overlay(&self) -> Option<&Overlay> {
        self.overlay.as_ref()
    }

    /// The key pressed last, if it begins commands of two keys.
    pub fn pending(&self) -> Option<Prefix> {
        self.pending
    }

    /// Has the next key end a command of two keys.
    pub(crate) fn begin(&mut self, prefix: Prefix) {
        self.pending = Some(prefix);
    }

    /// Notes that `key` follows; a later key ends no command of two keys. True if the key before began such
    /// commands.
    pub(crate) fn follow(&mut self, key: Key) -> bool {
        let was_pending = self.pending.take().is_some();
        self.typed = match key {
            Key::Char(typed) if was_pending => Some(typed),
            _ => None,
        };
        was_pending
    }

    /// The character typed last that ended a command of two keys.
    pub(crate) fn typed(&self) -> Option<char> {
        self.typed
    }

    /// The number that ended a command of two keys.
    pub(crate) fn digit(&self) -> Option<usize> {
        Some(self.typed?.to_digit(10)? as usize)
    }

    /// True while a prompt, a list or the help is open.
    pub fn is_open(&self) -> bool {
        self.overlay.is_some()
    }

    /// The open prompt; none if no prompt is open.
    pub(crate) fn prompt(&self) -> Option<&Prompt> {
        match &self.overlay {
            Some(Overlay::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }

    /// The open prompt, to change it; none if no prompt is open.
    pub(crate) fn prompt_mut(&mut self) -> Option<&mut Prompt> {
        match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }

    /// The help; none if it is not open.
    pub(crate) fn help(&self) -> Option<&Help> {
        match &self.overlay {
            Some(Overlay::Help(help)) => Some(help),
            _ => None,
        }
    }

    /// Opens `overlay` instead of what is open.
    pub(crate) fn open(&mut self, overlay: Overlay) {
        self.overlay = Some(overlay);
    }

    /// Opens an empty prompt, instead of what is open.
    pub(crate) fn ask(&mut self, kind: PromptKind) {
        self.overlay = Some(Overlay::prompt(kind));
    }

    /// Closes the open prompt, list or help, if any.
    pub fn close(&mut self) {
        self.overlay = None;
    }

    /// True while typed characters go into a line: while a prompt or the help is open.
    pub(crate) fn takes_text(&self) -> bool {
        matches!(self.overlay, Some(Overlay::Prompt(_) | Overlay::Help(_)))
    }

    /// Appends a typed character to the line of the open prompt or help, if the line has room.
    pub(crate) fn push(&mut self, typed: char) {
        match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => prompt.push(typed),
            Some(Overlay::Help(help)) => help.push(typed),
            Some(Overlay::List(_)) | None => {}
        }
    }

    /// Appends pasted text without its control characters to the line of the open prompt, as far as the line
    /// has room; false if no prompt is open.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        let Some(prompt) = self.prompt_mut() else { return false };
        text.chars().filter(|c| !c.is_control()).for_each(|c| prompt.push(c));
        true
    }

    /// Erases the last character typed in the open prompt or help or, if nothing is typed, closes the prompt
    /// or help; does nothing in a list.
    pub(crate) fn erase(&mut self) {
        let erased = match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => {
                prompt.is_stale = true;
                prompt.text.pop()
            }
            Some(Overlay::Help(help)) => {
                help.top = 0;
                help.typed.pop()
            }
            Some(Overlay::List(_)) | None => return,
        };
        if erased.is_none() {
            self.close();
        }
    }

    /// Erases the typed line of the open prompt; does nothing if no prompt is open.
    pub(crate) fn clear(&mut self) {
        if let Some(prompt) = self.prompt_mut() {
            prompt.text.clear();
            prompt.is_stale = true;
        }
    }

    /// Scrolls the help, which has `len` lines, by `by` lines (negative: up), at most to its first or last
    /// line; does nothing if the help is not open.
    pub(crate) fn scroll_help(&mut self, by: isize, len: usize) {
        if let Some(Overlay::Help(help)) = &mut self.overlay {
            help.top = help.top.saturating_add_signed(by).min(len.saturating_sub(1));
        }
    }

    /// Moves the choice in the open prompt or list by `by` items (negative: up), at most to the first or last
    /// item; does nothing in the help.
    pub(crate) fn choose(&mut self, by: isize) {
        let (chosen, len) = match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => (&mut prompt.chosen, prompt.candidates.len()),
            Some(Overlay::List(list)) => (&mut list.chosen, list.items.len()),
            Some(Overlay::Help(_)) | None => return,
        };
        *chosen = chosen.saturating_add_signed(by).min(len.saturating_sub(1));
    }

    /// Closes what is open, and returns the prompt; none if no prompt was open.
    pub(crate) fn accept_prompt(&mut self) -> Option<Prompt> {
        match self.overlay.take()? {
            Overlay::Prompt(prompt) => Some(prompt),
            Overlay::List(_) | Overlay::Help(_) => None,
        }
    }

    /// Closes what is open, and returns the target of the list's chosen item; none if no list was open, or it
    /// was empty.
    pub(crate) fn accept_list(&mut self) -> Option<Target> {
        match self.overlay.take()? {
            Overlay::List(list) => list.items.get(list.chosen).map(|item| item.target),
            Overlay::Prompt(_) | Overlay::Help(_) => None,
        }
    }

    /// Adapts what is open to a replaced session: closes an open list, and notes that an open prompt's line
    /// is to be looked at again, for candidates or as a filter.
    pub(crate) fn renew(&mut self) {
        if matches!(self.overlay, Some(Overlay::List(_))) {
            self.close();
        }
        if let Some(prompt) = self.prompt_mut() {
            prompt.is_stale = true;
        }
    }

    /// Notes the command that is to run next, by its index in the command table.
    pub(crate) fn choose_command(&mut self, command: usize) {
        self.chosen_command = Some(command);
    }

    /// Takes the command to run next, an index into the command table; none if there is none.
    pub(crate) fn take_command(&mut self) -> Option<usize> {
        self.chosen_command.take()
    }

    /// Whether the terminal is to mark pasted text from now on; none if nothing has changed since the last
    /// call.
    pub(crate) fn marks_paste(&mut self) -> Option<bool> {
        let is_prompt = self.prompt().is_some();
        let was_marked = std::mem::replace(&mut self.is_paste_marked, is_prompt);
        (is_prompt != was_marked).then_some(is_prompt)
    }
}
