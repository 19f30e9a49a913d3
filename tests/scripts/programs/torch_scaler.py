"""A gradient scaler skips the optimizer in three of 12 iterations, whose gradients overflow: 12 steps."""
import torch

torch.manual_seed(0)
model = torch.nn.Linear(16, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for step in range(12):
    inputs = torch.randn(8, 16)
    if step % 4 == 1:
        inputs[0] = float("inf")
    optimizer.zero_grad()
    loss = model(inputs).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
print("loss", loss.item(), "scale", scaler.get_scale())
