//! The baselines that loading is compared with: other parsers and inflaters on the same file, read from the
//! page cache into fresh memory, as our load reads it. Must not know the load.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::fs;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, IgnoredAny, Visitor};

type Failure = Box<dyn Error>;

/// A whole trace, with `S` as the type of strings. Arguments and all other keys are skipped, as
/// [`IgnoredAny`] skips.
#[derive(Debug, serde::Deserialize)]
struct Document<S> {
    #[serde(rename = "traceEvents", bound(deserialize = "S: Default + Deserialize<'de>"))]
    events: Vec<Event<S>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
#[allow(dead_code, reason = "made, and never read")]
struct Event<S> {
    ph: S,
    name: S,
    cat: S,
    ts: f64,
    dur: f64,
    pid: Scalar,
    tid: Scalar,
}

/// A string borrowed from the file's bytes unless it holds escapes.
#[derive(Debug, Default, serde::Deserialize)]
#[allow(dead_code, reason = "made, and never read")]
struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);

/// The value of `pid` or `tid`: a number or a string.
#[derive(Debug, Default)]
#[allow(dead_code, reason = "made, and never read")]
enum Scalar {
    #[default]
    None,
    Number(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a text")
            }

            fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
                Ok(Scalar::Number(number as f64))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
                Ok(Scalar::Number(number as f64))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
                Ok(Scalar::Number(number))
            }

            fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar::Text(text.into()))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// Runs the named baseline; returns how many events it parsed or bytes it inflated (0 where it counts
/// nothing). Its result is leaked, so that freeing it costs no time.
pub fn work(name: &str, path: &Path) -> Result<u64, Failure> {
    let bytes: &'static [u8] = fs::read(path)?.leak();
    Ok(match name {
        "sonic-rs typed" => typed::<String>(bytes)?,
        "sonic-rs borrowed" => typed::<Borrowed<'static>>(bytes)?,
        "serde_json skip" => {
            black_box(serde_json::from_slice::<IgnoredAny>(bytes)?);
            0
        }
        "serde_json Value" => {
            std::mem::forget(black_box(serde_json::from_slice::<serde_json::Value>(bytes)?));
            0
        }
        "libdeflate inflate" => whole(bytes)?.leak().len() as u64,
        "zlib-rs inflate" => drain(flate2::bufread::MultiGzDecoder::new(bytes))?,
        "zstd inflate" => drain(zstd::stream::read::Decoder::with_buffer(bytes)?)?,
        _ => return Err(format!("no such baseline: {name}").into()),
    })
}

fn typed<S: Default + Deserialize<'static>>(bytes: &'static [u8]) -> Result<u64, Failure> {
    let document: Document<S> = sonic_rs::from_slice(bytes)?;
    let events = document.events.len() as u64;
    std::mem::forget(black_box(document));
    Ok(events)
}

/// Inflates block by block, discards the bytes and returns their count.
fn drain(mut reader: impl Read) -> std::io::Result<u64> {
    let (mut block, mut sum) = (vec![0; 1 << 18], 0);
    loop {
        match reader.read(&mut block)? {
            0 => return Ok(sum),
            n => sum += n as u64,
        }
    }
}

/// Inflates the first gzip member in one call, into a buffer of the size that the file's last four bytes
/// state.
fn whole(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let tail = bytes.last_chunk().ok_or("no gzip data")?;
    let mut text = vec![0; u32::from_le_bytes(*tail) as usize];
    loop {
        match libdeflater::Decompressor::new().gzip_decompress(bytes, &mut text) {
            Ok(len) => {
                text.truncate(len);
                return Ok(text);
            }
            Err(libdeflater::DecompressionError::InsufficientSpace) if text.len() < 1 << 34 => {
                text.resize(2 * text.len() + 1024, 0);
            }
            Err(error) => return Err(error.to_string().into()),
        }
    }
}
