"""A teacher in evaluation mode and without gradients is part of each of 15 iterations: 15 steps, no validation."""
import torch

torch.manual_seed(0)
teacher, student = torch.nn.Linear(16, 4), torch.nn.Linear(16, 4)
teacher.eval()
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
for step in range(15):
    inputs = torch.randn(8, 16)
    with torch.no_grad():
        targets = teacher(inputs)
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(student(inputs), targets)
    loss.backward()
    optimizer.step()
print("loss", loss.item())
