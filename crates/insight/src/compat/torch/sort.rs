//! Sorting of rows by torch's sort keys.

use super::average::{Average, Averages};

/// torch's names of the keys by which [`Averages::sort`] sorts.
pub const SORT_KEYS: [&str; 12] = [
    "cpu_time",
    "cpu_time_total",
    "self_cpu_time_total",
    "device_time",
    "device_time_total",
    "self_device_time_total",
    "cpu_memory_usage",
    "self_cpu_memory_usage",
    "device_memory_usage",
    "self_device_memory_usage",
    "count",
    "flops",
];

impl Averages {
    /// Sorts the rows by a key such as one of [`SORT_KEYS`], the largest value first. Returns false if the
    /// key is not known.
    pub fn sort(&mut self, key: &str) -> bool {
        let key = key.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device");
        let by: fn(&Average) -> f64 = match key.as_str() {
            "cpu_time" => Average::cpu_time,
            "cpu_time_total" => |row| row.cpu_total,
            "self_cpu_time_total" => |row| row.self_cpu,
            "device_time" => Average::device_time,
            "device_time_total" => |row| row.device_total,
            "self_device_time_total" => |row| row.self_device,
            "cpu_memory_usage" => |row| row.cpu_memory as f64,
            "self_cpu_memory_usage" => |row| row.self_cpu_memory as f64,
            "device_memory_usage" => |row| row.device_memory as f64,
            "self_device_memory_usage" => |row| row.self_device_memory as f64,
            "count" => |row| row.count as f64,
            "flops" => |row| row.flops as f64,
            _ => return false,
        };
        self.rows.sort_by(|a, b| by(b).partial_cmp(&by(a)).unwrap_or(std::cmp::Ordering::Equal));
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::compat::torch::Rules;

    use super::*;

    #[test]
    fn every_key_is_known_and_ties_stay() {
        let row = |name: &str, count| Average { name: name.to_owned().into(), count, ..Average::default() };
        let rows = vec![row("a", 1), row("b", 2), row("c", 1)];
        let (has_memory, has_flops, unread, is_coarse) = (false, false, 0, false);
        let mut averages = Averages {
            rows,
            rules: Rules::default(),
            device: None,
            has_memory,
            has_flops,
            unread,
            is_coarse,
        };
        assert!(SORT_KEYS.iter().all(|key| averages.sort(key)));
        assert!(averages.sort("self_cuda_time_total") && !averages.sort("nothing"));
        averages.sort("count");
        assert_eq!(averages.rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["b", "a", "c"]);
    }
}
