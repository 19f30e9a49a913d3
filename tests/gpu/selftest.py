"""Proves the check where there is no GPU.

    python3 tests/gpu/selftest.py [BINARY PYTHON]

With them, PYTHON having torch, smoke.py and all points are rehearsed, too: every program runs on the CPU, bare and captured (three minutes).
"""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    if len(sys.argv) > 2:
        os.environ["TORCH_PYTHON"] = sys.argv[2]
    suite = unittest.defaultTestLoader.discover(os.path.join(HERE, "selftests"), top_level_dir=HERE)
    if not unittest.TextTestRunner().run(suite).wasSuccessful():
        return 1
    if len(sys.argv) < 3:
        return 0
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, os.path.join(HERE, "smoke.py"), *sys.argv[1:3], "--rehearse", "--keep", os.path.join(out, "smoke")]
        status = subprocess.call(command)
    command = [sys.executable, os.path.join(HERE, "check.py"), *sys.argv[1:3], "--rehearse", "--quick", "--limit", "900"]
    return status or subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
