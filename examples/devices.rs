//! Measures how long writing a trace of device work takes: `cargo run --release --example devices -- FOLDER
//! KERNELS [FORM ...]`. The first run writes the run folder's files of a process with that many kernels and
//! calls. The second, with the same folder, writes their trace in each form (`pb`, or any other for JSON),
//! and prints the time and the peak memory.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a measurement that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

#[path = "../tests/support/spool.rs"]
mod spool;
#[path = "../tests/support/training.rs"]
mod training;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use proftui::capture::cycle;
use proftui::capture::process::Process;
use proftui_trace::export::recording::{write_json, write_protobuf};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("a folder"));
    let kernels: usize = arguments.next().expect("how many kernels").parse().expect("a number");
    let process = folder.join("40-5");
    if !process.exists() {
        let mut spool = spool::Spool::new(&folder, 40);
        training::training(&mut spool, kernels);
        spool.finish();
        println!("made; run it again to write it in a process of its own");
        return;
    }
    let mut process = Process::of(&process).expect("a process's folder");
    process.look().expect("read");
    println!("{:>8.2} MiB before anything was read", memory());
    let started = Instant::now();
    let mut gathered = cycle::collect(&[&process], 1, cycle::Extent::whole(None));
    println!("{:>8.2} MiB {:>8.0} ms gathered", memory(), started.elapsed().as_secs_f64() * 1e3);
    let started = Instant::now();
    gathered.recording.facts = gathered.counts.facts(&gathered.recording);
    for key in ["proftui.version", "System Cpu Utilization", "Process Cpu Utilization"] {
        gathered.recording.facts.push((key.into(), "0.5".into()));
    }
    println!("{:>8.2} MiB {:>8.0} ms facts", memory(), started.elapsed().as_secs_f64() * 1e3);
    for form in arguments {
        let path = folder.join(format!("host_h_time_1.paddle_trace.{form}"));
        let started = Instant::now();
        let mut file = BufWriter::new(File::create(&path).expect("a file"));
        let write = if form == "pb" { write_protobuf } else { write_json };
        write(&gathered.recording, &mut file).expect("written");
        file.flush().expect("written");
        let bytes = std::fs::metadata(&path).expect("there").len();
        let ms = started.elapsed().as_secs_f64() * 1e3;
        println!("{:>8.2} MiB {ms:>8.0} ms {form}, {} MiB", memory(), bytes >> 20);
    }
}

/// Peak resident memory of this process so far, MiB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("a line");
    let kib: f64 = line.split_whitespace().nth(1).expect("a number").parse().expect("a number");
    kib / 1024.0
}
