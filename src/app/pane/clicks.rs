//! Where a click of the mouse acts, beside the timeline: the drawing notes it, the update looks it up.
//!
//! Must not know what is drawn, nor what a click changes.

use std::cell::RefCell;

use super::kinds::Pane;
use crate::app::view::geometry::Area;

/// What a click asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// Showing a pane.
    Pane(Pane),
    /// Ordering the rows of the pane by the column with this index.
    Column(usize),
    /// Moving the focus of the pane to the line with this index.
    Line(usize),
    /// Going to the finding with this number, from 1.
    Finding(usize),
    /// Showing the whole trace.
    Whole,
    /// Showing the step at the cursor.
    Step,
}

/// What clicks on the screen ask for, as it was drawn last.
#[derive(Debug, Default)]
pub struct Clicks(RefCell<Vec<(Area, Click)>>);

impl Clicks {
    /// Forgets what the last drawing noted.
    pub fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// Notes that a click in `area` asks for `click`.
    pub fn note(&self, area: Area, click: Click) {
        self.0.borrow_mut().push((area, click));
    }

    /// What a click at a column and line of the screen asks for; none if it asks for nothing.
    pub fn at(&self, x: u16, y: u16) -> Option<Click> {
        self.0.borrow().iter().rev().find(|(area, _)| area.has(x, y)).map(|(_, click)| *click)
    }
}
