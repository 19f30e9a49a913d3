"""Records every step by a scheduler function of the script."""
import paddle
import proftui as profiler
from proftui import ProfilerTarget


def my_scheduler(step):
    return profiler.ProfilerState.RECORD


linear = paddle.nn.Linear(13, 5)
momentum = paddle.optimizer.Momentum(learning_rate=1e-4, parameters=linear.parameters())
prof = profiler.Profiler(
    targets=[ProfilerTarget.CPU, ProfilerTarget.GPU],
    scheduler=my_scheduler,
    on_trace_ready=profiler.export_chrome_tracing('./profiler_demo'))
prof.start()
for i in range(30):
    data = paddle.randn(shape=[26])
    data = paddle.reshape(data, [2, 13])
    out = linear(data)
    out.backward()
    momentum.step()
    momentum.clear_grad()
    prof.step()
prof.stop()
prof.summary()
