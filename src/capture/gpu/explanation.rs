//! The text that explains to a user why GPU records are missing: a reason, advice, and details. Must not know
//! how the reason was found.

use std::fmt;

use proftui_wire::device::{Reason, answer};

/// Why GPU records are missing. As text it is one line: the reason, advice, and the details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The reason; traces state its code.
    pub reason: Reason,
    /// Details (paths, error codes, counts); may be empty.
    pub detail: String,
}

impl Explanation {
    /// Makes an explanation from its reason and details.
    pub fn new(reason: Reason, detail: String) -> Self {
        Self { reason, detail }
    }
}

impl fmt::Display for Explanation {
    /// Writes the reason, advice, and any details in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = answer::advice(&self.detail).unwrap_or_else(|| advice(self.reason));
        write!(f, "{}; {advice}", self.reason)?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " [{}]", self.detail) }
    }
}

/// General advice to the user for a reason.
fn advice(reason: Reason) -> &'static str {
    match reason {
        Reason::NoDriver => {
            "install the NVIDIA driver, unset CUDA_VISIBLE_DEVICES, or start the container with --gpus all"
        }
        Reason::NoCupti => {
            "install the CUDA toolkit or, for Python, nvidia-cuda-cupti (CUDA 12: nvidia-cuda-cupti-cu12), \
             or set libcupti.so with --cupti"
        }
        Reason::Version => "proftui doctor prints the versions; set another libcupti.so with --cupti",
        Reason::OtherSubscriber => "run without the other tool, and with CUDA_INJECTION64_PATH unset",
        Reason::ScriptProfiler => {
            "GPU work comes from the script's profiler where possible; run without that profiler to \
             record all"
        }
        Reason::NoPermission => {
            "run as root with CAP_SYS_ADMIN, or set NVreg_RestrictProfilingToAdminUsers=0 for the NVIDIA \
             driver"
        }
        Reason::NotSupported => "use another GPU, or this GPU in another mode",
        Reason::CuptiError => {
            "run the program again; proftui doctor tests libcupti.so, and --cupti sets another one"
        }
        Reason::NoCudaCall => {
            "check that the program uses the GPU and passes its environment to its child processes"
        }
        Reason::NothingDelivered => {
            "wait longer with --gpu-wait; proftui doctor prints the versions, --cupti sets another \
             libcupti.so"
        }
        Reason::OutsideWindow => {
            "if GPU work begins at another time, record that time with --steps, --skip-first or --window"
        }
        Reason::Dropped => {
            "record fewer steps per cycle, use --cuda-graph graph, raise --max-mb, or wait longer with \
             --gpu-wait"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_explanation_has_advice_and_fits_one_line() {
        for reason in Reason::ALL {
            let text = Explanation::new(reason, "where".into()).to_string();
            assert!(text.starts_with(reason.text()) && text.ends_with(" [where]"), "{text}");
            // A longer text would be cut where it is shown beside others.
            assert!(text.len() <= 160 && !text.contains('\n'), "{} {text}", text.len());
        }
    }

    #[test]
    fn an_error_code_has_advice_of_its_own() {
        for of in answer::ALL {
            let text = Explanation::new(of.reason, answer::describe(of.number)).to_string();
            let head = text.strip_suffix(&format!(" [{}]", answer::describe(of.number))).expect("the detail");
            assert!(head.len() <= 160, "{} {head}", head.len());
            assert!(
                head.ends_with(if of.advice.is_empty() { advice(of.reason) } else { of.advice }),
                "{head}"
            );
        }
    }
}
