//! Devices with next to no work: they are named, and are in no average and no finding of others.
//!
//! Must not know rules.

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{Category, GroupId, Trace};

use crate::analysis::ledger::{DeviceLedger, DeviceSums};
use crate::analysis::part::Part;
use crate::analysis::thresholds::USED;

/// An unused device has fewer than one in so many of the pieces of work of the device that has most.
const FEW: usize = 20;

/// A device that has next to no work in a part of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// The device's group, an index into `Trace::groups`.
    pub group: GroupId,
    /// The device's title without its model, such as `GPU 1`.
    pub title: String,
    /// The time in which the device has work in the part, ns.
    pub work: Ns,
    /// How many kernels, copies and memsets it has in the part.
    pub counts: [usize; 3],
}

/// A device with the sums of its time in a part.
type Summed<'a> = (&'a DeviceLedger, DeviceSums);

/// Divides the devices of a part into those that are used and those with next to no work beside another one.
pub(super) fn split<'a>(part: &Part<'_>, devices: Vec<Summed<'a>>) -> (Vec<Summed<'a>>, Vec<Unused>) {
    let Some(busiest) = devices.iter().max_by_key(|(_, sums)| sums.work) else {
        return (devices, Vec::new());
    };
    let least = saturate::<Ns>(busiest.1.work as f64 * USED);
    if devices.iter().all(|(_, sums)| sums.work >= least) {
        return (devices, Vec::new());
    }
    let most: usize = counts(part, busiest.0).iter().sum();
    let (mut used, mut unused) = (Vec::new(), Vec::new());
    for (device, sums) in devices {
        let few = Some(device).filter(|_| sums.work < least).map(|device| counts(part, device));
        match few.filter(|counts| counts.iter().sum::<usize>() * FEW < most) {
            Some(counts) => {
                let title = title(part.trace(), device.group);
                unused.push(Unused { group: device.group, title, work: sums.work, counts });
            }
            None => used.push((device, sums)),
        }
    }
    (used, unused)
}

/// The title of a device without its model: `GPU 1`.
pub(super) fn title(trace: &Trace, group: GroupId) -> String {
    trace.device_title(&trace.groups[group]).0
}

/// How many kernels, copies and memsets of a device are in the part.
fn counts(part: &Part<'_>, device: &DeviceLedger) -> [usize; 3] {
    let mut counts = [0; 3];
    let slices = &part.trace().slices;
    for piece in device.lanes.iter().flat_map(|&lane| part.pieces(lane)) {
        let kind = [Category::Kernel, Category::Memcpy, Category::Memset]
            .iter()
            .position(|kind| *kind == slices.category(piece.id));
        kind.into_iter().for_each(|kind| counts[kind] += 1);
    }
    counts
}

impl Unused {
    /// The device in words: `GPU 1 is not used (2 memsets, 3.000 µs).`
    fn sentence(&self) -> String {
        let [kernels, copies, memsets] = self.counts.map(|count| count as u64);
        let copied = if copies == 1 { "1 copy".to_owned() } else { format!("{} copies", fmt::count(copies)) };
        let parts = [
            (kernels, fmt::counted(kernels, "kernel")),
            (copies, copied),
            (memsets, fmt::counted(memsets, "memset")),
        ];
        let mut parts: Vec<String> =
            parts.into_iter().filter(|&(count, _)| count > 0).map(|(_, text)| text).collect();
        parts.push(fmt::duration(self.work));
        format!("{} is not used ({}).", self.title, parts.join(", "))
    }
}

/// A sentence on the unused devices: on several, how many they are, and their work; `None` without any.
pub(super) fn sentence(unused: &[Unused]) -> Option<String> {
    match unused {
        [] => None,
        [device] => Some(device.sentence()),
        devices => {
            let work = sum(devices.iter().map(|device| device.work));
            Some(format!("{} devices are not used ({} of work in all).", devices.len(), fmt::duration(work)))
        }
    }
}

#[cfg(test)]
mod tests {
    use proftui_trace::import::{Progress, Request, load_bytes};

    use crate::analysis::Scope;
    use crate::analysis::arguments::Arguments;
    use crate::analysis::insights::insights;

    /// The verdict on kernels of GPU 0, and on what `other` has on GPU 1: the name of each, its start and
    /// its length, µs.
    fn verdict(other: &[(&str, u32, u32)]) -> String {
        let event = |device: u32, name: &str, start: u32, dur: u32| {
            let cat = if name.starts_with("Memset") { "gpu_memset" } else { "kernel" };
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{device},"tid":7,"ts":{start},"dur":{dur},"args":{{"device":{device},"stream":7}}}}"#
            )
        };
        let used = (0..400).map(|at| event(0, "k", at * 100, 99));
        let other = other.iter().map(|&(name, start, dur)| event(1, name, start, dur));
        let text = format!("[{}]", used.chain(other).collect::<Vec<_>>().join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        insights(&loaded.trace, &Scope::default(), &Arguments::default()).verdict()
    }

    #[test]
    fn a_device_with_two_memsets_is_not_used() {
        let unused = verdict(&[("Memset (Device)", 10, 2), ("Memset (Device)", 40_000, 1)]);
        assert!(
            unused.starts_with("GPU 0 99 % busy of 40.00 ms. GPU 1 is not used (2 memsets, 3.000 µs)."),
            "{unused}"
        );
        assert!(verdict(&[]) == "GPU 99 % busy of 40.00 ms. No finding of 5 % or more.", "{}", verdict(&[]));
        let used = verdict(&[("k", 0, 20_000), ("k", 20_000, 20_000)]);
        assert!(used.starts_with("2 GPUs"), "few kernels may be long: {used}");
    }
}
