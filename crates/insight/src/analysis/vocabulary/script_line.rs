//! Frames of Python stacks as producers write them, such as `train.py(54): step`: which are lines of files,
//! and which of these belong to libraries.
//!
//! Must not know where a stack was recorded.

/// What a frame of a Python stack is: a line of the user's program or of a library, or no line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A line of a file that is not known as a library's.
    User,
    /// A line of a framework, an installed package, Python's own library or proftui's Python code.
    Library,
    /// No line of a file, such as a built-in function or a module of a network.
    Other,
}

/// How the paths of libraries' files begin where the folder that contains the library is cut off.
const LIBRARIES: &[&[u8]] = &[
    b"_proftui_shim/",
    b"apex/",
    b"deepspeed/",
    b"functorch/",
    b"lightning/",
    b"megatron/core/",
    b"numpy/",
    b"paddle/",
    b"proftui/",
    b"pytorch_lightning/",
    b"torch/",
    b"torch_npu/",
    b"torchvision/",
    b"tqdm/",
    b"transformer_engine/",
    b"triton/",
    // Packages of Python's own library.
    b"asyncio/",
    b"collections/",
    b"concurrent/",
    b"ctypes/",
    b"importlib/",
    b"json/",
    b"logging/",
    b"multiprocessing/",
];

/// Parts of paths by which a file is known as a library's.
const INSTALLED: &[&[u8]] =
    &[b"/site-packages/", b"/dist-packages/", b"/lib/python", b"/_proftui_shim/", b"/torch/nn/"];

/// Whole paths by which a file is known as a library's.
const FILES: &[&[u8]] = &[
    b"_weakrefset.py",
    b"abc.py",
    b"bdb.py",
    b"contextlib.py",
    b"copy.py",
    b"copyreg.py",
    b"enum.py",
    b"functools.py",
    b"inspect.py",
    b"os.py",
    b"queue.py",
    b"random.py",
    b"runpy.py",
    b"selectors.py",
    b"sitecustomize.py",
    b"socket.py",
    b"threading.py",
    b"typing.py",
    b"warnings.py",
    b"weakref.py",
];

impl Frame {
    /// Decides by the text of a frame, such as `train.py(54): step`, what the frame is.
    pub fn of(frame: &[u8]) -> Self {
        match file(frame) {
            None => Self::Other,
            Some(file) if is_library(file) => Self::Library,
            Some(_) => Self::User,
        }
    }
}

/// The file of a frame; `None` for a frame without a line of a file.
fn file(frame: &[u8]) -> Option<&[u8]> {
    location(frame).map(|(file, _)| file)
}

/// The file and the number of the line of a frame `FILE(LINE): FUNCTION`; `None` for a frame of another form,
/// and for code without a file (`<string>`).
#[must_use]
pub fn location(frame: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memmem::find(frame, b"): ")?;
    let open = memchr::memrchr(b'(', &frame[..end])?;
    let line = &frame[open + 1..end];
    let is_line = !line.is_empty() && line.iter().all(u8::is_ascii_digit);
    let file = &frame[..open];
    (is_line && !file.is_empty() && !file.starts_with(b"<")).then_some((file, line))
}

fn is_library(file: &[u8]) -> bool {
    let name = memchr::memrchr(b'/', file).map_or(file, |at| &file[at + 1..]);
    LIBRARIES.iter().any(|path| file.starts_with(path))
        || INSTALLED.iter().any(|part| memchr::memmem::find(file, part).is_some())
        || FILES.contains(&file)
        || name == b"sitecustomize.py"
}

/// Chooses the line of a stack, innermost frame first, to which a call is attributed: the innermost of the
/// user's program, else of a library. `None` for a stack without lines.
pub fn line<T: Copy>(stack: impl IntoIterator<Item = T>, mut frame: impl FnMut(T) -> Frame) -> Option<T> {
    let mut library = None;
    for at in stack {
        match frame(at) {
            Frame::User => return Some(at),
            Frame::Library => library = library.or(Some(at)),
            Frame::Other => {}
        }
    }
    library
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_users_libraries_and_neither() {
        for (frame, want) in [
            ("train.py(54): step", Frame::User),
            ("/home/me/my project/train.py(54): <module>", Frame::User),
            ("vllm/v1/worker/gpu_worker.py(12): execute", Frame::User),
            ("models/queue.py(3): get", Frame::User),
            ("f(1).py(3): get", Frame::User),
            ("torch/nn/modules/module.py(1501): _call_impl", Frame::Library),
            ("/opt/conda/lib/python3.10/site-packages/torch/_tensor.py(8): backward", Frame::Library),
            ("/usr/lib/python3/dist-packages/yaml/a.py(8): f", Frame::Library),
            ("/x/assets/python/_proftui_shim/steps.py(1): f", Frame::Library),
            ("/x/assets/python/sitecustomize.py(1): f", Frame::Library),
            ("contextlib.py(81): inner", Frame::Library),
            ("threading.py(973): _bootstrap", Frame::Library),
            ("<built-in method conv2d of type object at 0x7f>", Frame::Other),
            ("nn.Module: Linear_0", Frame::Other),
            ("<string>(1): <module>", Frame::Other),
            ("train.py(): f", Frame::Other),
            ("(3): f", Frame::Other),
            ("", Frame::Other),
        ] {
            assert_eq!(Frame::of(frame.as_bytes()), want, "{frame}");
        }
    }

    #[test]
    fn the_innermost_line_of_the_program_stands_for_a_stack() {
        let of = |stack: &[&'static str]| line(stack.iter().copied(), |frame| Frame::of(frame.as_bytes()));
        let stack = ["<built-in f>", "torch/a.py(1): f", "model.py(2): forward", "train.py(3): step"];
        assert_eq!(of(&stack), Some("model.py(2): forward"));
        assert_eq!(of(&["<built-in f>", "torch/a.py(1): f", "torch/b.py(2): g"]), Some("torch/a.py(1): f"));
        assert_eq!(of(&["<built-in f>"]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_frame_has_a_file_and_a_line() {
        assert_eq!(location(b"a/f(1).py(30): get"), Some((&b"a/f(1).py"[..], &b"30"[..])));
        assert_eq!(location(b"nn.Module: Linear_0"), None);
    }
}
