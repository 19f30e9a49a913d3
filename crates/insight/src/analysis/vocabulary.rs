//! What names say: of kernels, of calls of a runtime, of Python functions. Lists of names of other programs
//! stand here and in the TOML files of `assets`.
//!
//! Must not know what is summed up by them.

pub(super) mod address;
pub mod demangle;
pub(crate) mod graph_launch;
pub(crate) mod hook_frames;
pub(crate) mod jax;
pub(crate) mod kernel_class;
pub(crate) mod kernel_names;
pub mod script_line;
pub mod short_names;
pub(crate) mod tensor_cores;
pub(crate) mod waits;
