"""The model's forward raises an exception in the ninth iteration: 8 steps, status 1."""
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.calls = torch.nn.Linear(16, 1), 0

    def forward(self, inputs):
        self.calls += 1
        if self.calls == 9:
            raise ValueError("the ninth batch is broken")
        return self.layer(inputs)


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    optimizer.zero_grad()
    loss = model(torch.randn(8, 16)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
