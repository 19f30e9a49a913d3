//! Decodes records made by hand, in the lengths that the versions of CUPTI write.

mod replay;

use proptest::prelude::*;

use super::*;

const ALL: CaptureInterval =
    CaptureInterval { cycle: 1, start: 0, end: u64::MAX, device_end: u64::MAX, clock_offset: 0 };
const LONG: u64 = 1 << 40;

/// A source of names without texts: the index for an address is the address itself, for a function its
/// number, plus 1 for the driver's; calls of function 9 are not kept.
struct Echo;

impl Names for Echo {
    fn at(&mut self, address: u64) -> u32 {
        address as u32
    }

    fn function(&mut self, is_driver: bool, number: u32) -> Option<u32> {
        (number != 9).then_some(number + u32::from(is_driver))
    }
}

/// Makes a record of a kind and a length in bytes, with these numbers at these byte offsets and zeros
/// elsewhere.
fn record(kind: u32, bytes: usize, numbers: &[(usize, u64)]) -> Vec<u8> {
    let mut record = vec![0; bytes];
    record[..4].copy_from_slice(&kind.to_ne_bytes());
    for &(at, number) in numbers {
        let wide = number.to_ne_bytes();
        let narrow = if number > u64::from(u32::MAX) { &wide[..] } else { &wide[..4] };
        record[at..at + narrow.len()].copy_from_slice(narrow);
    }
    record
}

#[test]
fn a_kernel_in_every_length() {
    for bytes in [200, 208, 216, 224, 248] {
        let times = [(16, LONG), (24, LONG + 9), (120, LONG + 1), (128, LONG + 2)];
        let launch_config =
            [(52, 10), (56, 11), (60, 12), (64, 13), (68, 14), (72, 15), (76, 16), (80, 17), (84, 18)];
        let ids =
            [(40, 1), (44, 2), (48, 7), (92, 19), (104, LONG + 77), (144, LONG + 3), (156, 20), (168, 21)];
        let fields = [&times[..], &launch_config, &ids].concat();
        let mut kernel = record(kind::CONCURRENT_KERNEL, bytes, &fields);
        kernel[6..8].copy_from_slice(&300_u16.to_ne_bytes());
        kernel[136] = 1;
        assert_eq!(classify(&kernel), Class::DeviceWork(LONG));
        let expected = Kernel {
            name: 77,
            start: LONG,
            end: LONG + 9,
            queued: LONG + 1,
            submitted: LONG + 2,
            device: 1,
            context: 2,
            stream: 7,
            correlation: 19,
            grid: [10, 11, 12],
            block: [13, 14, 15],
            static_shared: 16,
            dynamic_shared: 17,
            registers: 300,
            local: 18,
            graph_node: LONG + 3,
            graph: 20,
            channel: 21,
            launch: 1,
        };
        assert_eq!(read(&kernel, 18, &ALL, &mut Echo), Some(Record::Kernel(expected)));
    }
}

#[test]
fn calls_have_names_and_some_are_not_kept() {
    let fields = [(4, 211), (8, LONG), (16, LONG + 5), (28, 44), (32, 55), (36, 2)];
    let call =
        Api { name: 211, start: LONG, end: LONG + 5, tid: 44, correlation: 55, returned: 2, function: 211 };
    let of = |kind, fields: &[(usize, u64)]| read(&record(kind, 40, fields), 18, &ALL, &mut Echo);
    assert_eq!(of(kind::RUNTIME, &fields), Some(Record::Api(call)));
    let call = Api { name: 212, function: Api::DRIVER + 211, ..call };
    assert_eq!(of(kind::DRIVER, &fields), Some(Record::Api(call)));
    assert!(call.is_driver());
    assert_eq!(of(kind::RUNTIME, &[(4, 9)]), None);
}

#[test]
fn copies_count_what_they_stand_for_from_the_version_on_that_states_it() {
    let mut copy = record(kind::MEMCPY, 112, &[(8, 64), (16, LONG), (24, LONG + 1), (44, 5), (88, 3)]);
    copy[4..8].copy_from_slice(&[1, 2, 3, 1]);
    let of = |version| match read(&copy, version, &ALL, &mut Echo) {
        Some(Record::Memcpy(copy)) => copy,
        other => panic!("{other:?}"),
    };
    let copied = of(26);
    assert_eq!((copied.kind(), copied.memories(), copied.is_async()), (1, (2, 3), true));
    assert_eq!((copied.copies, copied.bytes, copied.correlation), (3, 64, 5));
    assert_eq!(of(24).copies, 1, "what stands there is the next record's");
}

#[test]
fn copies_between_devices_have_both() {
    let peer = record(kind::MEMCPY2, 96, &[(16, LONG), (32, 0), (44, 1), (52, 2), (60, 8), (80, 4)]);
    let Some(Record::Memcpy(copy)) = read(&peer, 18, &ALL, &mut Echo) else { panic!("a copy") };
    assert_eq!((copy.source, copy.destination, copy.correlation, copy.graph), (1, 2, 8, 4));
}

#[test]
fn memsets_are_read() {
    let mut set = record(kind::MEMSET, 88, &[(4, 7), (8, 32), (16, LONG), (44, 6)]);
    set[48..52].copy_from_slice(&[1, 0, 3, 0]);
    let Some(Record::Memset(set)) = read(&set, 18, &ALL, &mut Echo) else { panic!("a set") };
    assert_eq!((set.memory(), set.is_async(), set.value, set.bytes, set.correlation), (3, true, 7, 32, 6));
}

#[test]
fn overheads_have_a_thread_if_they_are_of_one() {
    let fields = [(4, 1), (8, 2), (12, 70), (16, 71), (24, LONG), (32, LONG + 2), (40, 9)];
    let overhead = record(kind::OVERHEAD, 56, &fields);
    assert_eq!(classify(&overhead), Class::HostEvent(LONG));
    let expected = Overhead { kind: 1, start: LONG, end: LONG + 2, tid: 71, correlation: 9 };
    assert_eq!(read(&overhead, 22, &ALL, &mut Echo), Some(Record::Overhead(expected)));
    let expected = Overhead { correlation: 0, ..expected };
    assert_eq!(read(&overhead, 18, &ALL, &mut Echo), Some(Record::Overhead(expected)));
}

#[test]
fn a_device_has_its_limits() {
    let limits = [(32, 32), (44, 132), (52, 64), (56, 32), (60, 233_472), (64, 65536), (76, 1024)];
    let others = [(16, LONG), (104, 9), (112, 1), (120, 0xabcd), (136, LONG + 5)];
    let device = record(kind::DEVICE, 176, &[&limits[..], &others].concat());
    assert_eq!(classify(&device), Class::Description);
    let Some(Record::Device(device)) = read(&device, 18, &ALL, &mut Echo) else { panic!("a device") };
    assert_eq!((device.id, device.name, device.processors, device.major), (1, 5, 132, 9));
    assert_eq!((device.warp, device.warps, device.blocks, device.shared), (32, 64, 32, 233_472));
    assert_eq!((device.registers, device.block_threads, device.uuid[0]), (65536, 1024, 0xabcd));
    assert_eq!(device.memory, LONG);
}

#[test]
fn times_are_on_our_clock() {
    let interval = CaptureInterval { clock_offset: 1000, ..ALL };
    let kernel = record(kind::CONCURRENT_KERNEL, 200, &[(16, LONG), (24, LONG + 9)]);
    let Some(Record::Kernel(kernel)) = read(&kernel, 18, &interval, &mut Echo) else { panic!("a kernel") };
    assert_eq!((kernel.start, kernel.end, kernel.queued), (LONG - 1000, LONG - 991, 0), "0 is not known");
}

proptest! {
    #[test]
    fn any_bytes_are_read(
        bytes in prop::collection::vec(any::<u8>(), 4..300),
        kind in 0_u32..60,
        version in any::<u32>(),
    ) {
        let mut bytes = bytes;
        bytes[..4].copy_from_slice(&kind.to_ne_bytes());
        let is_known = classify(&bytes) != Class::Unknown;
        prop_assert!(is_known || read(&bytes, version, &ALL, &mut Echo).is_none());
    }
}
