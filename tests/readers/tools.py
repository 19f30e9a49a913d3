"""What a tool finds in a trace, as a line of JSON: tools.py TOOL TRACE. Runs in a Python that has the tool."""
import contextlib
import json
import os
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")


def hta(path):
    """HTA: rows by category, and which breakdowns ran. Without device work they have nothing to break down."""
    from hta.trace_analysis import TraceAnalysis
    from hta.common.trace import Trace

    trace = Trace(trace_files={0: path}, trace_dir="")
    trace.parse_traces(use_multiprocessing=False)
    trace.align_and_filter_trace(include_last_profiler_step=True)
    rows = trace.get_trace(0)
    names = trace.symbol_table.get_sym_table()
    categories = rows["cat"].map(lambda number: names[number]).value_counts().to_dict()
    breakdowns = "-"
    if categories.get("kernel"):
        analysis = TraceAnalysis(trace_files={0: path}, trace_dir="")
        analysis.get_temporal_breakdown(visualize=False)
        analysis.get_gpu_kernel_breakdown(visualize=False)
        analysis.get_idle_time_breakdown(visualize=False)
        analysis.get_comm_comp_overlap(visualize=False)
        launches = analysis.get_cuda_kernel_launch_stats(visualize=False)
        breakdowns = "%d launches" % len(launches[0])
    return {"categories": categories, "breakdowns": breakdowns}


def board(path):
    """TensorBoard's plugin: calls of operators and kernels by name, and steps."""
    from torch_tb_profiler.profiler.data import RunProfileData

    with tempfile.TemporaryDirectory() as cache:
        data = RunProfileData.parse("worker0", "0", path, cache)
        data.process()
    kernels = {}
    if data.kernel_stat is not None:
        kernels = {str(name): int(row["count"]) for name, row in data.kernel_stat.iterrows()}
    operators = {operator.name: operator.calls for operator in data.op_list_groupby_name}
    return {"operators": operators, "kernels": kernels, "steps": list(data.steps_names)}


def tracelens(path):
    """TraceLens, of the checkout that `TRACELENS` names: the events of its tree."""
    sys.path.insert(0, os.environ["TRACELENS"])
    from TraceLens import TreePerfAnalyzer

    return {"events": len(TreePerfAnalyzer.from_file(path).tree.events)}


def main():
    tool, path = sys.argv[1:]
    # The tools print and log as they please.
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        found = {"hta": hta, "board": board, "tracelens": tracelens}[tool](path)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
