"""Answers 10 prompts by an encoder and a decoder of 8 tokens each: 10 steps, a request each."""
import torch
from transformers import T5Config, T5ForConditionalGeneration

torch.manual_seed(0)
config = T5Config(vocab_size=64, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0, eos_token_id=63)
model = T5ForConditionalGeneration(config).eval()
tokens = 0
for prompt in range(10):
    answer = model.generate(torch.randint(1, 60, (1, 5)), max_new_tokens=8, min_new_tokens=8, do_sample=False)
    tokens += answer.shape[1]
print("tokens", tokens)
