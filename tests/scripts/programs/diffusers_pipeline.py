"""Makes 3 images, each by one call of a text encoder, five of a U-Net and one of a decoder: 3 steps."""
import torch
from diffusers import AutoencoderKL, DDIMScheduler, UNet2DConditionModel
from transformers import CLIPTextConfig, CLIPTextModel

torch.manual_seed(0)
text = CLIPTextModel(CLIPTextConfig(
    vocab_size=64, hidden_size=32, intermediate_size=37, num_hidden_layers=2, num_attention_heads=4, eos_token_id=2, pad_token_id=1
)).eval()  # fmt: skip
blocks = {"block_out_channels": (8, 16), "layers_per_block": 1, "norm_num_groups": 4}
unet = UNet2DConditionModel(
    sample_size=8, in_channels=4, out_channels=4, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
    up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=32, attention_head_dim=4, **blocks
).eval()  # fmt: skip
vae = AutoencoderKL(down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2, **blocks).eval()
scheduler = DDIMScheduler()
scheduler.set_timesteps(5)
total = 0.0
with torch.no_grad():
    for image in range(3):
        prompt = text(torch.randint(3, 60, (1, 7))).last_hidden_state
        latents = torch.randn(1, 4, 8, 8)
        for time in scheduler.timesteps:
            latents = scheduler.step(unet(latents, time, prompt).sample, time, latents).prev_sample
        total += vae(latents[:, :3]).sample.sum().item()
print("total %.2f" % total)
