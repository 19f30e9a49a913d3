"""Keras on the backend given as argument: a test, two epochs of 8 batches with a validation of 3 batches after each, a test and predictions: 16 steps."""
import os
import sys

os.environ["KERAS_BACKEND"] = sys.argv[1]
import keras  # noqa: E402
import numpy as np  # noqa: E402

keras.utils.set_random_seed(0)
inputs, targets = np.random.rand(64, 8).astype("float32"), np.ones((64, 1), "float32")
model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.evaluate(inputs, targets, batch_size=8, verbose=0)
model.fit(inputs, targets, batch_size=8, epochs=2, validation_data=(inputs[:24], targets[:24]), verbose=0)
loss = model.evaluate(inputs, targets, batch_size=8, verbose=0)
model.predict(inputs, batch_size=8, verbose=0)
print("loss %.4f" % loss)
