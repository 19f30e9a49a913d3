"""What a capture of each script in `programs/` must show, by reasoning from the script.

A row is a capture. Its numbers are counts of ranges in all its traces together:

- `steps`: ranges `ProfileStep#`; `by`: what ends them, the beginning of the trace's `proftui.step_on`.
- `forward`: outermost calls of a module on a thread, including a criterion that is a module; not those of a validation.
- `validation`: such calls without gradients in a pass over validation data (within `proftui: validation` in the trace).
- `backward`, `optimization`: outermost calls that compute gradients, and of an optimizer's `step`.
- `dataloader`: calls of a loader's `next`: one per batch, and one that finds the end, unless the program stops before it.
- `named`: named ranges, by name. `processes`: processes that have any range.

Missing counts are 0, except `named` and `processes`, which are then not looked at. `operators`: the framework with whose own profiler the
operators of the program's first process are compared.
"""

# What a row has unless it says otherwise.
USUAL = {
    "arguments": [], "options": [], "needs": ["torch"], "operators": "torch", "by": "optimizer", "status": 0, "traces": 1,
    "forward": 0, "validation": 0, "backward": 0, "optimization": 0, "dataloader": 0, "named": {}, "processes": None,
    # What the capture must print where it has no step, if not the usual.
    "says": None,
    # Python's arguments before the script, such as a module that runs it.
    "before": [],
    # True if standard error must be the bare program's, apart from the recorder's own lines.
    "same_errors": False,
}

HF, ACCELERATE, PADDLE, JAX = ["transformers", "accelerate"], ["accelerate"], ["paddle"], ["jax"]

# A step is a call of the script's function.
FUNCTION = ["--step-on", "__main__:work"]

ROWS = {
    "torch_loop": {"steps": 20, "forward": 20, "backward": 20, "optimization": 20},
    # 2 x 10 batches; two workers in each epoch, which read the batches in ranges named by the data set.
    "torch_workers": {
        "steps": 20, "forward": 20, "backward": 20, "optimization": 20, "dataloader": 22, "named": {"Numbers": 20}, "processes": 5,
    },
    # 48 / 4; model and criterion are modules.
    "torch_accumulate": {"steps": 12, "forward": 96, "backward": 48, "optimization": 12, "dataloader": 49},
    # 72 / 24.
    "torch_accumulate_long": {"steps": 3, "forward": 72, "backward": 72, "optimization": 3, "dataloader": 73},
    # The second of the three steps: 24 batches; the first batch of all is the first step's.
    "torch_accumulate_long, step 1": {
        "script": "torch_accumulate_long", "options": ["--steps", "1"], "operators": None,
        "steps": 1, "forward": 24, "backward": 24, "optimization": 1, "dataloader": 24,
    },
    # In each of 12 iterations: two of the critic with 3 forwards each, one of the generator with 2.
    "torch_gan": {"steps": 12, "forward": 96, "backward": 36, "optimization": 36},
    # 3 x 8 batches and 3 x 4 for validation; model and criterion are modules.
    "torch_validate": {"steps": 24, "forward": 48, "validation": 24, "backward": 24, "optimization": 24, "dataloader": 3 * 9 + 3 * 5},
    # 6 for validation, then 2 x 8 batches.
    "torch_validate_first": {"steps": 16, "forward": 16, "validation": 6, "backward": 16, "optimization": 16, "dataloader": 7 + 2 * 9},
    # The same for one module, on a thread of its own.
    "torch_thread": {"steps": 24, "forward": 24, "validation": 12, "backward": 24, "optimization": 24, "dataloader": 3 * 9 + 3 * 5},
    # 12 without a model, then 12 batches.
    "torch_statistics": {"steps": 12, "forward": 12, "backward": 12, "optimization": 12, "dataloader": 2 * 13},
    # Teacher and student.
    "torch_distill": {"steps": 15, "forward": 30, "backward": 15, "optimization": 15},
    # 5 x (20 decisions + 4 steps). A decision is no step, and no validation: the model is in training mode.
    "torch_rollout": {"steps": 20, "forward": 120, "backward": 20, "optimization": 20},
    "torch_two_optimizers": {"steps": 15, "forward": 15, "backward": 15, "optimization": 30},
    # The optimizer is skipped in iterations 1, 5 and 9.
    "torch_scaler": {"steps": 12, "forward": 12, "backward": 12, "optimization": 9},
    # 6 x 4 calls of the closure.
    "torch_lbfgs": {"steps": 6, "forward": 24, "backward": 24, "optimization": 6},
    "torch_compiled": {"arguments": ["aot_eager"], "steps": 12, "forward": 12, "backward": 12, "optimization": 12},
    "torch_compiled, inductor": {
        "script": "torch_compiled", "arguments": ["inductor"], "needs": ["torch", "g++"],
        "steps": 12, "forward": 12, "backward": 12, "optimization": 12,
    },
    # Hooks are removed from step 16 on, installed for the recorded steps and removed again; a function is compiled in step 25.
    "torch_recompiles": {"options": ["--steps", "45:48"], "operators": None, "steps": 3, "forward": 3, "backward": 3, "optimization": 3},
    "torch_inference": {"steps": 40, "by": "dataloader", "forward": 40, "dataloader": 41},
    "torch_forwards": {"steps": 30, "by": "forward", "forward": 30},
    # Four threads.
    "torch_server": {"steps": 60, "by": "forward", "forward": 60},
    "torch_server, full": {"script": "torch_server", "options": ["--ops", "full"], "steps": 60, "by": "forward", "forward": 60},
    # A request waits for one of four permits, and then for a thread.
    "torch_server, by request": {
        "script": "torch_server", "options": ["--step-on", "__main__:request"], "steps": 60, "by": "function", "forward": 60,
    },
    # A child: 43 forwards before the 24 steps, four of which have another one. The parent has no range.
    "torch_engine, spawned": {
        "script": "torch_engine", "arguments": ["spawn"], "operators": None, "steps": 24, "by": "annotation", "forward": 43 + 28,
        "processes": 1, "named": {"capture_20_decode": 1, "step[EXTEND bs=1 toks=16]": 2, "step[DECODE bs=3]": 6},
    },
    "torch_engine, forked": {
        "script": "torch_engine", "arguments": ["fork"], "operators": None, "steps": 24, "by": "annotation", "forward": 43 + 28,
        "processes": 1, "named": {"capture_20_decode": 1, "step[EXTEND bs=1 toks=16]": 2, "step[DECODE bs=3]": 6},
    },
    # Two spawned processes prepare 10 x 2 inputs; one of them may be quick enough to prepare all.
    "torch_pool": {"steps": 10, "forward": 10, "backward": 10, "optimization": 10, "named": {"prepare": 20}},
    # The process that trains and ten children.
    "torch_forks": {"steps": 10, "forward": 20, "backward": 10, "optimization": 10, "processes": 11},
    # Four children, together.
    "torch_prefork": {"operators": None, "steps": 20, "by": "forward", "forward": 20},
    # 8 steps of each of two ranks, each of which has a trace.
    "torch_ranks": {"operators": None, "traces": 2, "steps": 16, "forward": 16, "backward": 16, "optimization": 16, "processes": 2},
    # The ninth forward raises.
    "torch_raises": {"status": 1, "same_errors": True, "steps": 8, "forward": 9, "backward": 8, "optimization": 8},
    "torch_exits": {"status": 3, "same_errors": True, "steps": 10, "forward": 10, "backward": 10, "optimization": 10},
    "torch_profiled": {"steps": 12, "by": "profiler", "forward": 12, "backward": 12, "optimization": 12},
    # 48 / 3.
    "hf_trainer, of 3": {
        "script": "hf_trainer", "arguments": ["3"], "needs": HF,
        "steps": 16, "forward": 48, "backward": 48, "optimization": 16, "dataloader": 49,
    },
    # 48 / 8.
    "hf_trainer, of 8": {
        "script": "hf_trainer", "arguments": ["8"], "needs": HF,
        "steps": 6, "forward": 48, "backward": 48, "optimization": 6, "dataloader": 49,
    },
    # Three of the six steps. Accelerate's loader is one batch ahead, and asked eight times in each of them.
    "hf_trainer, of 8, steps 1:4": {
        "script": "hf_trainer", "arguments": ["8"], "options": ["--steps", "1:4"], "needs": HF, "operators": None,
        "steps": 3, "forward": 24, "backward": 24, "optimization": 3, "dataloader": 24,
    },
    # 2 x 10 batches, 2 x 4 for evaluation.
    "hf_trainer_evaluates": {
        "needs": HF, "steps": 20, "forward": 20, "validation": 8, "backward": 20, "optimization": 20, "dataloader": 2 * 11 + 2 * 5,
    },
    # 24 / 2.
    "hf_accelerate": {"needs": ACCELERATE, "steps": 12, "forward": 24, "backward": 24, "optimization": 12, "dataloader": 25},
    # 10 prompts of 8 tokens.
    "hf_generate": {"needs": ["transformers"], "steps": 80, "by": "forward", "forward": 80},
    "hf_generate, by prompt": {
        "script": "hf_generate", "options": ["--step-on", "__main__:answer"], "needs": ["transformers"],
        "steps": 10, "by": "function", "forward": 80,
    },
    # 2 x 6 batches; 2 for the sanity check, 2 x 3 for validation. Lightning asks for no batch beyond the last one.
    "lightning_fit": {
        "needs": ["lightning"], "steps": 12, "forward": 12, "validation": 8, "backward": 12, "optimization": 12, "dataloader": 20,
    },
    "paddle_loop": {
        "needs": PADDLE, "operators": "paddle", "steps": 20, "forward": 20, "backward": 20, "optimization": 20, "dataloader": 22,
    },
    # 2 x 8 batches; 2 x 4 and 4 at the end for evaluation. Model and criterion are layers.
    "paddle_fit": {
        "needs": PADDLE, "operators": "paddle",
        "steps": 16, "forward": 32, "validation": 24, "backward": 16, "optimization": 16, "dataloader": 2 * 9 + 3 * 5,
    },
    "jax_loop": {"options": ["--step-on", "__main__:train_step"], "needs": JAX, "operators": None, "steps": 20, "by": "function"},
    # The tests and predictions beside 2 x 8 batches are no steps.
    "keras_fit, jax": {
        "script": "keras_fit", "arguments": ["jax"], "needs": ["keras", "jax"],
        "operators": None, "steps": 16, "by": "loop",
    },
    "keras_jax_predict": {"needs": ["keras", "jax"], "operators": None, "steps": 8, "by": "loop"},
    # 16 batches of training, 8 of the first test, 8 of predictions, and three that Keras makes up to build the model; 6 and 8 of tests beside
    # and after training. A batch is looked at beforehand. Its optimizers are none of PyTorch's.
    "keras_fit, torch": {
        "script": "keras_fit", "arguments": ["torch"], "needs": ["keras", "torch"], "operators": None,
        "steps": 16, "by": "loop", "forward": 35, "validation": 14, "backward": 16, "dataloader": 47,
    },
    "keras_fit, tensorflow": {
        "script": "keras_fit", "arguments": ["tensorflow"], "needs": ["keras", "tensorflow"],
        "operators": None, "steps": 16, "by": "loop",
    },
    # 2 x 8 batches, 2 x 4 for validation; model and criterion are modules. Its optimizers are no optimizers of PyTorch.
    "fastai_fit": {
        "needs": ["fastai"], "operators": None,
        "steps": 16, "by": "loop", "forward": 32, "validation": 16, "backward": 16, "dataloader": 2 * 9 + 2 * 5,
    },
    "flax_loop": {"options": ["--step-on", "__main__:train_step"], "needs": ["flax"], "operators": None, "steps": 20, "by": "function"},
    "flax_loop, no option": {
        "script": "flax_loop", "needs": ["flax"], "operators": None, "steps": 0, "by": "nothing", "says": "use --step-on __main__:train_step",
    },
    # A request: one forward of the encoder, six of the decoder.
    "torch_encoder_decoder": {"steps": 12, "by": "forward", "forward": 84},
    # A request: the encoder, and the model for each of 8 tokens.
    "hf_seq2seq": {"needs": ["transformers"], "steps": 10, "by": "forward", "forward": 90},
    "onnx_run": {"needs": ["onnxruntime", "onnx"], "operators": None, "steps": 25, "by": "forward", "forward": 25},
    "onnx_requests": {"needs": ["onnxruntime", "onnx"], "operators": None, "steps": 10, "by": "forward", "forward": 50},
    "sklearn_partial_fit": {
        "needs": ["sklearn"], "operators": None, "steps": 15, "by": "fit", "named": {"SGDClassifier.partial_fit": 15},
    },
    "sklearn_search": {
        "needs": ["sklearn"], "operators": None, "steps": 2, "by": "fit", "named": {"StandardScaler.partial_fit": 1, "GridSearchCV.fit": 1},
    },
    "sklearn_then_torch": {
        "needs": ["sklearn", "torch"], "steps": 14, "forward": 14, "backward": 14, "optimization": 14, "named": {"StandardScaler.partial_fit": 1},
    },
    # An image: the text encoder, five times the U-Net, the autoencoder.
    "diffusers_pipeline": {"needs": ["diffusers", "transformers"], "steps": 3, "by": "forward", "forward": 21},
    "fastapi_server": {"needs": ["fastapi", "httpx", "torch"], "operators": None, "steps": 20, "by": "forward", "forward": 20},
    # 6 x 2 batches, and one ahead; TRL itself calls the parts of the model, five for each batch.
    "trl_sft": {"needs": ["trl"], "operators": None, "steps": 6, "forward": 60, "backward": 12, "optimization": 6, "dataloader": 13},
    # Each actor is a rank of its own, with a trace of its own.
    "ray_actors": {"needs": ["ray", "torch"], "operators": None, "traces": 2, "steps": 14, "forward": 14, "backward": 14, "optimization": 14},
    "torch_compiled_function": {"operators": None, "steps": 12, "forward": 12, "backward": 12, "optimization": 12},
    "python_function": {"options": FUNCTION, "needs": [], "operators": None, "steps": 15, "by": "function"},
    "python_function, coverage": {
        "script": "python_function", "before": ["-m", "coverage", "run"],
        "options": FUNCTION, "needs": ["coverage"], "operators": None, "steps": 15, "by": "function",
    },
    "python_function, runpy": {
        "script": "python_function", "before": ["-c", "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"],
        "options": FUNCTION, "needs": [], "operators": None, "steps": 15, "by": "function",
    },
    "python_function, trace": {
        "script": "python_function", "before": ["-m", "trace", "--count", "-C", "counts"],
        "options": FUNCTION, "needs": [], "operators": None, "steps": 15, "by": "function",
    },
    "python_function, pdb": {
        "script": "python_function", "before": ["-m", "pdb", "-c", "continue", "-c", "quit"],
        "options": FUNCTION, "needs": [], "operators": None, "steps": 15, "by": "function",
    },
    "python_function, debugpy": {
        "script": "python_function", "before": ["-m", "debugpy", "--listen", "127.0.0.1:0"],
        "options": FUNCTION, "needs": ["debugpy"], "operators": None, "steps": 15, "by": "function",
    },
    "python_function, kernprof": {
        "script": "python_function", "before": ["-m", "kernprof", "-l", "-o", "lines"],
        "options": FUNCTION, "needs": ["kernprof"], "operators": None, "steps": 15, "by": "function",
    },
    "python_function, mpi4py": {
        "script": "python_function", "before": ["-m", "mpi4py"],
        "options": FUNCTION, "needs": ["mpi4py"], "operators": None, "steps": 15, "by": "function",
    },
    "xgboost_fit": {"needs": ["xgboost"], "operators": None, "steps": 12, "by": "loop"},
    "lightgbm_fit": {"needs": ["lightgbm"], "operators": None, "steps": 11, "by": "loop"},
    "jax_unmarked": {"needs": JAX, "operators": None, "steps": 0, "by": "nothing", "says": "use --step-on __main__:train_step"},
    "jax_annotated": {"needs": JAX, "operators": None, "steps": 20, "by": "profiler"},
    # One trace for all: the children are processes in it, which each have a step.
    "python_forks": {
        "options": ["--step-on", "__main__:answer"], "needs": [], "operators": None, "steps": 40, "by": "function", "processes": 40,
    },
    # Nothing ends a step, and nothing has a name.
    "python_forks, no step": {
        "script": "python_forks", "needs": [], "operators": None, "steps": 0, "by": "nothing", "processes": 1,
    },
}
