"""The models that are trained, of torch.nn alone: a residual net of convolutions, a small transformer, and nets of linear layers.

Each has `batch(device)`, data that is the same for the same seed, and gives its loss for one. Sizes follow the device: on a CPU they are
only to show that the program works.
"""

import torch
from torch import nn
from torch.nn import functional


class Residual(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, before, after, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True),
            nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        self.around = nn.Identity() if before == after and stride == 1 else nn.Conv2d(before, after, 1, stride, bias=False)

    def forward(self, images):
        return functional.relu(self.body(images) + self.around(images))


class ResNet(nn.Module):
    """As ResNet-18, on images of half the side."""

    def __init__(self, device):
        super().__init__()
        self.sizes = (64, 112, (64, 128, 256, 512), 2) if device == "cuda" else (2, 16, (4, 8), 1)
        _, _, widths, depth = self.sizes
        self.stem = nn.Sequential(
            nn.Conv2d(3, widths[0], 7, 2, 3, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        blocks, before = [], widths[0]
        for stage, width in enumerate(widths):
            for at in range(depth):
                blocks.append(Residual(before, width, 2 if stage > 0 and at == 0 else 1))
                before = width
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(before, 10)

    def batch(self, device):
        count, side, *_ = self.sizes
        return torch.randn(count, 3, side, side), torch.randint(10, (count,))

    def forward(self, batch):
        images, labels = batch
        return functional.cross_entropy(self.head(self.blocks(self.stem(images)).mean((2, 3))), labels)


class Layer(nn.Module):
    """A layer of a transformer that looks back only."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.think = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, words):
        count, length, width = words.shape
        parts = self.attend(self.before(words)).view(count, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        words = words + self.out(seen.transpose(1, 2).reshape(count, length, width))
        return words + self.think(self.between(words))


class Transformer(nn.Module):
    """A language model of a few layers, in bfloat16 where it pays."""

    def __init__(self, device):
        super().__init__()
        self.sizes = (16, 512, 8192, 512, 8, 6) if device == "cuda" else (2, 8, 50, 16, 2, 1)
        _, _, vocabulary, width, heads, depth = self.sizes
        self.device = device
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.Sequential(*(Layer(width, heads) for _ in range(depth)), nn.LayerNorm(width))
        self.head = nn.Linear(width, vocabulary, bias=False)

    def batch(self, device):
        count, length, vocabulary, *_ = self.sizes
        words = torch.randint(vocabulary, (count, length + 1))
        return words[:, :-1].contiguous(), words[:, 1:].contiguous()

    def forward(self, batch):
        words, next_words = batch
        with torch.autocast(self.device, torch.bfloat16):
            guesses = self.head(self.layers(self.embedding(words)))
        return functional.cross_entropy(guesses.float().flatten(0, 1), next_words.flatten())


class Linear(nn.Module):
    """Linear layers: the narrow ones wait for their launches, the wide ones for the device."""

    def __init__(self, count, width):
        super().__init__()
        self.count, self.width = count, width
        self.layers = nn.Sequential(*(layer for _ in range(5) for layer in (nn.Linear(width, width), nn.ReLU())))

    def batch(self, device):
        return (torch.randn(self.count, self.width),)

    def forward(self, batch):
        return self.layers(batch[0]).square().mean()


def make(name, device):
    if name == "small":
        return Linear(8, 16)
    if name == "large":
        return Linear(*((4096, 4096) if device == "cuda" else (64, 64)))
    return {"resnet": ResNet, "transformer": Transformer}[name](device)
