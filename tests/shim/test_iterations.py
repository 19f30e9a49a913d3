"""Steps of libraries that run the loop themselves, and what is offered where no step is seen."""
import unittest

from runs import Case

KERAS = """
class CallbackList:
    def on_epoch_begin(self, epoch, logs=None): pass
    def on_test_begin(self, logs=None): pass
    def on_test_end(self, logs=None): pass
    def on_train_batch_begin(self, batch, logs=None): pass
    def on_train_batch_end(self, batch, logs=None): pass
    def on_test_batch_begin(self, batch, logs=None): pass
    def on_test_batch_end(self, batch, logs=None): pass
    def on_predict_batch_begin(self, batch, logs=None): pass
    def on_predict_batch_end(self, batch, logs=None): pass
"""
LEARNER = """
class Learner:
    training = True
    def one_batch(self, at, batch):
        if batch is None: raise ValueError
    def _do_epoch_validate(self):
        self.training = False
        for at in range(3): self.one_batch(at, at)
        self.training = True
"""
# Of the real one, `jit` is a function.
JAX = """
class Annotation:
    pass

class profiler:
    TraceAnnotation = StepTraceAnnotation = Annotation

def jit(fun, **options):
    return fun
"""
BOOSTERS = {
    "xgboost/__init__.py": "",
    "xgboost/callback.py": """
class CallbackContainer:
    def before_training(self, model): return model
    def before_iteration(self, *args): return False
    def after_iteration(self, *args): return False
""",
    "lightgbm/__init__.py": "",
    "lightgbm/basic.py": """
class Booster:
    def update(self): return False
""",
}
SESSIONS = """
class Session:
    def run(self, output_names, input_feed, run_options=None): return self.run_with_iobinding(None)
    def run_with_iobinding(self, iobinding, run_options=None): return [1]

class InferenceSession(Session): pass
"""
ESTIMATORS = """
import functools

def _fit_context(*, prefer_skip_nested_validation):
    def decorator(fit_method):
        @functools.wraps(fit_method)
        def wrapper(estimator, *args, **kwargs):
            return fit_method(estimator, *args, **kwargs)
        return wrapper
    return decorator
"""
FILES = dict(
    BOOSTERS,
    **{
        "keras/__init__.py": "", "keras/src/__init__.py": "", "keras/src/callbacks/__init__.py": "",
        "keras/src/callbacks/callback_list.py": KERAS, "fastai/__init__.py": "", "fastai/learner.py": LEARNER,
        "onnxruntime/__init__.py": "", "onnxruntime/capi/__init__.py": "",
        "onnxruntime/capi/onnxruntime_inference_collection.py": SESSIONS, "sklearn/__init__.py": "", "sklearn/base.py": ESTIMATORS,
    }
)
HEAD = """
import torch
from torch.nn import Module
from torch.optim import SGD
from keras.src.callbacks.callback_list import CallbackList
net, calls = Module(), CallbackList()

def batches(what, count):
    for at in range(count):
        getattr(calls, "on_%s_batch_begin" % what)(at)
        net(at)
        getattr(calls, "on_%s_batch_end" % what)(at)

def test(count):
    calls.on_test_begin()
    batches("test", count)
    calls.on_test_end()
"""


class Iterations(Case):
    def run_steps(self, script, count, by, head="", **keys):
        done = self.run_script(head + script, files=FILES, **keys)
        words = ("step", "begin_step", "restart_steps", "validation")
        calls = [call for _, call, *_ in done.processes[0] if call in words]
        last = len(calls) - calls[::-1].index("restart_steps") if "restart_steps" in calls else 0
        self.assertEqual((calls[last:].count("step"), done.notes()), (count, []), (script, done.recorded()))
        self.assertEqual(done.facts().get("step_on"), by)
        return calls[last:]

    def test_batches_of_training_are_steps_and_tests_are_validations(self):
        calls = self.run_steps("for _ in range(2): calls.on_epoch_begin(0); batches('train', 4); test(3)", 8, "loop: Keras", HEAD)
        self.assertEqual(calls, (["begin_step"] + ["step"] * 4 + ["validation"]) * 2)

    def test_a_test_before_training_is_none_of_its_steps(self):
        self.run_steps("test(3); batches('train', 5)", 5, "loop: Keras", HEAD)

    def test_a_program_that_only_predicts_has_steps(self):
        self.run_steps("batches('predict', 6)", 6, "loop: Keras, predict", HEAD)

    def test_an_optimizer_within_a_batch_ends_no_step_of_its_own(self):
        script = "opt = SGD()\nfor _ in range(2): batches('train', 4); opt.step(); opt.step()"
        self.run_steps(script, 8, "loop: Keras", HEAD)

    def test_of_fastai(self):
        script = """
from fastai.learner import Learner
learner = Learner()
for _ in range(2):
    for at in range(5): learner.one_batch(at, at)
    learner._do_epoch_validate()
try: learner.one_batch(0, None)
except ValueError: pass
"""
        self.assertEqual(self.run_steps(script, 10, "loop: fastai").count("validation"), 2)

    def test_of_boosters(self):
        script = """
from xgboost.callback import CallbackContainer
calls = CallbackContainer()
calls.before_training(None)
for at in range(7): calls.before_iteration(at); calls.after_iteration(at)
"""
        self.run_steps(script, 7, "loop: XGBoost")
        self.run_steps("from lightgbm.basic import Booster\nbooster = Booster()\nfor _ in range(9): booster.update()", 9, "loop: LightGBM")

    def test_runs_of_sessions_are_forwards(self):
        head = "from onnxruntime.capi.onnxruntime_inference_collection import InferenceSession\none, two = InferenceSession(), InferenceSession()\n"
        self.run_steps("for _ in range(9): one.run(None, {})", 9, "forward", head)
        self.run_steps("for _ in range(5): one.run(None, {}); [two.run_with_iobinding(0) for _ in range(4)]", 5, "forward", head)

    def test_fits_are_steps_if_nothing_else_is(self):
        head = """
from sklearn.base import _fit_context
class Scaler:
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X): return self
class Search:
    @_fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X):
        Scaler().fit(X), Scaler().fit(X)
        return self
"""
        for count in (1, 3, 30):
            self.run_steps("for _ in range(%d): Search().partial_fit([1])" % count, count, "fit: Search.partial_fit", head)
        train = "\nfrom torch.nn import Module\nfrom torch.optim import SGD\nnet, opt = Module(), SGD()\nfor _ in range(6): net(1); opt.step()"
        for count in (1, 12):
            done = self.run_script(head + "for _ in range(%d): Scaler().fit([1])" % count + train, files=FILES)
            self.assertEqual(len(done.steps()), 6 + (count if count > 8 else 0))
            self.assertIn("optimizer", done.facts()["step_on"])
        self.assertEqual(len(self.run_script(head + "Scaler().fit([1])", files=FILES).calls("begin")), 1)
        infer = "\nfrom torch.nn import Module\none, two = Module(), Module()\none.eval(), two.eval()\n"
        for then, count in (("for _ in range(60): one(1)", 60), ("for _ in range(12): one(1), two(1), two(1)", 12)):
            for states in ("2", "0"):
                script = head + "for _ in range(40): Scaler().fit([1])" + infer + then
                done = self.run_script(script, files=FILES, env={"STANDIN_STATES": states})
                calls = [call for _, call, *_ in done.processes[0]]
                after = calls[len(calls) - calls[::-1].index("restart_steps"):]
                self.assertEqual((after.count("step"), done.facts()["step_on"]), (count, "forward"), (then, states))

    def test_the_profiler_of_the_script_ends_the_steps_that_it_marks(self):
        script = "from torch.profiler.profiler import profile\np = profile()\nfor _ in range(3): batches('train', 1); p.step()"
        calls = self.run_script(HEAD + script, files=FILES).facts()
        self.assertIn("profiler", calls["step_on"])

    def test_compiled_functions_of_jax_are_offered(self):
        head = "import jax\ndef evaluate(): pass\ndef train(): pass\n"
        script = head + "jax.jit(evaluate)(); jax.jit(fun=train)(); jax.jit(lambda: 0)()"
        offered = self.run_script(script, files={"jax.py": JAX}).notes()
        text = "no step was seen: JAX reports none, and compiles functions of the script: use --step-on __main__:train, or __main__:evaluate"
        self.assertEqual(offered, ["note 4 " + text])
        none = self.run_script("import jax").notes()
        self.assertEqual(len(none), 1, none)
        self.assertIn("--step-on module:function", none[0])


if __name__ == "__main__":
    unittest.main()
