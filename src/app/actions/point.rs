//! What the mouse does: a click selects, the wheel zooms or scrolls, dragging marks a stretch.
//!
//! Must not know how a mouse is read.

use proftui_base::time::{Ns, Span};

use crate::app::input::mouse::{Mouse, MouseAction};
use crate::app::pane::clicks::Click;
use crate::app::pane::panes::Region;
use crate::app::state::State;
use crate::app::view::geometry::Area;
use crate::app::view::viewport;
use crate::app::wires::msg::Effect;

/// Factors by which one step of the wheel up and one down scale the length of the viewport.
const ZOOM: (f64, f64) = (0.8, 1.25);
/// The lines by which one step of the wheel scrolls, or moves the focus or the choice.
const LINES: isize = 3;

/// The number of lines by which the wheel scrolls (negative: up); 0 for anything else that a mouse does.
pub(crate) fn lines(mouse: Mouse) -> isize {
    match mouse.action {
        MouseAction::WheelUp => -LINES,
        MouseAction::WheelDown => LINES,
        _ => 0,
    }
}

impl State {
    /// Switches on or off that the terminal reports what the mouse does, and says which.
    pub(crate) fn toggle_mouse(&mut self) {
        let is_on = self.pointer.toggle();
        self.effects.push(Effect::Mouse(is_on));
        self.say(if is_on {
            "the mouse is on: in the timeline, click selects, the wheel zooms, dragging marks a stretch"
        } else {
            "the mouse is off: the terminal selects text with it again"
        });
    }

    /// Does what an action of the mouse asks for where it happens on the screen, such as selecting, zooming
    /// or marking a stretch.
    pub(crate) fn point(&mut self, mouse: Mouse) {
        let by = lines(mouse);
        if self.dialog.is_open() {
            return self.dialog.choose(by);
        }
        let geometry = self.geometry();
        let is_in = |area: Area| area.has(mouse.x, mouse.y);
        let is_dragged = self.pointer.dragged_from().is_some() && mouse.action != MouseAction::Press;
        if is_in(geometry.timeline) || is_dragged {
            self.point_at_timeline(mouse, geometry.timeline);
        } else if is_in(geometry.labels) {
            match mouse.action {
                MouseAction::Press => self.focus_line_at(mouse.y - geometry.labels.y),
                _ if by != 0 => self.move_focus(by),
                _ => {}
            }
        } else if is_in(geometry.minimap) && mouse.action == MouseAction::Press {
            let whole = self.session.trace.span;
            let columns = self.read_columns(geometry.minimap.width);
            let t = viewport::time(whole, columns, (mouse.x - geometry.minimap.x).min(columns));
            self.timeline.center(t, &self.session.trace);
            self.timeline.put_cursor(t);
        } else if let Some(click) = self.clicks.at(mouse.x, mouse.y).filter(|_| by == 0) {
            if mouse.action == MouseAction::Press {
                self.click(click);
            }
        } else if is_in(geometry.pane) {
            self.panes.focus(Region::Pane);
            if by != 0 {
                self.in_table(|pane| pane.move_line(by));
                self.preview_row();
            }
        }
    }

    fn click(&mut self, click: Click) {
        match click {
            Click::Pane(pane) => {
                self.panes.show(pane);
                self.panes.focus(Region::Pane);
                self.scroll_to_focus();
            }
            Click::Column(at) => self.sort_by_column(at),
            Click::Line(line) => {
                self.panes.focus(Region::Pane);
                self.in_table(|pane| pane.go_to_line(line));
                self.preview_row();
            }
            Click::Finding(number) => self.go_to_finding(number),
            Click::Whole => _ = self.show_whole(),
            Click::Step => self.go_to_step_here(),
        }
    }

    fn point_at_timeline(&mut self, mouse: Mouse, area: Area) {
        let x = mouse.x.saturating_sub(area.x).min(area.width.saturating_sub(1));
        let t = viewport::time(self.timeline.viewport(), area.width, x);
        match mouse.action {
            MouseAction::Press => {
                self.panes.focus(Region::Timeline);
                self.focus_line_at(mouse.y - area.y);
                self.timeline.put_cursor(t);
                self.select_under_cursor();
                self.pointer.press(t);
            }
            MouseAction::Drag => {
                let Some(from) = self.pointer.dragged_from() else { return };
                let span = Span { start: from.min(t), end: from.max(t) };
                if !span.is_empty() {
                    self.select(None);
                    self.timeline.put_cursor(t);
                    self.set_stretch(span, false);
                }
            }
            MouseAction::Release => {
                if let (true, Some(stretch)) = (self.pointer.release(), self.stretch) {
                    let column = self.ns_per_column();
                    let edges = |t: Ns| self.timeline.nearest_edge(&self.session, t, column).unwrap_or(t);
                    let (start, end) = (edges(stretch.span.start), edges(stretch.span.end));
                    if !stretch.is_open && start < end {
                        self.set_stretch(Span { start, end }, false);
                    }
                    self.say_stretch();
                }
            }
            MouseAction::WheelUp | MouseAction::WheelDown => {
                let factor = if mouse.action == MouseAction::WheelUp { ZOOM.0 } else { ZOOM.1 };
                self.timeline.zoom(t, factor, &self.session.trace);
            }
        }
    }

    /// Moves the focus to the line of the timeline that is `y` lines below the first one on the screen, if
    /// there is one.
    fn focus_line_at(&mut self, y: u16) {
        let line = self.visible_lines().nth(usize::from(y));
        if let Some(line) = line {
            self.timeline.focus_on(line);
            self.panes.focus(Region::Timeline);
        }
    }
}
