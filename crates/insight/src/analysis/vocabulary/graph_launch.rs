//! The names of calls that launch a graph.
//!
//! Must not know what the graph runs.

/// True if a call of this name launches a graph, such as `cudaGraphLaunch`, `cuGraphLaunch_ptsz` or
/// `hipGraphLaunch`.
pub(crate) fn is_graph_launch(name: &[u8]) -> bool {
    memchr::memmem::find(name, b"GraphLaunch").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_launch_graphs() {
        for name in ["cudaGraphLaunch", "cuGraphLaunch_ptsz", "hipGraphLaunch"] {
            assert!(is_graph_launch(name.as_bytes()), "{name}");
        }
        for name in ["cudaLaunchKernel", "cudaGraphInstantiate", "cuStreamBeginCapture"] {
            assert!(!is_graph_launch(name.as_bytes()), "{name}");
        }
    }
}
