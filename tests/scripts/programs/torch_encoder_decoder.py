"""A server in one thread: of each of 12 requests an encoder is called once and a decoder six times: 12 steps."""
import torch

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(16, 32).eval(), torch.nn.Linear(32, 32).eval()
total = 0.0
with torch.inference_mode():
    for request in range(12):
        state = encoder(torch.randn(1, 16))
        for token in range(6):
            state = decoder(state)
        total += state.sum().item()
print("total %.4f" % total)
