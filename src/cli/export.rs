//! `proftui export`: writes a trace as tables for database engines.
//!
//! Each file gets its name when it is complete. Must not know the tables.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser};

use proftui_base::fmt;
use proftui_base::new_file::{Destination, Existing, PUBLIC};
use proftui_insight::dataset::{self, Form, QUERIES, Source, TABLES, Table, WriteError};
use proftui_insight::report::csv::Formulas;
use proftui_trace::import;
use proftui_trace::model::Trace;

use crate::cli::load::{load_for_tables, traces};
use crate::cli::options::select::SelectArgs;
use crate::cli::output::streams::{Failure, print, printed};

#[derive(Debug, clap::Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Format of the tables
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Folder for the tables, a file each, which is made if it is missing; or - for standard output, which
    /// takes one table (default: standard output)
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Write only this table; repeat the option for more (default: all tables)
    #[arg(long = "table", value_name = "NAME", value_parser = names())]
    tables: Vec<String>,
    /// Name of the trace in the column `trace` (default: the name of its first file)
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Print this query over the tables, in SQL for DuckDB and Spark, and export nothing (default: export)
    #[arg(long, value_name = "NAME", value_parser = queries(), conflicts_with = "paths")]
    query: Option<String>,
    /// Overwrite files of the tables' names
    #[arg(long)]
    force: bool,
    /// With --format csv: write texts that begin like a formula as they are, for programs; without it, a '
    /// stands before them, by which spreadsheets take them for texts
    #[arg(long)]
    csv_raw: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Arrow's file format (IPC); on standard output, its stream format
    #[default]
    Arrow,
    /// Parquet, compressed by snappy
    Parquet,
    /// Comma-separated values with a heading
    Csv,
}

impl Format {
    /// The ending of the names of files.
    fn ending(self) -> &'static str {
        match self {
            Self::Arrow => "arrow",
            Self::Parquet => "parquet",
            Self::Csv => "csv",
        }
    }
}

/// The names of all tables, as values of an option.
fn names() -> PossibleValuesParser {
    let values = TABLES.iter().map(|table| PossibleValue::new(table.name()).help(table.about()));
    values.collect::<Vec<_>>().into()
}

/// The names of all queries, as values of an option.
fn queries() -> PossibleValuesParser {
    let values = QUERIES.iter().map(|query| PossibleValue::new(query.name).help(query.about));
    values.collect::<Vec<_>>().into()
}

impl ExportArgs {
    /// The tables that are written.
    fn tables(&self) -> Vec<&'static dyn Table> {
        let is_wanted = |table: &&&dyn Table| {
            self.tables.is_empty() || self.tables.iter().any(|name| name == table.name())
        };
        TABLES.iter().filter(is_wanted).copied().collect()
    }

    /// The folder for the tables; `None` for standard output.
    fn folder(&self) -> Option<&Path> {
        self.out.as_deref().filter(|out| *out != Path::new("-"))
    }

    fn form(&self) -> Result<Form, Failure> {
        Ok(match self.format {
            Format::Arrow if self.folder().is_none() => Form::ArrowStream,
            Format::Arrow => Form::ArrowFile,
            Format::Csv => Form::Csv(if self.csv_raw { Formulas::Raw } else { Formulas::Guarded }),
            Format::Parquet => parquet()?,
        })
    }
}

#[cfg(feature = "parquet")]
#[expect(clippy::unnecessary_wraps, reason = "fails in a build without the feature")]
fn parquet() -> Result<Form, Failure> {
    Ok(Form::Parquet)
}

#[cfg(not(feature = "parquet"))]
fn parquet() -> Result<Form, Failure> {
    let what = "this proftui was built without Parquet: build it with --features parquet, or write \
        --format arrow";
    Err(Failure(what.to_owned()))
}

pub(super) fn run(args: &ExportArgs) -> Result<(), Failure> {
    if let Some(name) = &args.query {
        return QUERIES.iter().filter(|query| query.name == name).try_for_each(|query| print(query.sql));
    }
    let (tables, form) = (args.tables(), args.form()?);
    if args.csv_raw && args.format != Format::Csv {
        return Err(Failure("--csv-raw needs --format csv".to_owned()));
    }
    match (&tables[..], args.folder()) {
        (_, Some(folder)) => prepare(args, folder, &tables)?,
        ([_], None) if args.format != Format::Csv && io::stdout().is_terminal() => {
            let what = "the table would be printed on the terminal, and is not text: redirect it, or name a \
                folder with -o";
            return Err(Failure(what.to_owned()));
        }
        ([_], None) => {}
        _ => {
            let what = "standard output takes one table: name it with --table, or name a folder for all \
                tables with -o";
            return Err(Failure(what.to_owned()));
        }
    }
    let mut traces = traces(&args.select.request())?;
    let files = traces.remove(0);
    if !traces.is_empty() {
        let count = fmt::counted(traces.len() as u64 + 1, "trace");
        return Err(Failure(format!("this folder has {count}, not of one job: export each by itself")));
    }
    let loaded = load_for_tables(&files.request)?;
    let name = args.name.clone().unwrap_or_else(|| file_name(&loaded.trace));
    let source = Source::new(&loaded, name);
    for table in tables {
        match args.folder() {
            Some(folder) => write(args, folder, table, &source, form)?,
            None => print_table(table, &source, form)?,
        }
    }
    Ok(())
}

/// The name of the trace's first file, without its folder.
fn file_name(trace: &Trace) -> String {
    let path = trace.meta.files.first().map(String::as_str).unwrap_or_default();
    Path::new(path).file_name().and_then(OsStr::to_str).unwrap_or(path).to_owned()
}

/// Writes a table to standard output.
fn print_table(table: &dyn Table, source: &Source<'_>, form: Form) -> Result<(), Failure> {
    match dataset::write(table, source, form, &mut io::stdout()) {
        Ok(_) => printed(Ok(())),
        Err(WriteError::Io(why)) => printed(Err(why)),
        Err(why) => Err(why.into()),
    }
}

/// The path of a table's file.
fn path(args: &ExportArgs, folder: &Path, table: &dyn Table) -> PathBuf {
    folder.join(format!("{}.{}", table.name(), args.format.ending()))
}

/// Makes the folder, unless it exists, and fails if it has a file that may not be replaced.
fn prepare(args: &ExportArgs, folder: &Path, tables: &[&'static dyn Table]) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|why| Failure(format!("{}: the folder cannot be made: {why}", import::shown(folder))))?;
    let there =
        tables.iter().map(|table| path(args, folder, *table)).find(|path| path.symlink_metadata().is_ok());
    match there.filter(|_| !args.force) {
        Some(path) => Err(exists(&path)),
        None => Ok(()),
    }
}

/// The failure where a table's file exists already.
fn exists(path: &Path) -> Failure {
    Failure(format!("{}: the file exists already: use --force, or another folder", import::shown(path)))
}

/// Writes the file of a table.
fn write(
    args: &ExportArgs,
    folder: &Path,
    table: &dyn Table,
    source: &Source<'_>,
    form: Form,
) -> Result<(), Failure> {
    let path = path(args, folder, table);
    let existing = if args.force { Existing::IsReplaced } else { Existing::Stays };
    let written = Destination::open(&path).map_err(WriteError::from).and_then(|destination| {
        destination
            .write(PUBLIC, existing, |mut file| dataset::write(table, source, form, &mut file).map(drop))
    });
    written.map_err(|error| match error {
        WriteError::Io(why) if why.kind() == io::ErrorKind::AlreadyExists => exists(&path),
        error => Failure(format!("{}: {error}", import::shown(&path))),
    })
}
