//! Drawing: one file per region of the screen, each a pure function from the state to cells.
//!
//! ```text
//! title     trace › rank › step › time › lane › event                     badge
//! answer    what limits the run
//! minimap   device busy over host busy, the viewport marked
//! ruler     times; the cursor
//! labels  │ timeline: one row per line, one time range per cell
//! tabs      1 Here  ! Why: Findings Causes  2 Time
//! pane      the selected event, or a table
//! footer    the commands that apply now, or a message
//! ```
//!
//! Reads the state and changes nothing in it but the notes on where clicks act. Only `paint` writes cells,
//! and it takes safe text alone. Must not know the terminal.

mod answer;
mod chart;
mod color;
mod connect;
mod findings;
mod footer;
mod heading;
mod help;
mod idle;
mod label;
mod loading;
mod minimap;
mod overlay;
mod paint;
mod pane;
mod row;
mod ruler;
mod series;
mod table;
mod tabs;
pub mod theme;
mod timeline;
mod title;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::session::loading::LoadingScreen;
use crate::app::{Content, State};

use paint::Painter;
pub use theme::Theme;

/// Draws what the explorer shows, the loading screen or a trace, into `area` of `buf`.
pub fn draw_content(content: &Content, theme: &Theme, area: Rect, buf: &mut Buffer) {
    match content {
        Content::Loading(screen) => draw_loading(screen, theme, area, buf),
        Content::Ready(state) => draw(state, theme, area, buf),
    }
}

/// Draws the whole screen of a loaded trace or snapshot into `area` of `buf`.
pub fn draw(state: &State, theme: &Theme, area: Rect, buf: &mut Buffer) {
    let mut painter = Painter::new(buf, area, theme);
    let geometry = state.geometry();
    state.clicks.clear();
    title::draw(state, geometry.title, &mut painter);
    answer::draw(state, geometry.answer, &mut painter);
    minimap::draw(state, geometry.minimap, &mut painter);
    ruler::draw(state, geometry.ruler, &mut painter);
    timeline::draw(state, &geometry, &mut painter);
    pane::draw(state, &geometry, &mut painter);
    footer::draw(state, geometry.footer, &mut painter);
    overlay::draw(state, &geometry, &mut painter);
}

/// Draws the loading screen into `area` of `buf`.
pub fn draw_loading(screen: &LoadingScreen, theme: &Theme, area: Rect, buf: &mut Buffer) {
    loading::draw(screen, &mut Painter::new(buf, area, theme));
}
