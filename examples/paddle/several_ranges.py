"""Records steps 2 to 5, 8 to 11 and 14 to 17: writes three traces to profiler_demo."""
import paddle
import proftui as profiler
from proftui import ProfilerTarget

linear = paddle.nn.Linear(13, 5)
momentum = paddle.optimizer.Momentum(learning_rate=1e-4, parameters=linear.parameters())
with profiler.Profiler(
        targets=[ProfilerTarget.CPU, ProfilerTarget.GPU],
        scheduler=profiler.make_scheduler(closed=1, ready=1, record=4, repeat=3),
        on_trace_ready=profiler.export_chrome_tracing('./profiler_demo')) as prof:
    for i in range(30):
        data = paddle.randn(shape=[26])
        data = paddle.reshape(data, [2, 13])
        out = linear(data)
        out.backward()
        momentum.step()
        momentum.clear_grad()
        prof.step()
