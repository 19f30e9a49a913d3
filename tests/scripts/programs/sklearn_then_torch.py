"""A scaler of scikit-learn prepares the data of 14 optimizer steps: 14 steps."""
import numpy as np
import torch
from sklearn.preprocessing import StandardScaler

torch.manual_seed(0)
inputs = torch.tensor(StandardScaler().fit_transform(np.random.default_rng(0).random((64, 8))), dtype=torch.float32)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(14):
    optimizer.zero_grad()
    loss = model(inputs).pow(2).mean()
    loss.backward()
    optimizer.step()
print("loss %.4f" % loss.item())
