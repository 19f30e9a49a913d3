//! Converts the terminal's events to messages for the explorer, since `app` must not know the terminal, nor
//! `term` the explorer.

use crate::app::Msg;
use crate::term::Event;

impl From<Event> for Msg {
    fn from(event: Event) -> Self {
        match event {
            Event::Key(key) => Self::Key(key),
            Event::Paste(text) => Self::Paste(text),
            Event::Mouse(mouse) => Self::Mouse(mouse),
            Event::Resize(width, height) => Self::Resize(width, height),
            Event::Wake => Self::Wake,
            Event::WorkerPanicked(what) => Self::WorkerPanicked(what),
            Event::KeyboardLost(why) => Self::KeyboardLost(why),
        }
    }
}
