"""Paddle's `Model.fit`: two epochs of eight batches, each followed by an evaluation of four: 16 steps."""
import numpy
import paddle


class Numbers(paddle.io.Dataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return numpy.full(16, index / 64, "float32"), numpy.full(1, index / 64, "float32")


paddle.seed(0)
net = paddle.nn.Sequential(paddle.nn.Linear(16, 32), paddle.nn.ReLU(), paddle.nn.Linear(32, 1))
model = paddle.Model(net)
model.prepare(paddle.optimizer.SGD(learning_rate=0.1, parameters=net.parameters()), paddle.nn.MSELoss())
model.fit(Numbers(64), Numbers(32), batch_size=8, epochs=2, shuffle=False, verbose=0)
print("loss", model.evaluate(Numbers(32), batch_size=8, verbose=0))
