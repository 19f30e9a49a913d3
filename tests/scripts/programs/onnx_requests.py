"""Answers 10 requests, each by one run of a session and four of another one: 10 steps."""
import numpy as np
from onnx_run import session

encoder, decoder = session("encoder"), session("decoder")
total = 0.0
for request in range(10):
    state = encoder.run(None, {"x": np.full(8, request, "float32")})[0]
    for token in range(4):
        state = decoder.run(["y"], {"x": state})[0]
    total += float(state.sum())
print("total %.1f" % total)
