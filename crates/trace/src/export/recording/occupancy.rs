//! Theoretical occupancy of a kernel launch, from its launch configuration and the limits of its device.
//!
//! The rules are those of `cuda_occupancy.h` in the CUDA toolkit (`cudaOccMaxActiveBlocksPerMultiprocessor`),
//! with the allocation granularities of registers and shared memory by compute capability ("Technical
//! Specifications per Compute Capability" in the CUDA C++ Programming Guide). The L1 cache's share of shared
//! memory is not known, so all of it counts as available.

use super::device::{Device, LaunchConfig, Occupancy};

/// Register allocation granularity: registers per warp are rounded up to a multiple of this.
const REGISTER_UNIT: u64 = 256;
/// Most registers that a thread can have.
const MOST_REGISTERS: u64 = 255;

/// Computes the theoretical occupancy of a launch on a device; `None` where numbers needed for it are 0, or
/// the known limits exclude the launch.
pub fn occupancy(launch: &LaunchConfig, device: &Device) -> Option<Occupancy> {
    let product = |three: [u32; 3]| three.iter().map(|&n| f64::from(n)).product::<f64>();
    let threads = launch.block.iter().fold(1_u64, |all, &n| all.saturating_mul(n.into()));
    let (processors, warp, most) = (device.processors, u64::from(device.warp), u64::from(device.warps));
    if processors == 0 || warp == 0 || most == 0 || threads == 0 {
        return None;
    }
    let blocks_per_sm = product(launch.grid) / f64::from(processors);
    let warps_of_block = threads.div_ceil(warp);
    // The kernel did run: where the rules exclude it, some limit is not known correctly.
    let most_active = active_blocks(launch, device, warps_of_block);
    if most_active == 0 {
        return None;
    }
    let active = (most_active as f64).min(blocks_per_sm);
    Some(Occupancy {
        blocks_per_sm,
        warps_per_sm: blocks_per_sm * threads as f64 / warp as f64,
        share: active * threads as f64 / (most * warp) as f64,
    })
}

/// Most blocks of a launch that can be resident on one multiprocessor; 0 where the known limits exclude the
/// launch. `warps_of_block` is the number of warps in a block.
pub(crate) fn active_blocks(launch: &LaunchConfig, device: &Device, warps_of_block: u64) -> u64 {
    let known = |limit: u32| Some(u64::from(limit)).filter(|&limit| limit > 0);
    let threads = launch.block.iter().fold(1_u64, |all, &n| all.saturating_mul(n.into()));
    if known(device.block_threads).is_some_and(|most| threads > most) || warps_of_block == 0 {
        return 0;
    }
    let by_warps = u64::from(device.warps) / warps_of_block;
    if by_warps == 0 {
        return 0;
    }
    let by_blocks = known(device.blocks).unwrap_or(u64::MAX);
    by_warps.min(by_blocks).min(by_registers(launch, device, warps_of_block)).min(by_shared(launch, device))
}

/// Most blocks that can be resident on one multiprocessor by their registers; `u64::MAX` where the registers
/// of the launch or of the multiprocessor are not known.
fn by_registers(launch: &LaunchConfig, device: &Device, warps_of_block: u64) -> u64 {
    let (registers, most) = (u64::from(launch.registers), u64::from(device.registers));
    if registers == 0 || most == 0 {
        return u64::MAX;
    }
    if registers > MOST_REGISTERS {
        return 0;
    }
    // A multiprocessor has 2 or 4 partitions, and a warp takes all of its registers from one of them.
    let partitions = if device.capability == (6, 0) { 2 } else { 4 };
    let of_warp = (registers * u64::from(device.warp)).next_multiple_of(REGISTER_UNIT);
    let of_block = of_warp.saturating_mul(warps_of_block.next_multiple_of(partitions));
    let most_of_block = Some(u64::from(device.block_registers)).filter(|&most| most > 0).unwrap_or(most);
    if of_block > most_of_block.min(most) {
        return 0;
    }
    most / partitions / of_warp * partitions / warps_of_block
}

/// Most blocks that can be resident on one multiprocessor by their shared memory; `u64::MAX` where they take
/// none or the multiprocessor's is not known.
fn by_shared(launch: &LaunchConfig, device: &Device) -> u64 {
    // From compute capability 8 on, each block takes 1 KiB beyond its request.
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

    /// The limits of an H100.
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

    fn launch(threads: u32, registers: u32, shared: u32) -> LaunchConfig {
        LaunchConfig {
            grid: [132 * 64, 1, 1],
            block: [threads, 1, 1],
            registers,
            dynamic_shared: shared,
            ..LaunchConfig::default()
        }
    }

    fn blocks(threads: u32, registers: u32, shared: u32) -> u64 {
        active_blocks(&launch(threads, registers, shared), &hopper(), u64::from(threads.div_ceil(32)))
    }

    /// The expected numbers are computed by hand from the calculator's rules.
    #[test]
    fn each_limit_binds() {
        assert_eq!(blocks(128, 16, 0), 16, "64 warps of 4 each");
        assert_eq!(blocks(32, 16, 0), 32, "no more blocks than there may be");
        assert_eq!(blocks(256, 128, 0), 2, "4 warps per partition at 4096 registers each");
        assert_eq!(blocks(256, 168, 0), 1, "3 warps per partition at 5376 registers each");
        assert_eq!(blocks(128, 16, 100 << 10), 2, "228 KiB of 101 KiB each");
        assert_eq!(blocks(1024, 128, 0), 0, "twice the registers of a block");
        assert_eq!(blocks(2048, 16, 0), 0, "more threads than a block may have");
    }

    #[test]
    fn a_small_grid_fills_less_than_the_calculator_says() {
        let of = |grid: u32| {
            let launch = LaunchConfig { grid: [grid, 1, 1], ..launch(256, 32, 0) };
            occupancy(&launch, &hopper()).expect("known limits")
        };
        assert!((of(132 * 8).share - 1.0).abs() < 1e-12);
        let half = of(66);
        assert!((half.blocks_per_sm - 0.5).abs() < 1e-12 && (half.warps_per_sm - 4.0).abs() < 1e-12);
        assert!((half.share - 0.5 * 256.0 / 2048.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_known_gives_nothing() {
        assert_eq!(occupancy(&launch(32, 8, 0), &Device::default()), None);
        assert_eq!(occupancy(&LaunchConfig::default(), &hopper()), None);
        assert_eq!(occupancy(&launch(1024, 128, 0), &hopper()), None, "it could not have run");
        let any = LaunchConfig {
            grid: [u32::MAX; 3],
            block: [u32::MAX; 3],
            registers: u32::MAX,
            ..launch(1, 1, 0)
        };
        assert_eq!(occupancy(&any, &hopper()), None);
        let odd = Device { block_threads: 0, warp: 1, ..hopper() };
        assert_eq!(occupancy(&LaunchConfig { registers: 255, ..any }, &odd), None);
    }
}
