//! x
fn main() {
    let r =
        proftui::import::Request { paths: std::env::args().skip(1).map(Into::into).collect(), cycle: None };
    let t = std::time::Instant::now();
    match proftui::import::load(&r, &Default::default()) {
        Ok(l) => println!(
            "{} {:?} slices {} dropped {} lanes {} rows {} links {} orphan {} flows {} steps {} {:?} {:?}",
            l.trace.meta.producer,
            t.elapsed(),
            l.trace.slices.len(),
            l.trace.quality.dropped,
            l.trace.lanes.len(),
            l.trace.rows.len(),
            l.trace.links.len(),
            l.trace.links.orphan_work,
            l.trace.flows.len(),
            l.trace.steps.len(),
            l.trace.span,
            l.trace.quality
        ),
        Err(e) => println!("ERR {e}"),
    }
}
