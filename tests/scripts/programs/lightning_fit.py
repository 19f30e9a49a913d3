"""Lightning's fit: a sanity validation of two batches, then two epochs of six batches, each with a validation of three: 12 steps."""
import warnings

warnings.filterwarnings("ignore")

import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))

    def training_step(self, batch):
        return torch.nn.functional.mse_loss(self.net(batch[0]), batch[1])

    def validation_step(self, batch):
        loss = torch.nn.functional.mse_loss(self.net(batch[0]), batch[1])
        print("validation loss", loss.item())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


torch.manual_seed(0)
training = DataLoader(TensorDataset(torch.randn(48, 16), torch.randn(48, 1)), batch_size=8)
validation = DataLoader(TensorDataset(torch.randn(24, 16), torch.randn(24, 1)), batch_size=8)
trainer = lightning.Trainer(
    max_epochs=2,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(Model(), training, validation)
print("steps", trainer.global_step)
