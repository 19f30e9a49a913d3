//! `proftui convert`: writes Paddle's protobuf as JSON, and Paddle's JSON or JSON that it wrote from protobuf as protobuf.
//!
//! The output is written to a temporary file in the same folder, which is renamed when it is complete. Must not know either format.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::export::{self, ExportError, Packing};
use crate::import;

use super::streams::{Failure, notify};

#[derive(Debug, clap::Args)]
pub(super) struct ConvertArgs {
    /// Paddle profile (.pb), JSON that proftui convert wrote from one, or JSON that Paddle's profiler exported; may
    /// be compressed by gzip or zstd
    from: PathBuf,
    /// File to write; its name's ending sets the format: .pb, .json, .json.gz or .json.zst
    to: PathBuf,
    /// Overwrite the output file if it exists
    #[arg(long)]
    force: bool,
}

/// The format that the ending of a path chooses: true for JSON, false for protobuf, and how the file is compressed. `None` for
/// other endings.
fn target(path: &Path) -> Option<(bool, Packing)> {
    let name = path.file_name()?.to_str()?;
    let (name, packing) = match name.rsplit_once('.')? {
        (name, "gz") => (name, Packing::Gzip),
        (name, "zst") => (name, Packing::Zstd),
        _ => (name, Packing::None),
    };
    match name.rsplit_once('.')?.1 {
        "json" => Some((true, packing)),
        "pb" => Some((false, packing)),
        _ => None,
    }
}

pub(super) fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let to = import::shown(&args.to);
    let (is_json, packing) = target(&args.to).ok_or_else(|| {
        Failure(format!("{to}: unknown file ending; use .pb, .json, .json.gz or .json.zst"))
    })?;
    if args.to.exists() && !args.force {
        return Err(Failure(format!("{to}: the file exists already; --force overwrites it")));
    }
    let text = import::text(&args.from)?;
    let from = import::shown(&args.from);
    let refuse = |error: ExportError| Failure(format!("{from}: {error}"));
    let export::Converted { trees, lacks } = export::read(&text).map_err(refuse)?;
    drop(text);

    let mut beside = OsString::from(&args.to);
    beside.push(format!(".{}.part", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = File::create(&beside).map_err(ExportError::from).and_then(|file| {
        let mut file = export::pack(BufWriter::new(file), packing, |out| {
            if is_json { export::write_json(&trees, out) } else { Ok(out.write_all(&export::encode(trees))?) }
        })?;
        file.flush()?;
        std::fs::rename(&beside, &args.to)?;
        Ok(())
    });
    written.map_err(|error| {
        // A failure to remove the incomplete file is ignored: the first error is the one to report.
        let _ = std::fs::remove_file(&beside);
        Failure(format!("{to}: {error}"))
    })?;
    lacks.iter().for_each(|line| notify(&format!("{from}: {line}")));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        assert_eq!(target(Path::new("a/b.pb")), Some((false, Packing::None)));
        assert_eq!(target(Path::new("b.paddle_trace.json.gz")), Some((true, Packing::Gzip)));
        assert_eq!(target(Path::new("b.json.zst")), Some((true, Packing::Zstd)));
        assert_eq!(target(Path::new("b.txt")), None);
        assert_eq!(target(Path::new("json")), None);
    }
}
