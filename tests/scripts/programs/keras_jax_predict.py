"""Keras on JAX that only predicts: 8 batches, each of which is a step."""
import os

os.environ["KERAS_BACKEND"] = "jax"
import keras  # noqa: E402
import numpy as np  # noqa: E402

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
print(model.predict(np.ones((64, 8), "float32"), batch_size=8, verbose=0).shape)
