"""Measures the cost of a range, while recording and not: cost.py AGENT [RANGES]

Prints the thread CPU time of begin(tag) and end(): the minimum of several rounds, less that of the empty loop.
"""

import importlib.machinery
import importlib.util
import os
import shutil
import sys
import tempfile
import time

ROUNDS = 7


def load(path):
    loader = importlib.machinery.ExtensionFileLoader("_proftui", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("_proftui", loader))
    loader.exec_module(module)
    return module


def least(function, ranges):
    best = None
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        function(ranges)
        taken = time.thread_time_ns() - start
        best = taken if best is None else min(best, taken)
    return best / ranges


def measure(agent, ranges):
    tag = agent.name(9, "Forward")
    begin, end = agent.begin, agent.end

    def empty(count):
        for _ in range(count):
            pass

    def pairs(count):
        for _ in range(count):
            begin(tag)
            end()

    return least(pairs, ranges) - least(empty, ranges)


def main():
    path, ranges = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300_000
    for word, schedule in (("recorded", "all"), ("off", "1000,0,0,1,0")):
        child = os.fork()
        if child == 0:
            run = tempfile.mkdtemp()
            with open(os.path.join(run, "options"), "w") as options:
                options.write(f"schedule={schedule}\n")
            os.environ["PROFTUI_RUN"] = run
            agent = load(path)
            assert agent.open(False)
            cost = measure(agent, ranges)
            agent.close()
            shutil.rmtree(run)
            print(f"{sys.version.split()[0]:8} {word:9} {cost:6.1f} ns", flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


main()
