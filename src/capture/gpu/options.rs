//! The options of GPU recording, as the command line or a script sets them.

use std::path::PathBuf;

/// The options of GPU recording.
#[allow(clippy::struct_excessive_bools, reason = "one per option")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuOptions {
    /// GPUs are not recorded.
    pub is_off: bool,
    /// The user asked for GPU recording, so the capture explains it whenever nothing of GPUs was recorded.
    pub is_requested: bool,
    /// The program is not started if GPUs cannot be recorded.
    pub is_required: bool,
    /// Absolute path of CUPTI's library; `None`: it is searched for.
    pub cupti: Option<PathBuf>,
    /// NVTX ranges are not recorded.
    pub is_nvtx_off: bool,
}
