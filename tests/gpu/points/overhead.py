"""4: what a capture costs, where launches are what takes time and where kernels are: ratios of medians of steps to the bare
program, the least over the rounds; torch.profiler's for comparison. One program at a time: nothing else may run."""

from kit.setting import NEVER, STEPS_OF_PROGRAM, TIMER_ONLY
from kit.table import judged, shown

NUMBER, NAME = 4, "overhead"
MODELS = ("small", "large")
# How many times as long as the bare program; none: nobody has an opinion. Far above what is expected: noise must not fail it.
LIMITS = {"closed": 1.10, "timer only": 1.10, "gpu": None, "torch cuda": None, "torch cpu,cuda": None}
# Recording must not cost more than torch.profiler by this factor.
BESIDE_TORCH = 1.25


def ways(setting):
    """Options of a capture, or words to the program by which it records itself."""
    found = {
        "bare": (None, []),
        "closed": (NEVER, []),
        "timer only": (TIMER_ONLY, []),
        "gpu": ([], []),
        "torch cuda": (None, ["--profile", "all", "--activities", "cuda"]),
    }
    if not setting.is_quick:
        found["torch cpu,cuda"] = (None, ["--profile", "all", "--activities", "cpu,cuda"])
    return found


def rows(setting):
    rounds, steps = (1, 100) if setting.is_quick else (2, 200)
    medians = {}
    for number in range(rounds):
        for way, (options, words) in ways(setting).items():
            ran = one(setting, "%s-%d" % (way, number), options, ["--model", ",".join(MODELS), "--steps", str(steps), *words])
            if ran.status != 0 or not ran.report:
                yield judged("%s, round %d" % (way, number + 1), False, ran.why)
                continue
            for model in MODELS:
                medians.setdefault((model, way), []).append(ran.report["models"][model]["median"])
            if way == "gpu" and number == 0:
                yield shown("recording %d steps took in all" % (2 * steps), "%.1f s, with its trace" % ran.seconds)
    yield from judge(medians)


def one(setting, name, options, words):
    command = setting.script("train.py", *words)
    name = "overhead-" + name.replace(" ", "-").replace(",", "-")
    if options is None:
        return setting.run(name, command)
    return setting.capture(name, STEPS_OF_PROGRAM + options, command)


def judge(medians):
    """Rows of the medians by model and way."""
    for model in MODELS:
        bare = min(medians.get((model, "bare"), [0]))
        if not bare:
            continue
        yield shown("%s, bare" % model, "%.1f us a step" % (bare * 1e6))
        ratios = {way: min(medians[model, way]) / bare for way in LIMITS if (model, way) in medians}
        for way, ratio in ratios.items():
            figure, limit = "%.3fx  %+.1f us" % (ratio, (ratio - 1) * bare * 1e6), LIMITS[way]
            if way == "gpu" and "torch cuda" in ratios:
                limit = BESIDE_TORCH * ratios["torch cuda"]
            what = "%s, %s" % (model, way)
            yield shown(what, figure) if limit is None else judged(what, ratio <= limit, figure)
