//! The names of the ranges of start-up, validation, teardown and of the recorder's own time, which are in no
//! step. The recorder writes them on the thread that ends the steps, as ranges that Python code names;
//! readers of traces recognize them by these names.

/// Name of the range of a process's start-up, before its first step.
pub const START_UP: &str = "proftui: start-up";

/// Name of the range of a validation pass in a program that trains.
pub const VALIDATION: &str = "proftui: validation";

/// Name of the range of a process's teardown, after its last step.
pub const TEARDOWN: &str = "proftui: teardown";

/// Name of the range of the time between two steps in which the recorder has a framework's tracer write its
/// events and begin anew: the program itself does nothing.
pub const RECORDER: &str = "proftui: recorder";

/// Kind of these ranges: Paddle's number of the event type `PythonUserDefined`.
pub const KIND: u8 = 14;
