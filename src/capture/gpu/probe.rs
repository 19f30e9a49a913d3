//! Loads the driver and CUPTI, and tells what they say: in a process of its own, which may hang or die of it.

#![allow(
    unsafe_code,
    reason = "libraries of the driver are loaded and called; nothing else tells whether they work"
)]

use std::ffi::c_int;
use std::fmt::Display;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use libloading::Library;

/// The driver's file.
pub const DRIVER: &str = "libcuda.so.1";

/// A function without parameters, or one whose parameter is a number: 0 is a good answer.
type Init = unsafe extern "C" fn(c_int) -> c_int;
type Number = unsafe extern "C" fn(*mut c_int) -> c_int;

/// Tells, line by line, `key=value`: of the driver, with `has_devices` how many devices it has, and of the first of the files in
/// `cupti` that can be loaded.
///
/// # Errors
/// When nobody listens.
pub fn tell(mut out: impl Write, has_devices: bool, cupti: &[PathBuf]) -> io::Result<()> {
    match load(Path::new(DRIVER)) {
        Err(why) => say(&mut out, "no_driver", why)?,
        Ok(driver) => {
            let version = number(&driver, b"cuDriverGetVersion\0");
            say(&mut out, "driver", version.unwrap_or_default())?;
            if has_devices {
                match devices(&driver) {
                    Ok(devices) => say(&mut out, "devices", devices)?,
                    Err(why) => say(&mut out, "no_devices", why)?,
                }
            }
        }
    }
    for path in cupti {
        match load(path) {
            Err(why) => say(&mut out, "no_cupti", why)?,
            Ok(library) => {
                // The latest ones answer nothing without a driver.
                let version = number(&library, b"cuptiGetVersion\0").unwrap_or_default();
                return say(&mut out, "cupti", format!("{version} {}", path.display()));
            }
        }
    }
    Ok(())
}

fn say(out: &mut impl Write, key: &str, value: impl Display) -> io::Result<()> {
    writeln!(out, "{key}={}", value.to_string().replace('\n', " "))
}

/// A library, loaded for good: those of a driver do not always outlive being let go.
fn load(path: &Path) -> Result<ManuallyDrop<Library>, libloading::Error> {
    // SAFETY: what it does when it is loaded it would do in the program as well; this process does nothing else.
    unsafe { Library::new(path) }.map(ManuallyDrop::new)
}

/// What a function writes that gives a number.
fn number(library: &Library, name: &[u8]) -> Result<c_int, String> {
    // SAFETY: both functions that are asked for take the address of a number.
    let function = unsafe { library.get::<Number>(name) }.map_err(|why| why.to_string())?;
    let mut number = 0;
    // SAFETY: the number outlives the call.
    match unsafe { function(&raw mut number) } {
        0 => Ok(number),
        error => Err(format!("error {error}")),
    }
}

fn devices(driver: &Library) -> Result<c_int, String> {
    // SAFETY: it takes flags, of which there are none.
    let init = unsafe { driver.get::<Init>(b"cuInit\0") }.map_err(|why| why.to_string())?;
    // SAFETY: as the driver's documentation has it.
    match unsafe { init(0) } {
        0 => number(driver, b"cuDeviceGetCount\0"),
        error => Err(format!("error {error}")),
    }
}
