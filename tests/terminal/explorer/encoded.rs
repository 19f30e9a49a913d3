//! What a terminal shows after the bytes of each frame of a walk: the cells that were drawn.

use std::num::NonZero;

use proftui::app::command;
use proftui::term::encode::Encoder;
use proftui::ui;
use proftui::ui::theme::Depth;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::{GPU, explorer, press, theme};

/// The cells that the terminal shows otherwise than they were drawn.
fn wrong(terminal: &vt100::Parser, drawn: &Buffer) -> Option<String> {
    let screen = terminal.screen();
    // The parser gives each half of a flag two columns, and a replacement character none.
    let is_unlike = |symbol: &str| symbol.chars().count() > 1 || symbol == "\u{fffd}";
    let is_odd = |y: u16| (0..drawn.area.width).any(|x| is_unlike(drawn[(x, y)].symbol()));
    drawn.area.positions().filter(|at| !is_odd(at.y)).find_map(|at| {
        let (cell, shown) = (&drawn[at], screen.cell(at.y, at.x).expect("a cell"));
        let text = if shown.has_contents() { shown.contents() } else { " " };
        if cell.symbol().is_empty() {
            return None;
        }
        let is_text = text == cell.symbol();
        let is_reversed = shown.inverse() == cell.modifier.contains(Modifier::REVERSED);
        (!is_text || !is_reversed).then(|| format!("{at}: {text:?} instead of {:?}", cell.symbol()))
    })
}

#[test]
fn every_frame_of_a_walk_is_shown() {
    let keys: Vec<String> = command::all()
        .filter(|command| !["app.quit", "app.quit-now", "app.suspend"].contains(&command.id))
        .flat_map(|command| command.keys)
        .map(|key| key.label(false))
        .map(|key| if key.chars().count() == 1 { key } else { format!("<{}>", key.to_lowercase()) })
        .filter(|key| key != "q")
        .collect();
    let mut seed = 7_u64;
    for (trace, size) in
        [("hostile-names.json.gz", (200, 60)), ("hostile-names.json.gz", (80, 24)), (GPU, (120, 40))]
    {
        let mut state = explorer(trace, size);
        let mut encoder = Encoder::new(size, true, true);
        let [lines, columns] = [size.1, size.0].map(|n| NonZero::new(n).expect("a size"));
        let mut terminal = vt100::Parser::new(lines, columns, 0);
        let mut last = String::new();
        for _ in 0..150 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let key = &keys[(seed >> 33) as usize % keys.len()];
            press(&mut state, key);
            let area = Rect::new(0, 0, size.0, size.1);
            let mut buffer = Buffer::empty(area);
            ui::draw(&state, &theme(Depth::Indexed256), area, &mut buffer);
            let mut bytes = Vec::new();
            encoder.frame(&mut buffer.clone(), &mut bytes);
            terminal.process(&bytes);
            let bytes = String::from_utf8(bytes).expect("text");
            let wrong = wrong(&terminal, &buffer);
            assert!(wrong.is_none(), "{wrong:?} after {key}\n{bytes:?}\nbefore that:\n{last:?}");
            last = bytes;
        }
    }
}
