"""scikit-learn, a scaler and then a search over parameters, which fits a pipeline 7 times within its own fit: 2 steps."""
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

random = np.random.default_rng(0)
inputs = random.random((60, 4))
inputs = StandardScaler().fit(inputs).transform(inputs)
search = GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [0.1, 1]}, cv=3)
search.fit(inputs, inputs[:, 0] > 0)
print("score %.2f" % search.best_score_)
