"""Finds and repairs a slow data loader: run `case_study.py 0`, then `case_study.py 4` (number of loader processes).

The images are random; reading one takes some time instead of decoding an image.
"""
import sys
import time

import numpy as np
import paddle
import paddle.nn.functional as F
import proftui as profiler

num_workers = int(sys.argv[1]) if len(sys.argv) > 1 else 0
epoch_num, batch_size, learning_rate = 1, 32, 0.001


class Images(paddle.io.Dataset):
    def __init__(self, count):
        self.count = count

    def __getitem__(self, index):
        time.sleep(0.006)
        random = np.random.RandomState(index)
        return random.rand(3, 32, 32).astype('float32'), np.int64(index % 10)

    def __len__(self):
        return self.count


class MyNet(paddle.nn.Layer):
    def __init__(self, num_classes=1):
        super(MyNet, self).__init__()
        self.conv1 = paddle.nn.Conv2D(in_channels=3, out_channels=32, kernel_size=(3, 3))
        self.pool1 = paddle.nn.MaxPool2D(kernel_size=2, stride=2)
        self.conv2 = paddle.nn.Conv2D(in_channels=32, out_channels=64, kernel_size=(3, 3))
        self.pool2 = paddle.nn.MaxPool2D(kernel_size=2, stride=2)
        self.conv3 = paddle.nn.Conv2D(in_channels=64, out_channels=64, kernel_size=(3, 3))
        self.flatten = paddle.nn.Flatten()
        self.linear1 = paddle.nn.Linear(in_features=1024, out_features=64)
        self.linear2 = paddle.nn.Linear(in_features=64, out_features=num_classes)

    def forward(self, x):
        x = self.pool1(F.relu(self.conv1(x)))
        x = self.pool2(F.relu(self.conv2(x)))
        x = self.flatten(F.relu(self.conv3(x)))
        return self.linear2(F.relu(self.linear1(x)))


def train(model):
    print('start training ... ')
    model.train()
    opt = paddle.optimizer.Adam(learning_rate=learning_rate, parameters=model.parameters())
    train_loader = paddle.io.DataLoader(
        Images(24 * batch_size), shuffle=True, batch_size=batch_size, num_workers=num_workers)

    def my_on_trace_ready(prof):
        callback = profiler.export_chrome_tracing('./profiler_demo')
        callback(prof)
        prof.stop()
        prof.summary(sorted_by=profiler.SortedKeys.GPUTotal)

    p = profiler.Profiler(scheduler=[3, 14], on_trace_ready=my_on_trace_ready)
    p.start()
    for epoch in range(epoch_num):
        for batch_id, data in enumerate(train_loader()):
            x_data = data[0]
            y_data = paddle.to_tensor(data[1])
            y_data = paddle.unsqueeze(y_data, 1)
            logits = model(x_data)
            loss = F.cross_entropy(logits, y_data)
            if batch_id % 1000 == 0:
                print("epoch: {}, batch_id: {}, loss is: {}".format(epoch, batch_id, loss.numpy()))
            loss.backward()
            opt.step()
            opt.clear_grad()
            p.step()
    p.stop()


train(MyNet(num_classes=10))
