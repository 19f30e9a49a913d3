"""LightGBM, 11 rounds: 11 steps."""
import lightgbm
import numpy as np

random = np.random.default_rng(0)
inputs, targets = random.random((400, 8)), random.random(400)
booster = lightgbm.train({"verbose": -1, "num_threads": 1}, lightgbm.Dataset(inputs, targets), num_boost_round=11)
print(booster.current_iteration())
