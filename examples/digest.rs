fn main() {
    let mut request = proftui::import::Request::default();
    for arg in std::env::args().skip(1) {
        if arg == "--tolerant" {
            request.is_tolerant = true;
            continue;
        }
        if let Some(n) = arg.strip_prefix("--threads=") {
            request.threads = n.parse().ok();
            continue;
        }
        if let Some(n) = arg.strip_prefix("--chunk=") {
            request.chunk = n.parse().ok();
            continue;
        }
        request.paths = vec![arg.clone().into()];
        let start = std::time::Instant::now();
        match proftui::import::load(&request, &proftui::import::Progress::default()) {
            Ok(loaded) => {
                let took = start.elapsed();
                println!("{:016x} {} {arg}", loaded.trace.digest(), loaded.trace.slices.len());
                if std::env::var_os("TIME").is_some() {
                    eprintln!("{:.1} ms", took.as_secs_f64() * 1e3);
                }
            }
            Err(error) => println!("error {error}"),
        }
    }
}
