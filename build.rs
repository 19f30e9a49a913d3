//! Makes what the program carries: the protobuf schema as Rust, the agent's library, the Python files.
//!
//! The schema needs no protoc: protox reads it, prost-build writes the code. Its messages can be written as JSON and read back
//! without loss, which is how a trace keeps them when it is converted. The agent is built by a cargo of its own, into a folder of its
//! own, because it is a library that other processes load.

use std::env;
use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Fields of bytes and floats, which JSON needs help with.
const SPECIAL: &[&str] = &[
    "NodeTreesProto.version",
    "HostTraceEventProto.name",
    "HostTraceEventProto.arguments",
    "CudaRuntimeTraceEventProto.name",
    "DeviceTraceEventProto.name",
    "KernelEventInfoProto.blocks_per_sm",
    "KernelEventInfoProto.warps_per_sm",
    "KernelEventInfoProto.occupancy",
    "MemcpyEventInfoProto.copy_kind",
    "MemcpyEventInfoProto.src_kind",
    "MemcpyEventInfoProto.dst_kind",
    "MemsetEventInfoProto.memory_kind",
    "MemTraceEventProto.place",
    "MemTraceEventProto.memory_kind",
    "MemTraceEventProto.arguments",
    "OperatorSupplementEventProto.op_type",
    "OperatorSupplementEventProto.callstack",
    "OperatorSupplementEventProto.InputShapes.key",
    "OperatorSupplementEventProto.Dtypes.key",
    "OperatorSupplementEventProto.DtypeVector.dtype",
    "ExtraInfoMap.key",
    "ExtraInfoMap.value",
    "DevicePropertyProto.name",
    "DevicePropertyProto.uuid",
    "StreamProto.title",
];

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo names a folder for what is made")?);
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo names the package's folder")?);
    schema()?;
    agent(&root, &out)?;
    python(&root.join("assets/python"), &out)
}

fn schema() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let schema = protox::compile(["proto/nodetree.proto"], ["proto"])?;
    let mut config = prost_build::Config::new();
    config.type_attribute(".", "#[derive(serde::Serialize, serde::Deserialize)] #[serde(default)]");
    config.field_attribute(".", "#[serde(skip_serializing_if = \"crate::base::lossless::Blank::is_blank\")]");
    for field in SPECIAL {
        let path = format!(".paddle.platform.{field}");
        config.field_attribute(path, "#[serde(with = \"crate::base::lossless\")]");
    }
    config.compile_fds(schema)?;
    Ok(())
}

/// Builds the agent, and tells the program where its library lies.
fn agent(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    for part in [
        "crates/agent/src",
        "crates/agent/Cargo.toml",
        "crates/wire/src",
        "crates/wire/Cargo.toml",
        "Cargo.lock",
    ] {
        println!("cargo::rerun-if-changed={part}");
    }
    let folder = out.join("agent");
    let target = env::var("TARGET")?;
    let mut cargo = Command::new(env::var_os("CARGO").ok_or("cargo names itself")?);
    cargo.current_dir(root).args(["build", "--package", "proftui-agent", "--profile", "agent", "--quiet"]);
    cargo.arg("--target").arg(&target).arg("--target-dir").arg(&folder);
    // What cargo told this script is about the program, not about the agent.
    for (name, _) in env::vars_os() {
        let is_of_program = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_FEATURE_")
                || name.starts_with("CARGO_CFG_")
                || name == "CARGO_ENCODED_RUSTFLAGS"
        });
        if is_of_program
            || [OsStr::new("RUSTC_WORKSPACE_WRAPPER"), OsStr::new("CLIPPY_ARGS")].contains(&name.as_os_str())
        {
            cargo.env_remove(name);
        }
    }
    if !cargo.status()?.success() {
        return Err("the agent does not build".into());
    }
    let library = folder.join(target).join("agent/libproftui_agent.so");
    println!("cargo::rustc-env=PROFTUI_AGENT_SO={}", library.display());
    Ok(())
}

/// Lists the Python files, each with its text.
fn python(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", root.display());
    let (mut files, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some(OsStr::new("py")) {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut code =
        String::from("/// The Python files, by their place below the folder that Python searches.\n");
    code.push_str("const PYTHON: &[(&str, &str)] = &[\n");
    for file in files {
        let name = file.strip_prefix(root)?.to_str().ok_or("a name that is no text")?;
        let file = file.to_str().ok_or("a path that is no text")?;
        code.push_str(&format!("    ({name:?}, include_str!({file:?})),\n"));
    }
    code.push_str("];\n");
    Ok(fs::write(out.join("python_files.rs"), code)?)
}
