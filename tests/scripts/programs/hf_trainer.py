"""Hugging Face's Trainer over 48 batches, whose gradients are accumulated over the number of batches given: 48 / N steps."""
import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from transformers import GPT2Config, GPT2LMHeadModel, PrinterCallback, Trainer, TrainingArguments


class Tokens(torch.utils.data.Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, index):
        tokens = torch.arange(index, index + 8) % 64
        return {"input_ids": tokens, "labels": tokens}


with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=int(sys.argv[1]),
        num_train_epochs=1,
        save_strategy="no",
        logging_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        seed=0,
    )
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=16, n_embd=16, n_layer=2, n_head=2))
    trainer = Trainer(model, arguments, train_dataset=Tokens())
    # It prints times.
    trainer.remove_callback(PrinterCallback)
    state = trainer.train()
print("steps", state.global_step, "loss", state.training_loss)
