"""An asyncio server that answers 60 requests, four at a time, each by a forward on a thread of an executor: 60 steps."""
import asyncio
from concurrent.futures import ThreadPoolExecutor

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 256), torch.nn.ReLU(), torch.nn.Linear(256, 4)).eval()
executor = ThreadPoolExecutor(4, thread_name_prefix="answer")


def forward(number):
    with torch.inference_mode():
        return model(torch.full((8, 16), number / 60)).sum().item()


async def request(number, limit):
    async with limit:
        return await asyncio.get_running_loop().run_in_executor(executor, forward, number)


async def main():
    limit = asyncio.Semaphore(4)
    print("sum", sum(await asyncio.gather(*(request(number, limit) for number in range(60)))))


asyncio.run(main())
