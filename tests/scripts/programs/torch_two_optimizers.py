"""Two optimizers of one model, both of which step in each iteration: 15 steps."""
import torch

torch.manual_seed(0)
embedding, head = torch.nn.Embedding(50, 8), torch.nn.Linear(8, 1)
model = torch.nn.Sequential(embedding, head)
optimizers = torch.optim.Adagrad(embedding.parameters(), lr=0.1), torch.optim.SGD(head.parameters(), lr=0.1)
for step in range(15):
    loss = model(torch.randint(50, (8,))).pow(2).mean()
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()
print("loss", loss.item())
