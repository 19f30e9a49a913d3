"""Ten steps, for each of which a pool of two spawned processes prepares two inputs in named ranges: 10 steps."""
import multiprocessing

import torch


def prepare(seed):
    with torch.profiler.record_function("prepare"):
        return torch.randn(4, 16, generator=torch.Generator().manual_seed(seed))


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.nn.Linear(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for step in range(10):
            inputs = torch.cat(pool.map(prepare, (2 * step, 2 * step + 1)))
            optimizer.zero_grad()
            loss = model(inputs).pow(2).mean()
            loss.backward()
            optimizer.step()
        pool.close()
        pool.join()
    print("loss", loss.item())
