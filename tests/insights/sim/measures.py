"""Figures of a run that findings beyond idle time go by: copies, communication, small kernels, the optimizer."""
from statistics import median

from .ledger import length, union, without


# Parts of the names of kernels: float32 products and convolutions without tensor cores; conversions of layouts.
SIMT = ("simt", "sgemm", "scudnn", "_engine<float", "winogradForwardData4x4<float", "fft2d_r2c_32x32<float", "cgemm")
LAYOUT = ("nchwToNhwc", "nhwcToNchw", "batched_transpose")
# A copy of at most so many bytes is a small one.
SMALL_COPY = 1024

# Rules beyond idle time, and what a run's figures must be for the rule to speak, and to be silent; with room around the law's limits.
SHOWS = {
    "exposed_copy": (lambda f: f["exposed_copy_share"] >= 0.07, lambda f: f["exposed_copy_share"] <= 0.03),
    "communication": (lambda f: f["exposed_communication_share"] >= 0.07 and f["hidden_communication_share"] < 0.6,
                      lambda f: f["exposed_communication_share"] <= 0.03),
    "no_tensor_cores": (lambda f: f["has_tensor_cores"] and f["simt_share_of_kernels"] >= 0.3,
                        lambda f: not f["has_tensor_cores"] or f["simt_share_of_kernels"] <= 0.05),
    "unfused_optimizer": (
        lambda f: f["optimizer_kernels_per_step"] >= 220 and f["optimizer_mean_kernel_ns"] < 9000 and f["optimizer_share"] >= 0.07,
        lambda f: f["optimizer_kernels_per_step"] <= 150 or f["optimizer_mean_kernel_ns"] > 15000 or f["optimizer_share"] <= 0.03),
    "small_kernels": (lambda f: f["kernels"] >= 110 and f["mean_kernel_ns"] < 9000 and f["launch_bound_share"] >= 0.07,
                      lambda f: f["launch_bound_share"] <= 0.03 or f["mean_kernel_ns"] > 15000),
    "outlier_step": (lambda f: f["outlier_share"] >= 0.07, lambda f: f["outlier_share"] <= 0.03),
    "layout_conversion": (lambda f: f["layout_share"] >= 0.07, lambda f: f["layout_share"] <= 0.03),
    "small_copies": (lambda f: f["small_copies"] >= 110 and f["small_copies_share"] >= 0.07,
                     lambda f: f["small_copies"] <= 90 or f["small_copies_share"] <= 0.03),
    "memory_growth": (lambda f: f["memory_growth_bytes"] >= 100_000_000, lambda f: f["memory_growth_bytes"] <= 1_000_000),
}


def measures(machine, device, inner_ns, launch_bound):
    """Figures of one device; shares are of `inner_ns`, the part less its edges."""
    works = [work for work in device.works if work.is_recorded]
    kernels = [work for work in works if work.kind == "kernel"]
    ranges = {
        "copies": [(w.start, w.end) for w in works if w.kind == "memcpy"],
        "kernels": [(w.start, w.end) for w in kernels],
        "comm": [(w.start, w.end) for w in kernels if w.is_collective],
        "compute": [(w.start, w.end) for w in works if not w.is_collective],
    }
    unions = {name: union(rows) for name, rows in ranges.items()}
    copies = length(without(unions["copies"], unions["kernels"]))
    comm = length(without(unions["comm"], unions["compute"]))
    total = sum(w.end - w.start for w in kernels) or 1
    simt = sum(w.end - w.start for w in kernels if any(part in w.name for part in SIMT))
    layout = union((w.start, w.end) for w in kernels if any(part in w.name for part in LAYOUT))
    small = [w for w in works if w.kind == "memcpy" and w.args["bytes"] <= SMALL_COPY and w.call.is_recorded]
    small_calls = union((w.call.start, w.call.room_from or w.call.end) for w in small)
    optimizer = [w for w in kernels if _is_in_optimizer(w.call)]
    steps = [a for t in machine.threads for a in t.activities if a.kind == "step" and a.is_recorded]
    return {
        "launch_bound_share": _share(launch_bound, inner_ns), "has_tensor_cores": not machine.edition.get("pascal", False),
        "outlier_share": _share(_outliers([a.end - a.start for a in steps[1:]]), inner_ns),
        "memory_growth_bytes": _growth(machine, steps),
        "layout_share": _share(length(layout), inner_ns),
        "small_copies": len(small), "small_copies_share": _share(length(small_calls), inner_ns),
        "exposed_copy_share": _share(copies, inner_ns),
        "exposed_communication_share": _share(comm, inner_ns),
        "hidden_communication_share": _share(length(unions["comm"]) - comm, length(unions["comm"])),
        "kernels": len(kernels), "mean_kernel_ns": total // max(1, len(kernels)),
        "simt_share_of_kernels": _share(simt, total),
        "optimizer_kernels_per_step": len(optimizer) // max(1, len(steps)),
        "optimizer_mean_kernel_ns": sum(w.end - w.start for w in optimizer) // max(1, len(optimizer)),
        "optimizer_share": _share(sum(w.end - w.start for w in optimizer), inner_ns),
    }


def _outliers(lengths):
    """Time of steps beyond the median of the steps, of those beyond the median and three median deviations."""
    if len(lengths) < 5:
        return 0
    middle = median(lengths)
    deviation = median(abs(ns - middle) for ns in lengths)
    return round(sum(ns - middle for ns in lengths if ns > middle + 3 * deviation))


def _growth(machine, steps):
    """By how much the memory in use at the ends of steps rose from the third step to the last, if it never fell."""
    ends = []
    for step in steps:
        inside = [row[3] for row in machine.memory if step.start <= row[1] <= step.end]
        ends.extend(inside[-1:])
    ends = ends[2:]
    rises = all(b >= a for a, b in zip(ends, ends[1:]))
    return ends[-1] - ends[0] if len(ends) > 1 and rises else 0


def _share(part, whole):
    return round(part / whole, 4) if whole > 0 else 0.0


def _is_in_optimizer(activity):
    while activity is not None:
        if activity.name.startswith(("Optimizer.step#", "Optimization Step")):
            return True
        activity = activity.parent
    return False
