//! Loads the CUDA driver and CUPTI and reports on them. Runs in a process of its own, since they may hang or
//! crash.

#![allow(
    unsafe_code,
    reason = "loads and calls libraries of the driver, the only way to see whether they work"
)]

use std::ffi::{c_int, c_void};
use std::fmt::Display;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use cudarc::cupti::sys::CUpti_ActivityKind;
use cudarc::driver::{result, sys};
use libloading::Library;
use proftui_base::saturate::saturate;
use proftui_wire::device::answer::{COMPILER, MISSING};
use proftui_wire::device::search::{DRIVER, OLDEST};

/// How long one test process may take to load copies of CUPTI and to try the first that loads.
const PATIENCE: Duration = Duration::from_secs(10);

/// Kinds of records besides kernels that the probe tries to enable, with their names in messages.
const OTHERS: [(&str, CUpti_ActivityKind); 9] = [
    ("runtime calls", CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_RUNTIME),
    ("driver calls", CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_DRIVER),
    ("copies", CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_MEMCPY),
    ("copies between devices", CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_MEMCPY2),
    ("memsets", CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_MEMSET),
    ("CUPTI's overhead", CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_OVERHEAD),
    ("memory allocations", CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_MEMORY2),
    ("synchronizations", CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_SYNCHRONIZATION),
    ("CUDA events", CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_CUDA_EVENT),
];
/// `CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM`: records have the operating system's thread ids.
const SYSTEM_THREADS: u32 = 1;

/// The type of `cuptiGetVersion`: writes the version to the address that it is given; returns 0 on success,
/// else an error code.
type Number = unsafe extern "C" fn(*mut c_int) -> c_int;
/// The type of `cuptiSubscribe`: subscribes a callback with a datum, and writes the subscription's handle to
/// the address. Returns 0 on success, else an error code.
type Subscribe = unsafe extern "C" fn(*mut *mut c_void, Callback, *mut c_void) -> u32;
/// The type of the callback of a subscription, `CUpti_CallbackFunc`.
type Callback = extern "C" fn(*mut c_void, u32, u32, *const c_void);
/// The type of `cuptiActivityEnable` and `cuptiSetThreadIdType`, which return 0 on success, else an error
/// code.
type Enable = unsafe extern "C" fn(u32) -> u32;

/// Reports on the CUDA driver and, if that can be loaded, on the copies of CUPTI in `cupti` up to the first
/// that can be, by lines of `key=value`. May end the process instead of returning.
///
/// # Errors
/// If writing fails.
pub fn report(mut out: impl Write, has_devices: bool, cupti: &[PathBuf]) -> io::Result<()> {
    if let Err(why) = load(Path::new(DRIVER)) {
        return line(&mut out, "no_driver", why);
    }
    line(&mut out, "driver", version())?;
    if has_devices {
        match devices() {
            Ok(devices) => line(&mut out, "devices", devices)?,
            Err(why) => line(&mut out, "no_devices", why)?,
        }
    }
    if cupti.is_empty() {
        return Ok(());
    }
    out.flush()?;
    thread::spawn(|| {
        thread::sleep(PATIENCE);
        let mut out = io::stdout();
        // If nobody reads it, there is nothing more to do.
        let _ = line(&mut out, "hung", 1).and_then(|()| out.flush());
        signal_hook::low_level::exit(1);
    });
    for (which, path) in cupti.iter().enumerate() {
        line(&mut out, "trying", which)?;
        out.flush()?;
        match load(path) {
            Err(why) => line(&mut out, "no_cupti", format!("{}: {why}", path.display()))?,
            Ok(library) => {
                try_out(&mut out, &library)?;
                out.flush()?;
                signal_hook::low_level::exit(0);
            }
        }
    }
    line(&mut out, "trying", "none")
}

/// Tries functions of CUPTI that the recorder calls, and writes CUPTI's API version and whether they work;
/// stops where the recorder could not use this copy.
fn try_out(out: &mut impl Write, cupti: &Library) -> io::Result<()> {
    let mut version = 0;
    // SAFETY: the functions' types, by CUPTI's documentation; a number and a handle of our own.
    let answer = unsafe {
        cupti
            .get::<Number>(b"cuptiGetVersion\0")
            .map_or(MISSING, |function| function(&raw mut version).cast_unsigned())
    };
    if answer != 0 {
        return line(out, "refused", format!("{answer} cuptiGetVersion"));
    }
    line(out, "version", version)?;
    out.flush()?;
    if version < saturate::<c_int>(OLDEST) {
        return Ok(());
    }
    let mut handle = std::ptr::null_mut();
    // SAFETY: as above; the callback is a function of this file, and does nothing.
    let answer = unsafe {
        let subscribe = cupti.get::<Subscribe>(b"cuptiSubscribe\0");
        subscribe.map_or(MISSING, |function| function(&raw mut handle, called, std::ptr::null_mut()))
    };
    if answer != 0 {
        return line(out, "refused", format!("{answer} cuptiSubscribe"));
    }
    let kernels = CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL as u32;
    // SAFETY: as above; no work is recorded, since this process gives none to a device.
    let answer = unsafe {
        cupti.get::<Enable>(b"cuptiActivityEnable\0").map_or(MISSING, |function| function(kernels))
    };
    if answer != 0 && answer != COMPILER {
        return line(out, "refused", format!("{answer} cuptiActivityEnable for kernels"));
    }
    line(out, "works", 1)?;
    out.flush()?;
    // The recorder records without these; what is missing then, doctor reports.
    for (name, kind) in OTHERS {
        // SAFETY: as above.
        let answer = unsafe {
            cupti.get::<Enable>(b"cuptiActivityEnable\0").map_or(MISSING, |enable| enable(kind as u32))
        };
        if answer != 0 && answer != COMPILER {
            line(out, "lacks", format!("{answer} {name}"))?;
        }
    }
    // SAFETY: as above; the system's thread ids.
    let answer = unsafe {
        cupti.get::<Enable>(b"cuptiSetThreadIdType\0").map_or(MISSING, |function| function(SYSTEM_THREADS))
    };
    let refused = || format!("{answer} the operating system's thread ids in records");
    if answer == 0 { Ok(()) } else { line(out, "lacks", refused()) }
}

/// The callback of the subscription, which does nothing: no call is reported to it.
extern "C" fn called(_datum: *mut c_void, _domain: u32, _function: u32, _call: *const c_void) {}

/// Writes a line of the report; line breaks in the value become spaces.
fn line(out: &mut impl Write, key: &str, value: impl Display) -> io::Result<()> {
    writeln!(out, "{key}={}", value.to_string().replace('\n', " "))
}

/// Loads a library and never unloads it: the driver's libraries may crash when they are unloaded.
fn load(path: &Path) -> Result<ManuallyDrop<Library>, libloading::Error> {
    // SAFETY: the library's initializers run, as they would in the program; this process does nothing else.
    unsafe { Library::new(path) }.map(ManuallyDrop::new)
}

/// The latest CUDA version that the driver supports; 0 if the driver does not report it. To be called only if
/// the driver can be loaded.
fn version() -> c_int {
    let mut version = 0;
    // SAFETY: a number of our own.
    match unsafe { sys::cuDriverGetVersion(&raw mut version) }.result() {
        Ok(()) => version,
        Err(_) => 0,
    }
}

/// The error code of a driver that cannot be initialized, or does not count its devices.
#[derive(Debug, thiserror::Error)]
#[error("error {} ({:?})", .0.0 as u32, .0.0)]
struct NoDevices(result::DriverError);

/// Initializes the driver, and returns the number of devices. To be called only if the driver can be loaded.
fn devices() -> Result<c_int, NoDevices> {
    result::init().and_then(|()| result::device::get_count()).map_err(NoDevices)
}
