//! Which frames of a Python stack are those of our hooks: they stand between the script and PyTorch only
//! while proftui records, and would push out frames that distinguish operators.
//!
//! Must not know where stacks come from or which tables show them.

use memchr::memmem::find;

use proftui_trace::model::Trace;

/// The folder of proftui's Python hooks, as it stands in the paths of their frames.
const HOOKS: &[u8] = b"_proftui_shim/";
/// How a frame of the decorators in proftui's Python package names its file.
const DECORATORS: &[u8] = b"proftui/ranges.py(";
/// How PyTorch's profiler begins the name of the frame of a call of an `nn.Module`.
const MODULE: &[u8] = b"nn.Module: ";

/// Decides which frames in the stacks of one trace are there only because of proftui (see [`Self::has`]).
#[derive(Clone, Copy, Debug)]
pub(crate) struct HookFrames {
    /// True for a trace that proftui recorded.
    is_own: bool,
}

impl HookFrames {
    /// Makes a finder for the stacks of `trace`.
    pub(crate) fn of(trace: &Trace) -> Self {
        Self { is_own: trace.meta.producer.starts_with("proftui") }
    }

    /// Leaves out the frames of a stack for which [`Self::has`] is true. Frames come innermost first.
    pub(crate) fn without<'a>(
        self,
        frames: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> impl Iterator<Item = &'a [u8]> {
        let around = frames.clone().skip(1).map(Some).chain(std::iter::once(None));
        frames.zip(around).filter(move |&(frame, around)| !self.has(frame, around)).map(|(frame, _)| frame)
    }

    /// True for a frame that is in a stack only because of proftui. `around` is the next outer frame, `None`
    /// for the outermost.
    pub(crate) fn has(self, frame: &[u8], around: Option<&[u8]>) -> bool {
        let is_doubled = || {
            around.is_some_and(|around| around.starts_with(MODULE))
                && (frame.ends_with(b": _wrapped_call_impl") || frame.ends_with(b": _call_impl"))
        };
        find(frame, HOOKS).is_some() || self.is_own && (find(frame, DECORATORS).is_some() || is_doubled())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(is_own: bool, frames: &[&str]) -> Vec<String> {
        let frames = frames.iter().map(|frame| frame.as_bytes());
        let left = HookFrames { is_own }.without(frames);
        left.map(|frame| String::from_utf8_lossy(frame).into_owned()).collect()
    }

    #[test]
    fn the_hook_of_modules_leaves_no_second_frame() {
        let (conv, forward) = ("torch/nn/modules/conv.py(564): forward", "nn.Module: Conv2d_0");
        let wrapped = "torch/nn/modules/module.py(1783): _wrapped_call_impl";
        let inner = "torch/nn/modules/module.py(1791): _call_impl";
        let recorded = [conv, inner, wrapped, forward, "train.py(3): <module>"];
        assert_eq!(left(true, &recorded), [conv, inner, forward, "train.py(3): <module>"]);
        assert_eq!(left(false, &recorded), recorded, "another tool's stack is as it is");
        // PyTorch 2.0 and older have one function.
        assert_eq!(left(true, &[conv, inner, forward]), [conv, forward]);
        // A method that calls it by itself.
        assert_eq!(left(true, &[inner, "a.py(1): _call_impl"]), [inner, "a.py(1): _call_impl"]);
    }

    #[test]
    fn frames_of_hooks_and_decorators_are_left_out() {
        let hook = "/root/.cache/proftui/f4e5/py/_proftui_shim/wrappers.py(126): call";
        let backward = "torch/autograd/__init__.py(255): backward";
        for is_own in [true, false] {
            assert_eq!(
                left(is_own, &[backward, hook, hook, "train.py(9): step"]),
                [backward, "train.py(9): step"]
            );
        }
        assert_eq!(left(true, &["proftui/ranges.py(33): call", "a.py(1): f"]), ["a.py(1): f"]);
        assert_eq!(left(false, &["proftui/ranges.py(33): call"]).len(), 1);
        assert!(left(true, &[]).is_empty());
    }
}
