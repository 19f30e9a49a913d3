//! The names of the ranges of start-up, validation and teardown, which are in no step. The recorder writes
//! them on the thread that ends the steps, as ranges that Python code names; readers of traces recognize them
//! by these names.

/// Name of the range from when the recorder began in the process, or the process was forked, to the first
/// step: imports, making the model, the first batch.
pub const START_UP: &str = "proftui: start-up";

/// Name of the range of a validation pass: forwards in evaluation mode, without gradients, outside of all
/// steps, in a program that trains.
pub const VALIDATION: &str = "proftui: validation";

/// Name of the range from the end of the last step to the end of the process.
pub const TEARDOWN: &str = "proftui: teardown";

/// Kind of the ranges of start-up, validation and teardown: Paddle's number of the event type
/// `PythonUserDefined`.
pub const KIND: u8 = 14;
