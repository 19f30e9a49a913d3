"""Measures steps with the timer alone, then records some of them with all details."""
import paddle
import proftui as profiler

linear = paddle.nn.Linear(13, 5)
momentum = paddle.optimizer.Momentum(learning_rate=1e-4, parameters=linear.parameters())


def train(prof):
    for i in range(12):
        data = paddle.reshape(paddle.randn(shape=[26]), [2, 13])
        out = linear(data)
        out.backward()
        momentum.step()
        momentum.clear_grad()
        prof.step(num_samples=2)


# Paddle's own profiler lives as long as its object, and there can be one.
with profiler.Profiler(timer_only=True) as prof:
    train(prof)
del prof
with profiler.Profiler(scheduler=(2, 6), record_shapes=True, on_trace_ready=lambda prof: None) as prof:
    train(prof)
prof.summary()
