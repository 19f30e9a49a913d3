"""A compiled function that calls a model: 12 steps, of which the first one has the compilation."""
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.compile(backend="aot_eager")
def loss_of(inputs):
    return model(inputs).pow(2).mean()


for step in range(12):
    optimizer.zero_grad()
    loss = loss_of(torch.randn(8, 16))
    loss.backward()
    optimizer.step()
print("loss %.4f" % loss.item())
