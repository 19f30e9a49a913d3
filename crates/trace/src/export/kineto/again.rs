//! What is asked of an event that was read again. Must not know how it is read.

/// Takes an argument: its key, as JSON without its quotes, and what appends its value as JSON.
pub type TakeArgument<'a> = dyn FnMut(&str, &dyn Fn(&mut String)) + 'a;

/// An event that was read again.
pub trait ReadAgain {
    /// The event's category as the file has it; `None` without one.
    fn category(&self) -> Option<String>;
    /// Calls `each` with every argument.
    fn arguments(&self, each: &mut TakeArgument<'_>);
}
