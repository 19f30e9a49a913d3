//! The options of GPU recording, as the command line or a script sets them.

use std::path::PathBuf;

/// The options of GPU recording.
#[allow(clippy::struct_excessive_bools, reason = "one per option")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// True if GPUs are not to be recorded.
    pub is_off: bool,
    /// True if the user asked for GPU recording by `--gpu auto`.
    pub is_requested: bool,
    /// True if the program is not to be started where GPUs cannot be recorded.
    pub is_required: bool,
    /// Path of CUPTI's library, as the user names it; `None`: it is searched for.
    pub cupti: Option<PathBuf>,
    /// True if NVTX ranges are not to be recorded.
    pub is_nvtx_off: bool,
}
