"""What may end a step, from the weakest evidence to the strongest; and the values of `--step-on` that fix one of them."""

FORWARD, LOADER, ANNOTATION, OPTIMIZER, LOOP, PROFILER, FUNCTION, NOBODY = range(1, 9)
RULES = {"forward": FORWARD, "dataloader": LOADER, "annotation": ANNOTATION, "optimizer": OPTIMIZER, "profiler": PROFILER}
