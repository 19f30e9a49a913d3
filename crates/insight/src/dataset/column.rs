//! Columns of the tables: what a column is called and means, and how its values are found.
//!
//! Must not know formats of files, nor which tables there are.

use std::sync::Arc;

use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_trace::model::WorkerId;

use super::source::{Source, Texts};

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers of 64 bits.
    Int,
    /// Floating point numbers of 64 bits.
    Float,
    /// True or false.
    Bool,
    /// Texts.
    Text,
    /// Texts that repeat often: numbers into a list of the different ones.
    Coded,
}

impl Kind {
    /// The name of the type in the documentation, close to SQL's.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "bigint",
            Self::Float => "double",
            Self::Bool => "boolean",
            Self::Text | Self::Coded => "text",
        }
    }
}

/// A column as its users see it.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The column's name, also in SQL.
    pub id: &'static str,
    /// What a value means, with its unit.
    pub about: &'static str,
    /// The type of the values.
    pub kind: Kind,
    /// True if a value may be missing (`null`).
    pub is_nullable: bool,
}

/// The values of one column of a batch; `None` stands for a missing value.
#[derive(Clone, Debug)]
pub enum Values {
    /// Values of [`Kind::Int`], none of which is missing.
    Int(Vec<i64>),
    /// Values of [`Kind::Int`].
    MaybeInt(Vec<Option<i64>>),
    /// Values of [`Kind::Float`].
    Float(Vec<f64>),
    /// Values of [`Kind::Bool`].
    Bool(Vec<bool>),
    /// Values of [`Kind::Text`].
    Text(Vec<Option<String>>),
    /// Values of [`Kind::Coded`]: codes, and the texts that they stand for. All batches of a table have the
    /// same texts.
    Coded(Vec<Option<u32>>, Texts),
}

impl Values {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Int(values) => values.len(),
            Self::MaybeInt(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Bool(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::Coded(codes, _) => codes.len(),
        }
    }

    /// True if there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How the value of a column is found for a row, of which a key of type `K` says what it is about.
pub(super) enum Value<K> {
    Int(fn(&Source<'_>, K) -> i64),
    MaybeInt(fn(&Source<'_>, K) -> Option<i64>),
    Float(fn(&Source<'_>, K) -> f64),
    Bool(fn(&Source<'_>, K) -> bool),
    Text(fn(&Source<'_>, K) -> Option<String>),
    /// A string of the trace.
    String(fn(&Source<'_>, K) -> Option<StrId>),
    /// One of a fixed list of texts, by its index.
    OneOf(fn() -> Vec<&'static str>, fn(&Source<'_>, K) -> Option<usize>),
    /// The name of the trace.
    Trace,
    /// The name of a worker; missing where the trace names none.
    Worker(fn(&Source<'_>, K) -> WorkerId),
}

/// A column of a table whose rows have keys of type `K`.
pub(super) struct Column<K> {
    id: &'static str,
    about: &'static str,
    value: Value<K>,
}

impl<K: Copy> Column<K> {
    pub(super) const fn new(id: &'static str, about: &'static str, value: Value<K>) -> Self {
        Self { id, about, value }
    }

    /// The column `trace`, with which every table begins.
    pub(super) const fn trace() -> Self {
        let about = "Name of the trace: of its file, unless --name gives another; with a number of a slice, \
            lane or device, it names that among all traces";
        Self::new("trace", about, Value::Trace)
    }

    /// The column `worker`, which is the second of most tables.
    pub(super) const fn worker(of: fn(&Source<'_>, K) -> WorkerId) -> Self {
        let about = "Rank, or else process that recorded, such as rank 3; missing where the trace names none";
        Self::new("worker", about, Value::Worker(of))
    }

    pub(super) fn description(&self) -> Description {
        let (kind, is_nullable) = match self.value {
            Value::Int(_) => (Kind::Int, false),
            Value::MaybeInt(_) => (Kind::Int, true),
            Value::Float(_) => (Kind::Float, false),
            Value::Bool(_) => (Kind::Bool, false),
            Value::Text(_) => (Kind::Text, true),
            Value::Trace => (Kind::Coded, false),
            Value::String(_) | Value::OneOf(..) | Value::Worker(_) => (Kind::Coded, true),
        };
        Description { id: self.id, about: self.about, kind, is_nullable }
    }

    /// The column's values for the rows with these keys.
    pub(super) fn values(&self, source: &Source<'_>, keys: &[K], texts: &Texts) -> Values {
        let keys = keys.iter().copied();
        let coded = |codes: Vec<Option<u32>>| Values::Coded(codes, Arc::clone(texts));
        match self.value {
            Value::Int(of) => Values::Int(keys.map(|key| of(source, key)).collect()),
            Value::MaybeInt(of) => Values::MaybeInt(keys.map(|key| of(source, key)).collect()),
            Value::Float(of) => Values::Float(keys.map(|key| of(source, key)).collect()),
            Value::Bool(of) => Values::Bool(keys.map(|key| of(source, key)).collect()),
            Value::Text(of) => Values::Text(keys.map(|key| of(source, key)).collect()),
            Value::String(of) => coded(keys.map(|key| Some(source.code(of(source, key)?))).collect()),
            Value::OneOf(_, of) => coded(keys.map(|key| of(source, key).map(saturate::<u32>)).collect()),
            Value::Trace => coded(keys.map(|_| Some(0)).collect()),
            Value::Worker(of) => {
                let named =
                    |worker: WorkerId| (worker.index() < texts.len()).then(|| u32::from(worker.get()));
                coded(keys.map(|key| named(of(source, key))).collect())
            }
        }
    }

    /// The texts that the codes of the column stand for; empty for a column of another kind.
    pub(super) fn texts(&self, source: &Source<'_>) -> Texts {
        match self.value {
            Value::String(_) => source.strings(),
            Value::OneOf(all, _) => Arc::new(all().into_iter().map(str::to_owned).collect()),
            Value::Trace => Arc::new(vec![source.name.clone()]),
            Value::Worker(_) => Arc::new(source.trace.meta.workers.as_slice().to_vec()),
            _ => Texts::default(),
        }
    }
}
