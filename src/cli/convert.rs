//! `proftui convert`: writes Paddle's protobuf as JSON, and Paddle's JSON or JSON that it wrote from protobuf
//! as protobuf.
//!
//! The output gets its name when it is complete. Must not know either format.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use proftui_base::new_file::{self, Destination, Existing, PRIVATE};
use proftui_trace::export::{self, ExportError, Packing};
use proftui_trace::import;

use crate::cli::load::profile::{self, ProfileMemory};
use crate::cli::output::streams::{Failure, notify};

#[derive(Debug, clap::Args)]
pub(super) struct ConvertArgs {
    /// Paddle profile (.pb), JSON that proftui convert wrote from one, or JSON that Paddle's profiler
    /// exported; may be compressed by gzip or zstd
    from: PathBuf,
    /// File to write; its name's ending sets the format: .pb, .json, .json.gz or .json.zst
    to: PathBuf,
    /// Overwrite the output file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    memory: ProfileMemory,
}

/// Whether a path's ending chooses JSON (else protobuf), and how the file is compressed; `None` for an
/// unknown ending.
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

/// Opens the output's folder, and refuses an existing output that may not be replaced. Creates nothing.
fn destination(args: &ConvertArgs) -> Result<Destination<'_>, Failure> {
    let to = import::shown(&args.to);
    let folder = || import::shown(new_file::folder(&args.to));
    let destination = Destination::open(&args.to).map_err(|why| {
        Failure(match why.kind() {
            io::ErrorKind::NotFound => {
                format!("{to}: the folder {} does not exist: make it first, with mkdir -p", folder())
            }
            io::ErrorKind::NotADirectory => format!("{to}: {} is not a folder", folder()),
            _ => format!("{to}: the folder {} cannot be opened: {why}", folder()),
        })
    })?;
    match std::fs::symlink_metadata(&args.to).map(|there| there.file_type()) {
        Ok(there) if there.is_dir() => Err(Failure(format!("{to}: this is a folder: name a file in it"))),
        Ok(_) if !args.force => Err(exists(&to)),
        // A link is replaced itself.
        Ok(there) if !there.is_file() && !there.is_symlink() => {
            let what = "--force replaces only regular files and symbolic links, not this: use another name";
            Err(Failure(format!("{to}: {what}")))
        }
        _ => Ok(destination),
    }
}

/// The failure where the output file, whose path is shown as `to`, exists already.
fn exists(to: &str) -> Failure {
    Failure(format!("{to}: the file exists already; --force replaces regular files and links"))
}

pub(super) fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let to = import::shown(&args.to);
    let (is_json, packing) = target(&args.to).ok_or_else(|| {
        Failure(format!("{to}: unknown file ending; use .pb, .json, .json.gz or .json.zst"))
    })?;
    let destination = destination(args)?;
    let from = import::shown(&args.from);
    let export::Converted { trees, lacks } = profile::read(&args.from, &args.memory)?;

    let existing = if args.force { Existing::IsReplaced } else { Existing::Stays };
    let written = destination.write(PRIVATE, existing, |file| {
        let mut file = export::pack(BufWriter::new(file), packing, |out| {
            if is_json { export::write_json(&trees, out) } else { export::write_protobuf(trees, out) }
        })?;
        Ok(file.flush()?)
    });
    written.map_err(|error| match error {
        ExportError::Io(why) if why.kind() == io::ErrorKind::AlreadyExists => exists(&to),
        error => Failure(format!("{to}: {error}")),
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
