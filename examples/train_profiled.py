"""The loop of train.py, which profiles itself with the Python module: four recorded steps with two named ranges."""

import random

import proftui as profiler


def show(prof):
    """Exports the trace, and prints the table of named ranges."""
    profiler.export_chrome_tracing("profiler_demo")(prof)
    prof.summary(views=profiler.SummaryView.UDFView)


with profiler.Profiler(scheduler=(2, 6), on_trace_ready=show) as prof:
    for _ in range(8):
        with profiler.RecordEvent("iteration"):
            batch = [random.random() for _ in range(20_000)]
            with profiler.RecordEvent("train_step"):
                sum(sample * sample for sample in batch)
        prof.step()
