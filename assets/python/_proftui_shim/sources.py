"""What may end a step, from the weakest evidence to the strongest; and the values of `--step-on` that fix one of them."""

FIT, FORWARD, LOADER, ANNOTATION, OPTIMIZER, LOOP, PROFILER, FUNCTION, NOBODY = range(1, 10)
RULES = {
    "fit": FIT,
    "forward": FORWARD,
    "dataloader": LOADER,
    "annotation": ANNOTATION,
    "optimizer": OPTIMIZER,
    "loop": LOOP,
    "profiler": PROFILER,
}
