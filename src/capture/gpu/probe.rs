//! Loads the CUDA driver and CUPTI and reports on them. Runs in a process of its own, since they may hang or crash.

#![allow(
    unsafe_code,
    reason = "loads and calls libraries of the driver, the only way to see whether they work"
)]

use std::ffi::c_int;
use std::fmt::Display;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use libloading::Library;

/// File name of the driver's library.
pub const DRIVER: &str = "libcuda.so.1";

/// `cuInit`: takes flags, returns 0 on success.
type Init = unsafe extern "C" fn(c_int) -> c_int;
/// A function that writes a number to the address that it is given; returns 0 on success.
type Number = unsafe extern "C" fn(*mut c_int) -> c_int;

/// Writes lines of `key=value`: the driver's version or why there is no driver, the number of devices if `has_devices` asks for it, and
/// path and version of the first file of `cupti` that can be loaded.
///
/// # Errors
/// If writing fails.
pub fn report(mut out: impl Write, has_devices: bool, cupti: &[PathBuf]) -> io::Result<()> {
    match load(Path::new(DRIVER)) {
        Err(why) => line(&mut out, "no_driver", why)?,
        Ok(driver) => {
            let version = number(&driver, b"cuDriverGetVersion\0");
            line(&mut out, "driver", version.unwrap_or_default())?;
            if has_devices {
                match devices(&driver) {
                    Ok(devices) => line(&mut out, "devices", devices)?,
                    Err(why) => line(&mut out, "no_devices", why)?,
                }
            }
        }
    }
    for path in cupti {
        match load(path) {
            Err(why) => line(&mut out, "no_cupti", why)?,
            Ok(library) => {
                // Without a driver, the latest versions of CUPTI return an error.
                let version = number(&library, b"cuptiGetVersion\0").unwrap_or_default();
                return line(&mut out, "cupti", format!("{version} {}", path.display()));
            }
        }
    }
    Ok(())
}

/// Writes a line of the report; line breaks in the value become spaces.
fn line(out: &mut impl Write, key: &str, value: impl Display) -> io::Result<()> {
    writeln!(out, "{key}={}", value.to_string().replace('\n', " "))
}

/// Loads a library and never unloads it: a driver's libraries may crash when they are unloaded.
fn load(path: &Path) -> Result<ManuallyDrop<Library>, libloading::Error> {
    // SAFETY: the library's initializers run, as they would in the program; this process does nothing else.
    unsafe { Library::new(path) }.map(ManuallyDrop::new)
}

/// Calls the function `name`, which writes a number to an address, and returns that number; the error is the function's code, or that the
/// library has no such function.
fn number(library: &Library, name: &[u8]) -> Result<c_int, String> {
    // SAFETY: all functions that are called this way take the address of a number.
    let function = unsafe { library.get::<Number>(name) }.map_err(|why| why.to_string())?;
    let mut number = 0;
    // SAFETY: the number outlives the call.
    match unsafe { function(&raw mut number) } {
        0 => Ok(number),
        error => Err(format!("error {error}")),
    }
}

/// Initializes the driver; returns the number of devices.
fn devices(driver: &Library) -> Result<c_int, String> {
    // SAFETY: the function's type by the driver's documentation.
    let init = unsafe { driver.get::<Init>(b"cuInit\0") }.map_err(|why| why.to_string())?;
    // SAFETY: the flags must be 0.
    match unsafe { init(0) } {
        0 => number(driver, b"cuDeviceGetCount\0"),
        error => Err(format!("error {error}")),
    }
}
