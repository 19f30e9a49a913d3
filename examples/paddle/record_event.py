"""Names ranges by `with`, by begin and end calls, and by a decorator; then reads a saved protobuf."""
import os

import paddle
import proftui as profiler

prof = profiler.Profiler(on_trace_ready=profiler.export_protobuf('./profiler_demo', 'ranges'))
prof.start()

with profiler.RecordEvent("record_add"):
    data1 = paddle.randn(shape=[3])
    data2 = paddle.randn(shape=[3])
    result = data1 + data2

record_event = profiler.RecordEvent("record_multiply")
record_event.begin()
data1 = paddle.randn(shape=[3])
data2 = paddle.randn(shape=[3])
result = data1 * data2
record_event.end()


@profiler.RecordEvent("record_function")
def subtract():
    return data1 - data2


subtract()
prof.stop()


def names(node):
    yield node.name
    for child in node.children_node:
        yield from names(child)


file = sorted(os.listdir('./profiler_demo'))[-1]
loaded = profiler.load_profiler_result(os.path.join('./profiler_demo', file))
for thread, root in loaded.get_data().items():
    print(thread, [name for name in names(root) if name.startswith("record_")])
