//! The trace as data: immutable columns of slices, and the types of everything else that a trace holds.
//!
//! A slice is an event with a length, known by its number in the columns of [`Slices`]. Slices are ordered by
//! lane, row and start, so a row is a range of numbers, the next slice of a row has the next number, and a
//! parent (in a row above) always has a smaller number than its children. Must not read files, draw, or
//! compute tables.

pub mod category;
pub mod copied;
pub mod counter;
pub mod device;
mod digest;
pub mod graph_names;
pub mod kept;
pub mod kernel_class;
pub mod lane;
pub mod lineage;
pub mod link;
pub mod nodetree;
pub mod quality;
mod rename;
pub mod repeating;
pub mod serving;
pub mod slice;
pub mod stacks;
pub mod step;
pub mod trace;

pub use category::Category;
pub use copied::Copied;
pub use counter::{Counter, Instant, MaybeBytes, MemoryEvent, MemoryKind};
pub use device::Device;
pub use graph_names::{GraphLaunch, GraphLevel, GraphName, GraphNames, GraphRecord, Unnamed};
pub use kept::Kept;
pub use kernel_class::KernelClass;
pub use lane::{Group, GroupId, GroupKind, Lane, LaneId, LaneKind, Row, RowId, WorkerId};
pub use lineage::Lineage;
pub use link::{Flow, FlowKind, Links};
pub use quality::{Quality, Warning};
pub use serving::{Serving, ServingKind};
pub use slice::{Origin, SliceFlags, SliceId, Slices};
pub use stacks::{StackId, Stacks};
pub use step::{Cycle, Outside, OutsideKind, ProcessorUse, Step};
pub use trace::{Meta, PartialLoad, Trace};
