//! A binary profile of the old profiler, made by hand.

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn number(field: u8, value: u64, out: &mut Vec<u8>) {
    out.push(field << 3);
    varint(value, out);
}

fn bytes(field: u8, value: &[u8], out: &mut Vec<u8>) {
    out.push(field << 3 | 2);
    varint(value.len() as u64, out);
    out.extend(value);
}

/// One operator in thread 7 with its instance, two inner parts and a copy within one.
pub fn one_operator() -> Vec<u8> {
    let mut out = Vec::new();
    for (path, start, end) in [
        ("sgd", 1_000, 9_000),
        ("sgd/sgd0", 1_100, 8_900),
        ("sgd/sgd0/infer_shape", 1_200, 1_300),
        ("sgd/sgd0/compute", 1_400, 8_000),
        ("sgd/sgd0/compute/GpuMemcpySync:CPU->GPU", 2_000, 3_000),
    ] {
        let mut event = Vec::new();
        bytes(1, path.as_bytes(), &mut event);
        number(2, 1_700_000_000_000_000_000 + start, &mut event);
        number(3, 1_700_000_000_000_000_000 + end, &mut event);
        number(5, 0, &mut event);
        number(6, 7, &mut event);
        number(8, 0, &mut event);
        bytes(1, &event, &mut out);
    }
    number(2, 0, &mut out);
    number(3, 0, &mut out);
    out
}
