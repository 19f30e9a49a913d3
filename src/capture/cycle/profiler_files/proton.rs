//! What Triton's proton writes otherwise than PyTorch: a kernel has no numbers but that of its lane.

/// The name by which a process reports proton.
pub(super) const PROFILER: &str = "triton.profiler";

/// Number of the lane of stream 0 on device 0, as newer versions of proton write it.
const STREAMS: u32 = 200_000;
/// How many numbers of lanes each device has.
const DEVICE: u32 = 1_000_000;

/// Device and stream of the lane with this number in a file that proton wrote.
pub(super) fn stream(lane: u32) -> (u32, u32) {
    lane.checked_sub(STREAMS).map_or((0, lane), |lane| (lane / DEVICE, lane % DEVICE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_a_device_and_a_stream() {
        assert_eq!([7, 200_007, 1_200_013].map(stream), [(0, 7), (0, 7), (1, 13)]);
    }
}
