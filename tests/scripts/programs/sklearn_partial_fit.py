"""scikit-learn, 15 partial fits of an estimator: 15 steps."""
import numpy as np
from sklearn.linear_model import SGDClassifier

random = np.random.default_rng(0)
model = SGDClassifier(random_state=0)
for batch in range(15):
    inputs = random.random((64, 8))
    model.partial_fit(inputs, inputs[:, 0] > 0.5, classes=[False, True])
print("score %.2f" % model.score(inputs, inputs[:, 0] > 0.5))
