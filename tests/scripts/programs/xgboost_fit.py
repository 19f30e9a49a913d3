"""XGBoost by its own interface, 12 rounds: 12 steps."""
import numpy as np
import xgboost

random = np.random.default_rng(0)
inputs, targets = random.random((400, 8)), random.random(400)
data = xgboost.DMatrix(inputs, targets)
booster = xgboost.train({"max_depth": 3, "nthread": 1}, data, num_boost_round=12, evals=[(data, "train")], verbose_eval=False)
print(booster.num_boosted_rounds())
