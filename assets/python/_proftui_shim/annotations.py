"""The names by which serving engines annotate the steps of their loops. Knows only names.

The importer reads the same names (`crates/trace/src/import/dialect/serving.rs`): a list in the tests holds both to the same forms.
"""
import re

# What each of the names begins with: a quick test that few other names pass.
BEGINNINGS = ("execute_", "step[", "prefill[", "decode[")

# Requests and tokens that are prefilled and decoded, with sums of their lengths or without: `execute_context_2(6144)_generation_3(3)`,
# `execute_64_context_0(sq0sk0sqsq0sqsk0)_generation_64(sq64sk131072sqsq64sqsk131072)`; with the sum of their squares:
# `execute_context_1(888_788544)_generation_0(0)`.
_COUNTED = r"execute_(?:\d+_)?context_\d+\([a-z\d_]*\)_generation_\d+\([a-z\d_]*\)"
_ENGINES = (
    ("vLLM", re.compile(_COUNTED)),
    # `step[EXTEND bs=2 toks=14721]`
    ("SGLang", re.compile(r"step\[[A-Z][A-Z_\d]* bs=\d+(?: [^\]]*)?\]")),
    # `prefill[bs=2 tok=14721 ctx=[7803, 6918]]`, `decode[bs=117/128 tok=117 d=117]`
    ("ATOM", re.compile(r"(?:prefill|decode)\[bs=\d+(?:/\d+)? tok=\d+(?: .*)?\]")),
    # Batch and resolution: `execute_diffusion_1_1024x1024`
    ("diffusion", re.compile(r"execute_diffusion_\d+_\d+x\d+")),
)


def engine_of(name):
    """The engine whose step has this name; None if it is not the name of a step."""
    if name.startswith(BEGINNINGS):
        for engine, form in _ENGINES:
            if form.fullmatch(name):
                return engine
    return None
