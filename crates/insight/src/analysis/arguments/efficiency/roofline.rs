//! What operators compute and move, and how fast: the points of a roofline.
//!
//! Must not know tables.

use rustc_hash::FxHashMap;

use crate::analysis::arguments::peaks::Element;
use crate::analysis::part::work::Device;
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{SliceId, Trace};

use super::judge::least;
use super::{Efficiency, Launched, launched};

/// Operators of one name with inputs of the same shapes and type.
#[derive(Clone, Debug)]
pub struct Point {
    /// The operators' name, a number in `Trace::strings`.
    pub name: StrId,
    /// The input shapes, as text.
    pub shapes: String,
    /// The type of the elements.
    pub element: Element,
    /// How many operators they are.
    pub calls: u64,
    /// The time of their compute kernels in the part, added up, ns.
    pub time: Ns,
    /// Their floating point operations; 0 for sums and products of elements.
    pub flops: u64,
    /// The bytes that they have to read and write at least.
    pub bytes: u64,
    /// The least time that the devices need by their peaks, ns; `None` if peaks or rates are not known.
    pub least: Option<f64>,
    /// The longest of their kernels.
    pub longest: SliceId,
}

/// The points of a part's operators, by time, the longest first. Operators whose kernels the part cuts are
/// left out. An error says why nothing is known.
///
/// # Errors
/// When the inputs could not be read, or no operator has inputs that say what it computes.
pub fn points(trace: &Trace, devices: &[Device], efficiency: &Efficiency) -> Result<Vec<Point>, String> {
    if !efficiency.failure.is_empty() {
        return Err(efficiency.failure.clone());
    }
    let all = launched(trace, devices, true);
    let mut points: FxHashMap<(StrId, StrId, Element), Point> = FxHashMap::default();
    for of_operator in all.chunk_by(|a, b| a.operator == b.operator) {
        let is_cut = |of: &Launched| !of.kernel.begins || trace.slices.end(of.kernel.id) > of.kernel.span.end;
        let Some(&counted) = efficiency.operators.get(&of_operator[0].operator) else { continue };
        let Some(longest) = of_operator.iter().max_by_key(|of| of.kernel.dur()) else { continue };
        if of_operator.iter().any(is_cut) {
            continue;
        }
        let name = trace.slices.name[of_operator[0].operator];
        let element = counted.traffic.element;
        let point = points.entry((name, counted.shapes, element)).or_insert_with(|| Point {
            name,
            shapes: efficiency.shapes.text(counted.shapes).to_string(),
            element,
            calls: 0,
            time: 0,
            flops: 0,
            bytes: 0,
            least: Some(0.0),
            longest: longest.kernel.id,
        });
        point.calls += 1;
        point.time = point.time.saturating_add(sum(of_operator.iter().map(|of| of.kernel.dur())));
        point.flops = point.flops.saturating_add(counted.flops);
        point.bytes = point.bytes.saturating_add(counted.traffic.bytes);
        let more = least(trace, of_operator, &counted).map(|(ns, _)| ns);
        point.least = point.least.zip(more).map(|(all, ns)| all + ns);
        if longest.kernel.dur() > trace.slices.dur[point.longest] {
            point.longest = longest.kernel.id;
        }
    }
    let mut points: Vec<Point> = points.into_values().collect();
    points.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| (a.name, &a.shapes).cmp(&(b.name, &b.shapes))));
    if points.is_empty() {
        return Err("no operator has inputs that say what it computes (shapes are recorded with \
                    record_shapes=True, proftui capture --record-shapes)"
            .into());
    }
    Ok(points)
}
