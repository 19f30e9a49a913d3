"""Lists the public names of the installed frameworks' profilers, as JSON: for each framework its version, and names by where they are.

`python listed.py torch|paddle`. What exists only while a profiler has recorded is listed of such objects.
"""
import inspect
import json
import os
import sys


def main():
    # Frameworks print to stdout as they like.
    out, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
    os.dup2(2, 1)
    found = {"torch": of_torch, "paddle": of_paddle}[sys.argv[1]]()
    json.dump(found, out, indent=1)
    out.write("\n")


def of_torch():
    import torch
    from torch import profiler

    with profiler.profile(activities=[profiler.ProfilerActivity.CPU]) as prof:
        torch.ones(2) + 1
    events, averages = prof.events(), prof.key_averages()
    return version(torch.__version__, {
        "torch.profiler": sorted(profiler.__all__),
        "torch.profiler.profile": names(prof),
        "torch.profiler._KinetoProfile": names(profiler._KinetoProfile()),
        "arguments": arguments(
            profile=profiler.profile,
            key_averages=prof.key_averages,
            export_chrome_trace=prof.export_chrome_trace,
            export_stacks=prof.export_stacks,
            export_memory_timeline=prof.export_memory_timeline,
            toggle_collection_dynamic=prof.toggle_collection_dynamic,
            add_metadata=prof.add_metadata,
            add_metadata_json=prof.add_metadata_json,
            preset_metadata_json=prof.preset_metadata_json,
            table=averages.table,
            record_function=profiler.record_function,
            schedule=profiler.schedule,
            tensorboard_trace_handler=profiler.tensorboard_trace_handler,
        ),
        "ProfilerAction": names(profiler.ProfilerAction),
        "ProfilerActivity": members(profiler.ProfilerActivity),
        "DeviceType": members(profiler.DeviceType),
        "events()": names(events),
        "key_averages()": names(averages),
        "an event": names(events[0]),
        "a row of averages": names(averages[0]),
        "torch.autograd.profiler": sorted(torch.autograd.profiler.__all__),
    })


def of_paddle():
    import paddle
    from paddle import profiler

    cpu = [profiler.ProfilerTarget.CPU]
    with profiler.Profiler(targets=cpu, on_trace_ready=lambda prof: None) as prof:
        paddle.ones([2]) + 1
    core = paddle.base.core
    return version(paddle.__version__, {
        "paddle.profiler": sorted(profiler.__all__),
        "paddle.profiler.Profiler": names(prof),
        "arguments": arguments(
            Profiler=profiler.Profiler,
            step=prof.step,
            step_info=prof.step_info,
            summary=prof.summary,
            export=prof.export,
            make_scheduler=profiler.make_scheduler,
            export_chrome_tracing=profiler.export_chrome_tracing,
            export_protobuf=profiler.export_protobuf,
            load_profiler_result=profiler.load_profiler_result,
            RecordEvent=profiler.RecordEvent,
        ),
        "RecordEvent": names(profiler.RecordEvent("range")),
        "ProfilerState": names(profiler.ProfilerState),
        "ProfilerTarget": names(profiler.ProfilerTarget),
        "SortedKeys": names(profiler.SortedKeys),
        "SummaryView": names(profiler.SummaryView),
        "TracerEventType": members(profiler.TracerEventType),
        "profiler_result": names(prof.profiler_result),
        "a host node": names(core.HostPythonNode),
        "a device node": names(core.DevicePythonNode),
        "a memory node": names(core.MemPythonNode),
    })


def version(text, of):
    return {"version": text.partition("+")[0], "names": of}


def names(thing):
    """The public names of a thing, those of its class included."""
    return sorted(name for name in dir(thing) if not name.startswith("_"))


def arguments(**functions):
    """The arguments of functions, as `function(argument)`."""
    return sorted("%s(%s)" % (name, argument) for name, function in functions.items() for argument in inspect.signature(function).parameters)


def members(kind):
    """The members of an enumeration that C++ made, without what all of them have."""
    return [name for name in names(kind) if name not in ("name", "value")]


if __name__ == "__main__":
    main()
