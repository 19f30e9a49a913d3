//! `proftui convert`: writes any trace in the form of PyTorch's profiler; Paddle's protobuf as JSON, and
//! Paddle's JSON or JSON that it wrote from protobuf as protobuf.
//!
//! The output gets its name when it is complete. Must not know any format. `kineto` loads what
//! becomes a trace of PyTorch's form, `part` chooses the part of it that is written.

mod kineto;
mod part;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use proftui_base::new_file::{self, Destination, Existing, PRIVATE};
use proftui_insight::ask;
use proftui_trace::export::{self, ExportError, Packing};
use proftui_trace::import;

use crate::cli::load::profile::{self, ProfileMemory};
use crate::cli::output::streams::{Failure, notify};

use part::PartArgs;

#[derive(Debug, clap::Args)]
pub(super) struct ConvertArgs {
    /// Trace file; to write .pb or .json, a Paddle profile (.pb), JSON that proftui convert wrote from one,
    /// or JSON that Paddle's profiler exported; may be compressed by gzip or zstd
    from: PathBuf,
    /// File to write; its name's ending sets the format: .pt.trace.json for PyTorch's form, .pb or .json for
    /// Paddle's; behind .json may follow .gz or .zst
    to: PathBuf,
    #[command(flatten)]
    part: PartArgs,
    /// Overwrite the output file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    memory: ProfileMemory,
}

/// The form of a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// JSON of PyTorch's profiler.
    Kineto,
    /// JSON of Paddle's profiler, with the messages of the protobuf.
    Json,
    /// Paddle's protobuf.
    Protobuf,
}

/// The form that a path's ending chooses, and how the file is compressed; `None` for an unknown ending.
fn target(path: &Path) -> Option<(Form, Packing)> {
    let name = path.file_name()?.to_str()?;
    let (name, packing) = match name.rsplit_once('.')? {
        (name, "gz") => (name, Packing::Gzip),
        (name, "zst") => (name, Packing::Zstd),
        _ => (name, Packing::None),
    };
    match name.rsplit_once('.')? {
        (name, "json") if name.ends_with(".pt.trace") => Some((Form::Kineto, packing)),
        (_, "json") => Some((Form::Json, packing)),
        (_, "pb") => Some((Form::Protobuf, packing)),
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
    let (form, packing) = target(&args.to).ok_or_else(|| {
        Failure(format!(
            "{to}: unknown file ending; use .pt.trace.json, .json (both also with .gz or .zst) or .pb"
        ))
    })?;
    let destination = destination(args)?;
    let from = import::shown(&args.from);
    if form == Form::Kineto {
        let loaded = kineto::read(&args.from, args.memory.max_memory, args.part.rank)?;
        let excerpt = args.part.of(&loaded.trace)?;
        let is_anonymous = args.part.anonymize;
        return write(args, &destination, packing, |out| {
            ask::write_kineto(&loaded, excerpt, is_anonymous, out)
        });
    }
    args.part.refuse(&to)?;
    let export::Converted { trees, lacks } = profile::read(&args.from, &args.memory)?;
    write(args, &destination, packing, |out| match form {
        Form::Protobuf => export::write_protobuf(trees, out),
        Form::Json | Form::Kineto => export::write_json(&trees, out),
    })?;
    lacks.iter().for_each(|line| notify(&format!("{from}: {line}")));
    Ok(())
}

/// Writes the output file: `body` writes its uncompressed text.
fn write(
    args: &ConvertArgs,
    destination: &Destination<'_>,
    packing: Packing,
    body: impl FnOnce(&mut dyn Write) -> Result<(), ExportError>,
) -> Result<(), Failure> {
    let to = import::shown(&args.to);
    let existing = if args.force { Existing::IsReplaced } else { Existing::Stays };
    let written = destination.write(PRIVATE, existing, |file| {
        let mut file = export::pack(BufWriter::new(file), packing, body)?;
        Ok(file.flush()?)
    });
    written.map_err(|error| match error {
        ExportError::Io(why) if why.kind() == io::ErrorKind::AlreadyExists => exists(&to),
        error => Failure(format!("{to}: {error}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        assert_eq!(target(Path::new("a/b.pb")), Some((Form::Protobuf, Packing::None)));
        assert_eq!(target(Path::new("b.paddle_trace.json.gz")), Some((Form::Json, Packing::Gzip)));
        assert_eq!(target(Path::new("b.json.zst")), Some((Form::Json, Packing::Zstd)));
        assert_eq!(target(Path::new("b.pt.trace.json.gz")), Some((Form::Kineto, Packing::Gzip)));
        assert_eq!(target(Path::new("pt.trace.json")), Some((Form::Json, Packing::None)));
        assert_eq!(target(Path::new("b.txt")), None);
        assert_eq!(target(Path::new("json")), None);
    }
}
