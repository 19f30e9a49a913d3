//! Compiles the protobuf schema into Rust. Needs no protoc: protox reads the schema, prost-build writes the code.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=proto");
    let schema = protox::compile(["proto/nodetree.proto"], ["proto"])?;
    prost_build::Config::new().compile_fds(schema)?;
    Ok(())
}
