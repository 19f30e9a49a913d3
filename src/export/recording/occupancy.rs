//! How well a launch fills a device's multiprocessors: CUDA's occupancy calculator, by what is known of kernel and device.
//!
//! The rules are those of `cuda_occupancy.h` in the CUDA toolkit (`cudaOccMaxActiveBlocksPerMultiprocessor`), with the units in which
//! registers and shared memory are given out by compute capability ("Technical Specifications per Compute Capability" in the CUDA C++
//! Programming Guide). How an L1 cache is split is not known, so all of a multiprocessor's shared memory counts as there to be had.

use super::device::{Device, Launch};

/// Registers are given to warps in units of so many.
const REGISTER_UNIT: u64 = 256;
/// Most registers of a thread.
const MOST_REGISTERS: u64 = 255;

/// How a launch fills its device, in Paddle's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Occupancy {
    /// Blocks of the grid for each multiprocessor.
    pub blocks_per_sm: f64,
    /// Their warps.
    pub warps_per_sm: f64,
    /// Most warps that are there at a time, of those that could be: what the calculator gives, or less where the grid has fewer
    /// blocks. 0 to 1.
    pub share: f64,
}

impl Occupancy {
    /// Of a launch on a device; none where the device's limits are not known, or the launch is none that it could run.
    pub fn of(launch: &Launch, device: &Device) -> Option<Self> {
        let product = |three: [u32; 3]| three.iter().map(|&n| f64::from(n)).product::<f64>();
        let threads = launch.block.iter().fold(1_u64, |all, &n| all.saturating_mul(n.into()));
        let (processors, warp, most) = (device.processors, u64::from(device.warp), u64::from(device.warps));
        if processors == 0 || warp == 0 || most == 0 || threads == 0 {
            return None;
        }
        let blocks_per_sm = product(launch.grid) / f64::from(processors);
        let warps_of_block = threads.div_ceil(warp);
        // It did run: where the rules say that it cannot, what is known is not all.
        let most_active = active_blocks(launch, device, warps_of_block);
        if most_active == 0 {
            return None;
        }
        let active = (most_active as f64).min(blocks_per_sm);
        Some(Self {
            blocks_per_sm,
            warps_per_sm: blocks_per_sm * threads as f64 / warp as f64,
            share: active * threads as f64 / (most * warp) as f64,
        })
    }
}

/// Most blocks that a multiprocessor holds at a time. A limit that is not told does not bind.
pub fn active_blocks(launch: &Launch, device: &Device, warps_of_block: u64) -> u64 {
    let told = |limit: u32| Some(u64::from(limit)).filter(|&limit| limit > 0);
    let threads = launch.block.iter().fold(1_u64, |all, &n| all.saturating_mul(n.into()));
    if told(device.block_threads).is_some_and(|most| threads > most) || warps_of_block == 0 {
        return 0;
    }
    let by_warps = u64::from(device.warps) / warps_of_block;
    if by_warps == 0 {
        return 0;
    }
    let by_blocks = told(device.blocks).unwrap_or(u64::MAX);
    by_warps.min(by_blocks).min(by_registers(launch, device, warps_of_block)).min(by_shared(launch, device))
}

/// Each warp has its registers from one of the multiprocessor's partitions.
fn by_registers(launch: &Launch, device: &Device, warps_of_block: u64) -> u64 {
    let (registers, most) = (u64::from(launch.registers), u64::from(device.registers));
    if registers == 0 || most == 0 {
        return u64::MAX;
    }
    if registers > MOST_REGISTERS {
        return 0;
    }
    let partitions = if device.capability == (6, 0) { 2 } else { 4 };
    let of_warp = (registers * u64::from(device.warp)).next_multiple_of(REGISTER_UNIT);
    let of_block = of_warp.saturating_mul(warps_of_block.next_multiple_of(partitions));
    let most_of_block = Some(u64::from(device.block_registers)).filter(|&most| most > 0).unwrap_or(most);
    if of_block > most_of_block.min(most) {
        return 0;
    }
    most / partitions / of_warp * partitions / warps_of_block
}

/// From compute capability 8 on each block costs a KiB more than it asked for.
fn by_shared(launch: &Launch, device: &Device) -> u64 {
    let (unit, reserved) = if device.capability.0 >= 8 { (128, 1024) } else { (256, 0) };
    let asked = u64::from(launch.static_shared) + u64::from(launch.dynamic_shared) + reserved;
    match (asked.next_multiple_of(unit), u64::from(device.shared)) {
        (0, _) | (_, 0) => u64::MAX,
        (of_block, most) => most / of_block,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An H100's limits.
    fn hopper() -> Device {
        Device {
            processors: 132,
            capability: (9, 0),
            warp: 32,
            warps: 64,
            blocks: 32,
            registers: 65536,
            shared: 233_472,
            block_threads: 1024,
            block_registers: 65536,
            ..Device::default()
        }
    }

    fn launch(threads: u32, registers: u32, shared: u32) -> Launch {
        Launch {
            grid: [132 * 64, 1, 1],
            block: [threads, 1, 1],
            registers,
            dynamic_shared: shared,
            ..Launch::default()
        }
    }

    fn blocks(threads: u32, registers: u32, shared: u32) -> u64 {
        active_blocks(&launch(threads, registers, shared), &hopper(), u64::from(threads.div_ceil(32)))
    }

    /// Expected numbers by hand from the calculator's rules.
    #[test]
    fn each_limit_binds_in_its_turn() {
        assert_eq!(blocks(128, 16, 0), 16, "64 warps of 4 each");
        assert_eq!(blocks(32, 16, 0), 32, "no more blocks than there may be");
        assert_eq!(blocks(256, 128, 0), 2, "4 warps a partition at 4096 registers each");
        assert_eq!(blocks(256, 168, 0), 1, "3 warps a partition at 5376 registers each");
        assert_eq!(blocks(128, 16, 100 << 10), 2, "228 KiB of 101 KiB each");
        assert_eq!(blocks(1024, 128, 0), 0, "twice the registers of a block");
        assert_eq!(blocks(2048, 16, 0), 0, "more threads than a block may have");
    }

    #[test]
    fn a_small_grid_fills_less_than_the_calculator_says() {
        let of = |grid: u32| {
            let launch = Launch { grid: [grid, 1, 1], ..launch(256, 32, 0) };
            Occupancy::of(&launch, &hopper()).expect("known limits")
        };
        assert!((of(132 * 8).share - 1.0).abs() < 1e-12);
        let half = of(66);
        assert!((half.blocks_per_sm - 0.5).abs() < 1e-12 && (half.warps_per_sm - 4.0).abs() < 1e-12);
        assert!((half.share - 0.5 * 256.0 / 2048.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_known_gives_nothing() {
        assert_eq!(Occupancy::of(&launch(32, 8, 0), &Device::default()), None);
        assert_eq!(Occupancy::of(&Launch::default(), &hopper()), None);
        assert_eq!(Occupancy::of(&launch(1024, 128, 0), &hopper()), None, "it could not have run");
        let any =
            Launch { grid: [u32::MAX; 3], block: [u32::MAX; 3], registers: u32::MAX, ..launch(1, 1, 0) };
        assert_eq!(Occupancy::of(&any, &hopper()), None);
        let odd = Device { block_threads: 0, warp: 1, ..hopper() };
        assert_eq!(Occupancy::of(&Launch { registers: 255, ..any }, &odd), None);
    }
}
