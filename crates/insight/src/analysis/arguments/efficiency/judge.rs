//! Compares the time of operators' kernels with the least that the device needs for them: the roofline.
//!
//! The least time is the larger one of operations by rate and bytes by bandwidth (Williams, Waterman,
//! Patterson: "Roofline", 2009), with rates that are achievable instead of those of data sheets. Must not
//! know findings.

use rustc_hash::FxHashMap;

use crate::analysis::arguments::peaks::{Element, Peaks};
use crate::analysis::part::work::Device;
use crate::analysis::thresholds::{CACHED, IMPOSSIBLE, JUDGED, KERNEL_START};
use crate::analysis::vocabulary::tensor_cores::uses_tensor_cores;
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{GroupId, SliceId, Trace};

use super::{Counted, Efficiency, Launched, launched, peaks_of};

/// Operators of one name, with inputs of the same shapes and one [`Group::element`], on one kind of device.
#[derive(Clone, Debug)]
pub struct Group {
    /// The operators' name, a number in `Trace::strings`.
    pub name: StrId,
    /// The input shapes of the operators, as text.
    pub shapes: String,
    /// The type of the elements of the operators' first factor or summand.
    pub element: Element,
    /// The time of the operators' compute kernels in the part, added up, ns.
    pub time: Ns,
    /// The least time (ns) that the device needs for the operators, including the start and end of each
    /// kernel.
    pub least: f64,
    /// The least time (ns) that the device needs for the operators, without the start and end of kernels.
    bound: f64,
    /// The operators' compute kernels in the part, each with the group of lanes of its device.
    pub kernels: Vec<(GroupId, SliceId)>,
    /// True where the operators may get more than the peak bandwidth of memory, since their tensors may be in
    /// the device's cache.
    is_cached: bool,
}

impl Group {
    /// The share of what the device can achieve that the operators got: the least time divided by the
    /// kernels' time, at most 1.
    pub fn attained(&self) -> f64 {
        (self.least / self.time.max(1) as f64).min(1.0)
    }
}

/// Why no operator could be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// Each operator of a kind that can be judged has kernels that took too little time, or that the part
    /// cuts.
    Nothing,
    /// Something that is needed is not known or is wrong; the text says what.
    Unknown(String),
}

/// Compares, for each group of operators that can be judged, the time of their kernels on `devices` with the
/// least time that the devices need; the group that attained least comes first.
///
/// # Errors
/// Why nothing can be judged, such as unknown peaks, or an `efficiency` of `None`, which was not read.
pub fn judge(
    trace: &Trace,
    devices: &[Device],
    efficiency: Option<&Efficiency>,
) -> Result<Vec<Group>, Unjudged> {
    let unknown = |why: &str| Err(Unjudged::Unknown(why.into()));
    let has_peaks = |device: &&Device| peaks_of(trace, device.group).is_some();
    if !devices.iter().any(|device| has_peaks(&device)) {
        let mut named = trace.devices.iter().filter(|device| !device.name.is_empty()).peekable();
        if named.peek().is_none() {
            return unknown("the trace does not name its devices, so their peaks are not known");
        }
        return match named.find(|device| Peaks::of(device).is_none()) {
            Some(device) => unknown(&format!("the peaks of {} are not known", device.name)),
            None => unknown("which peaks hold for which device is not known"),
        };
    }
    let all = launched(trace, devices, false);
    if all.is_empty() {
        return unknown("no kernel of this part is known to come from an operator that can be judged");
    }
    let Some(efficiency) = efficiency else {
        return unknown("the shapes of inputs were not read for this table");
    };
    if !efficiency.failure.is_empty() {
        return unknown(&efficiency.failure);
    }
    let mut groups: FxHashMap<(StrId, StrId, Element, *const Peaks), Group> = FxHashMap::default();
    let (mut unshaped, mut untyped) = (0_u64, 0_u64);
    for of_operator in all.chunk_by(|a, b| a.operator == b.operator) {
        let time = sum(of_operator.iter().map(|launched| launched.kernel.dur()));
        let is_cut = |of: &Launched| !of.kernel.begins || trace.slices.end(of.kernel.id) > of.kernel.span.end;
        if time < JUDGED || of_operator.iter().any(is_cut) {
            continue;
        }
        let Some(&counted) = efficiency.operators.get(&of_operator[0].operator) else {
            unshaped += 1;
            continue;
        };
        let Some((least, is_cached)) = least(trace, of_operator, &counted) else {
            untyped += 1;
            continue;
        };
        let name = trace.slices.name[of_operator[0].operator];
        let element = counted.traffic.element;
        let peaks = of_operator[0].peaks.map_or(std::ptr::null(), std::ptr::from_ref);
        let key = (name, counted.shapes, element, peaks);
        let group = groups.entry(key).or_insert_with(|| Group {
            name,
            shapes: efficiency.shapes.text(counted.shapes).to_string(),
            element,
            time: 0,
            least: 0.0,
            bound: 0.0,
            kernels: Vec::new(),
            is_cached,
        });
        group.time = group.time.saturating_add(time);
        group.bound += least;
        group.least += least + KERNEL_START * of_operator.len() as f64;
        group.kernels.extend(of_operator.iter().map(|launched| (launched.group, launched.kernel.id)));
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    if groups.is_empty() {
        return match (unshaped, untyped) {
            (0, 0) => Err(Unjudged::Nothing),
            (0, _) => unknown("how fast the device can run the kernels is not known"),
            _ => unknown(
                "no operator can be judged by the recorded inputs, types and kernels (shapes are recorded \
                 with record_shapes=True, proftui capture --record-shapes)",
            ),
        };
    }
    groups.sort_by(|a, b| {
        a.attained().total_cmp(&b.attained()).then_with(|| (a.name, &a.shapes).cmp(&(b.name, &b.shapes)))
    });
    let share = |group: &Group| group.bound / group.time.max(1) as f64;
    let by_share = |a: &&Group, b: &&Group| share(a).total_cmp(&share(b));
    let highest = groups.iter().filter(|group| !group.is_cached).max_by(by_share);
    if let Some(group) = highest.filter(|group| share(group) > IMPOSSIBLE) {
        let name = trace.string_or(group.name, "(unnamed)");
        let (percent, shapes, element) = (share(group) * 100.0, &group.shapes, group.element.title());
        return unknown(&format!(
            "{name} {shapes} in {element} got {percent:.0} % of the peak that is known: the peak, \
             the time or the counted work is wrong"
        ));
    }
    Ok(groups)
}

/// The least time (ns) that the device needs for the operator of these kernels, and whether its cache may
/// make that shorter; `None` where the rate of the kernels is not known.
pub(super) fn least(trace: &Trace, of_operator: &[Launched], counted: &Counted) -> Option<(f64, bool)> {
    let peaks = of_operator[0].peaks?;
    let longest = of_operator.iter().max_by_key(|launched| launched.kernel.dur())?;
    let name = trace.slices.name[longest.kernel.id];
    let bytes = counted.traffic.bytes as f64;
    let moving = bytes / peaks.bandwidth();
    let computing = match counted.flops {
        0 => 0.0,
        flops => {
            flops as f64 / peaks.rate(counted.traffic.element, on_tensor_cores(trace, name, counted)?)?
        }
    };
    let is_cached = moving > computing && bytes < CACHED * peaks.cache();
    Some((moving.max(computing) * 1e9, is_cached))
}

/// True if a kernel of this name runs at the rate of tensor cores, or its element type has one rate only;
/// `None` where the rate is not known, as for Winograd's algorithm.
fn on_tensor_cores(trace: &Trace, name: StrId, counted: &Counted) -> Option<bool> {
    let bytes = trace.strings.bytes(name);
    let has = |part: &[u8]| memchr::memmem::find(bytes, part).is_some();
    // These algorithms need fewer operations than the formula counts.
    if [&b"winograd"[..], b"Winograd", b"fft", b"strassen"].iter().any(|part| has(part)) {
        return None;
    }
    if counted.traffic.element != Element::F32 {
        return Some(true);
    }
    let is_tensor = has(b"tf32") || has(b"tensorop") || uses_tensor_cores(trace, name);
    let is_simt = has(b"simt") || has(b"sgemm") || has(b"Cijk_") || has(b"gemvN") || has(b"gemv");
    (is_tensor || is_simt).then_some(is_tensor)
}
