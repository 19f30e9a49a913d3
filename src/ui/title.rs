//! Draws the title line: the file, its producer, length, number of events and step, and a badge for the
//! trace's quality.

use crate::app::State;
use crate::app::view::geometry::Area;
use crate::app::view::timefmt::step_at;
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;

use super::paint::Painter;
use super::theme::Token;

/// The least number of columns that a long file name gets where facts stand beside the name.
const NAME: usize = 12;

pub(super) fn draw(state: &State, area: Area, painter: &mut Painter<'_>) {
    if area.height == 0 {
        return;
    }
    let trace = &state.session.trace;
    let (badge, token) = badge(state);
    let badge_width = saturate::<u16>(badge.chars().count()).min(area.width);
    let room = area.width.saturating_sub(badge_width + 2);
    let file = trace.title();
    let file = file.rsplit('/').next().unwrap_or(&file);
    let step = match (step_at(trace, state.worker(), state.timeline.cursor()), trace.steps.len()) {
        (Some(step), _) if trace.meta.inferred.is_some() => format!("inferred step {}", step.number),
        (Some(step), _) => match step.serving {
            Some(serving) => format!("step {} {serving}", step.number),
            None => format!("step {}", step.number),
        },
        (None, 0) => String::new(),
        (None, steps) => fmt::counted(steps as u64, "step"),
    };
    // What is left out first where there is no room for all: the last.
    let length = fmt::duration(trace.main_span.len());
    let by_weight = [
        (0, state.source.traces().title().unwrap_or_default()),
        (2, length),
        (4, step),
        (3, fmt::counted(trace.slices.len() as u64, "event")),
        (1, trace.meta.producer.clone()),
    ];
    let name = SafeText::new(file);
    let for_facts = usize::from(room).saturating_sub(NAME.min(name.width()));
    let facts = (1..=by_weight.len()).rev().map(|count| facts(&by_weight[..count]));
    let facts = facts.into_iter().find(|facts| facts.width() <= for_facts).unwrap_or_default();
    // A long file name is cut in the middle, so there is room for the facts behind the name.
    let for_name = usize::from(room).saturating_sub(facts.width());
    let title = painter.theme.text(Token::Title);
    let x = painter.text(area.x, area.y, room, &name.elide_middle(for_name), title);
    painter.text(x, area.y, room.saturating_sub(x), &facts, painter.theme.text(Token::Text));
    let style = painter.theme.text(token);
    painter.str(area.width - badge_width, area.y, badge_width, &badge, style);
}

/// The texts of the facts in the order of their numbers, each after ` · `; empty ones are left out.
fn facts(facts: &[(usize, String)]) -> SafeText<'static> {
    let mut facts: Vec<_> = facts.iter().filter(|(_, fact)| !fact.is_empty()).collect();
    facts.sort_by_key(|(column, _)| *column);
    let texts = facts.iter().flat_map(|(_, fact)| [" · ", fact]);
    SafeText::from(texts.collect::<String>())
}

/// The text and colour of the badge at the end of the title, which reports loading, a changed file, a partial
/// trace, or the quality of the trace.
fn badge(state: &State) -> (String, Token) {
    if let Some(loading) = state.source.loading() {
        let far = match loading.progress.percent() {
            Some(percent) => format!("{percent} %"),
            None => fmt::bytes(saturate::<i64>(loading.progress.read)),
        };
        return (format!("loading {far} "), Token::Warn);
    }
    if state.source.has_changed() {
        return ("file changed on disk ".into(), Token::Warn);
    }
    if state.session.trace.meta.partial.is_some() {
        return ("partly loaded ".into(), Token::Warn);
    }
    let quality = &state.session.trace.quality;
    let (damage, notes) = (quality.damage(), quality.notes());
    match (damage, notes) {
        (0, 0) => ("✓ no damage ".into(), Token::Gain),
        (0, notes) => (fmt::counted(notes, "quality note") + " ", Token::Dim),
        (damage, _) => (format!("{} lost or repaired ", fmt::count(damage)), Token::Damage),
    }
}
