"""Measures the cost of an NVTX range, while recording and not: nvtx_cost.py AGENT CLIENT [RANGES]

CLIENT is nvtx.c as a library. Prints the thread CPU time of a push and a pop in a loop in C: the minimum of several rounds.
"""

import ctypes
import os
import shutil
import sys
import tempfile

ROUNDS = 7
WHAT = ("one text", "64 texts at one address", "registered, in a domain", "by number", "never seen before")


def measure(client, word, ranges):
    library = ctypes.CDLL(client)
    library.nvtx_cost.restype = ctypes.c_double
    library.nvtx_cost.argtypes = [ctypes.c_int, ctypes.c_long]
    assert library.nvtx_open() == (word != "no tool")
    for what, text in enumerate(WHAT):
        # Each text that never came before is written to a file.
        rounds = [library.nvtx_cost(what, ranges if what < 4 else ranges // 100) for _ in range(ROUNDS)]
        print(f"{word:9} {text:24} {min(rounds):8.1f} ns", flush=True)


def main():
    agent, client, ranges = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 300_000
    for word, schedule in (("recorded", "all"), ("off", "1000,0,0,1,0"), ("no tool", "")):
        child = os.fork()
        if child == 0:
            run = tempfile.mkdtemp()
            with open(os.path.join(run, "options"), "w") as options:
                options.write(f"schedule={schedule}\nmost={1 << 32}\n")
            os.environ.update(PROFTUI_RUN=run, NVTX_INJECTION64_PATH=os.path.abspath(agent))
            if word == "no tool":
                del os.environ["NVTX_INJECTION64_PATH"]
            # The C library reads the environment that it has itself.
            measure(client, word, ranges)
            shutil.rmtree(run)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


main()
