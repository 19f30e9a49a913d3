"""A GAN with two steps of the critic per step of the generator, 12 times: 12 steps."""
import torch

torch.manual_seed(0)
generator = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8))
critic = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
its_optimizer = torch.optim.Adam(critic.parameters(), lr=0.01)
optimizer = torch.optim.Adam(generator.parameters(), lr=0.01)
for iteration in range(12):
    for repetition in range(2):
        with torch.no_grad():
            fakes = generator(torch.randn(8, 4))
        its_optimizer.zero_grad()
        loss = critic(fakes).mean() - critic(torch.randn(8, 8)).mean()
        loss.backward()
        its_optimizer.step()
    optimizer.zero_grad()
    loss = -critic(generator(torch.randn(8, 4))).mean()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
