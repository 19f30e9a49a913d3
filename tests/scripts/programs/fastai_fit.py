"""fastai, 2 epochs of 8 batches with a validation of 4 batches after each: 16 steps."""
import torch
from fastai.callback.progress import ProgressCallback
from fastai.data.core import DataLoaders
from fastai.data.load import DataLoader
from fastai.learner import Learner
from torch import nn

torch.manual_seed(0)


def loader(count):
    pairs = [(torch.randn(8), torch.ones(1)) for _ in range(count)]
    return DataLoader(pairs, bs=8, num_workers=0, device=torch.device("cpu"))


learner = Learner(DataLoaders(loader(64), loader(32)), nn.Linear(8, 1), loss_func=nn.MSELoss())
learner.remove_cb(ProgressCallback)
with learner.no_logging():
    learner.fit(2, lr=0.01)
print("weights %.4f" % learner.model.weight.sum().item())
