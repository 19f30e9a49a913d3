"""Two spawned ranks train one model by DistributedDataParallel: 8 steps each."""
import os
import tempfile

import torch


def train(rank, file):
    os.environ["RANK"], os.environ["WORLD_SIZE"] = str(rank), "2"
    torch.distributed.init_process_group("gloo", init_method="file://" + file, rank=rank, world_size=2)
    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(8):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 16)).pow(2).mean()
        loss.backward()
        optimizer.step()
    if rank == 0:
        print("loss", loss.item())
    # A rank that ends early closes its connections, at which others may fail.
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(train, (os.path.join(folder, "ranks"),), nprocs=2)
