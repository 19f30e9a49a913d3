"""Names a part of the script, which is then shown in the timeline and in the table of ranges."""
import paddle
import proftui as profiler
from proftui import ProfilerTarget


def my_on_trace_ready(prof):
    callback = profiler.export_chrome_tracing('./profiler_demo')
    callback(prof)


linear = paddle.nn.Linear(13, 5)
momentum = paddle.optimizer.Momentum(learning_rate=1e-4, parameters=linear.parameters())
prof = profiler.Profiler(
    targets=[ProfilerTarget.CPU, ProfilerTarget.GPU],
    scheduler=(2, 10),
    on_trace_ready=my_on_trace_ready)
prof.start()
for i in range(30):
    with profiler.RecordEvent("DataPrepare"):
        data = paddle.randn(shape=[26])
        data = paddle.reshape(data, [2, 13])
    out = linear(data)
    out.backward()
    momentum.step()
    momentum.clear_grad()
    prof.step()
prof.stop()
prof.summary()
