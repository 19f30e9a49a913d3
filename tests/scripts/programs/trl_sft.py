"""TRL fine-tunes a small model, 6 optimizer steps of 2 batches each: 6 steps."""
import logging
import os

os.environ["HF_HUB_OFFLINE"] = "1"
import torch  # noqa: E402
from datasets import Dataset  # noqa: E402
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, PrinterCallback  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402
from trl import SFTConfig, SFTTrainer  # noqa: E402

logging.disable(logging.WARNING)
torch.manual_seed(0)
words = {word: at for at, word in enumerate(["<unk>", "<pad>", "<eos>", "one", "two", "three"])}
tokenizer = Tokenizer(models.WordLevel(words, "<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>", eos_token="<eos>")
model = GPT2LMHeadModel(GPT2Config(vocab_size=6, n_positions=32, n_embd=16, n_layer=1, n_head=2, bos_token_id=2, eos_token_id=2))
options = SFTConfig(
    output_dir="trained", max_steps=6, per_device_train_batch_size=2, gradient_accumulation_steps=2, report_to=[], save_strategy="no",
    logging_strategy="no", disable_tqdm=True, use_cpu=True, bf16=False, max_length=16,
)  # fmt: skip
data = Dataset.from_dict({"text": ["one two three"] * 48})
trainer = SFTTrainer(model=model, args=options, train_dataset=data, processing_class=tokenizer)
trainer.remove_callback(PrinterCallback)
trainer.train()
print("trained")
