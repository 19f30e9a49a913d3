//! The names of lanes as they stand beside the timeline, and the columns that these take.
//!
//! Must not know colours, or how a name is cut.

use proftui_base::text::SafeText;
use proftui_trace::model::{Lane, LaneId, LaneKind, Trace};

use super::line::{Line, LineKind};
use crate::app::session::roles::Roles;

/// The columns before a lane's name, for the marks of pins and folds.
pub const INDENT: usize = 4;
/// The columns of these before the name of a lane below the heading of its group.
pub const NESTED: usize = 2;
/// The columns after a name for the share of busy time.
pub const SHARE: usize = 5;

/// A lane's name, and what distinguishes the lane from others of its thread or stream, such as `Python`;
/// empty if nothing does.
pub fn lane(trace: &Trace, lane: &Lane) -> (SafeText<'static>, String) {
    let title = trace.lane_title(lane);
    let (name, layer) = match title.rsplit_once(" · ") {
        Some((name, layer)) if !matches!(lane.kind, LaneKind::Async | LaneKind::Counter) => (name, layer),
        _ => (title.as_str(), ""),
    };
    // `thread ` is left out before a thread's own name, but not before a bare number.
    let short = name.strip_prefix("thread ").filter(|name| name.contains(' '));
    (SafeText::new(short.unwrap_or(name)).into_owned(), layer.to_owned())
}

/// A device's name without what says neither which it is nor its model: `GPU 0 H100` of `GPU 0 · NVIDIA H100
/// 80GB HBM3`.
pub fn device(title: &str) -> String {
    let Some((device, model)) = title.split_once(" · ") else { return title.to_owned() };
    let is_left_out = |word: &&str| {
        let is_size =
            word.ends_with("GB") && word.bytes().all(|byte| byte.is_ascii_digit() || b"GB".contains(&byte));
        let is_maker = ["NVIDIA", "AMD", "Instinct", "Tesla", "GeForce", "PCIe"].contains(word);
        is_maker || is_size || word.starts_with("HBM") || word.starts_with("SXM")
    };
    let parts = |word: &str| word.split('-').filter(|part| !is_left_out(part)).collect::<Vec<_>>().join("-");
    let model: Vec<String> = model.split_whitespace().map(parts).filter(|word| !word.is_empty()).collect();
    format!("{device} {}", model.join(" ")).trim_end().to_owned()
}

/// The columns that a line's label usually takes uncut; 0 for idle time and for further rows of a lane.
pub fn width(trace: &Trace, roles: &Roles, line: &Line) -> usize {
    let of_lane = |number: LaneId| {
        let (name, layer) = lane(trace, &trace.lanes[number]);
        if let Some(role) = roles.get(number) {
            return role.len() + 2 + name.width();
        }
        name.width() + if layer.is_empty() { 0 } else { layer.chars().count() + 1 }
    };
    match line.kind {
        LineKind::Group(group) => {
            let title = trace.group_title(&trace.groups[group]);
            2 + SafeText::new(&title).width() + SHARE
        }
        LineKind::Row(lane, _) if line.is_head => {
            // Folded, it says how many rows it hides.
            let folds = if trace.lanes[lane].rows.len() > 1 { " +99".len() } else { 0 };
            INDENT + of_lane(lane) + folds + SHARE
        }
        LineKind::Counter(lane, _) => INDENT + of_lane(lane) + 1 + "999.9 MiB".len(),
        LineKind::Marks(lane) => INDENT + of_lane(lane),
        LineKind::Merged(_) => INDENT + "999 more streams".len(),
        LineKind::More(_) => INDENT + "more lanes +99".len(),
        LineKind::Others => INDENT + "other lanes +99".len(),
        LineKind::Row(..) | LineKind::Idle(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::device;

    #[test]
    fn a_devices_label_has_its_number_and_model() {
        assert_eq!(device("GPU 0 · NVIDIA H100 80GB HBM3"), "GPU 0 H100");
        assert_eq!(device("GPU 2 · AMD Instinct MI300X"), "GPU 2 MI300X");
        assert_eq!(device("GPU 1 · NVIDIA A100-SXM4-40GB"), "GPU 1 A100");
        assert_eq!(device("GPU 3"), "GPU 3");
        assert_eq!(device("GPU 0 · NVIDIA"), "GPU 0");
    }
}
