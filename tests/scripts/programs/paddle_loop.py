"""Two epochs of ten batches of a Paddle DataLoader: 20 steps."""
import numpy
import paddle


class Numbers(paddle.io.Dataset):
    def __len__(self):
        return 80

    def __getitem__(self, index):
        return numpy.full(16, index / 80, "float32"), numpy.full(1, index / 80, "float32")


paddle.seed(0)
model = paddle.nn.Sequential(paddle.nn.Linear(16, 32), paddle.nn.ReLU(), paddle.nn.Linear(32, 1))
optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=model.parameters())
for epoch in range(2):
    for inputs, targets in paddle.io.DataLoader(Numbers(), batch_size=8):
        loss = paddle.nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
print("loss", float(loss))
