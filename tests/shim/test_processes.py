"""Child processes: which follow, which become leaders, and which never end a step."""
from runs import MISSING, Case

TRAIN = """
import os, sys, torch

def train(count):
    optimizer = torch.SGD()
    for _ in range(count):
        torch.nn.Module()(1)
        optimizer.step()
"""


class Processes(Case):
    def test_a_forked_child_that_infers_ends_no_step(self):
        done = self.run_script(TRAIN + """
train(2)
if os.fork() == 0:
    for batch in torch.utils.data.DataLoader(*[torch.Tensor(1)] * 9):
        torch.nn.Module()(batch)
    os._exit(0)
os.wait()
train(1)
""")
        self.assertEqual((len(done.steps(0)), len(done.steps(1))), (3, 0))
        self.assertEqual(done.facts(1), {})

    def test_a_forked_child_that_learns_is_a_leader(self):
        done = self.run_script(TRAIN + """
train(2)
if os.fork() == 0:
    os.environ["RANK"] = "1"
    train(3)
    print(os.environ["PROFTUI_LEADER"].rpartition("/")[2].partition("-")[0] == str(os.getpid()), flush=True)
    os._exit(0)
os.wait()
""")
        self.assertEqual((len(done.steps(0)), len(done.steps(1)), done.out), (2, 3, "True\n"))
        self.assertEqual((done.facts(1)["RANK"], done.facts(1)["step_on"]), ("1", "optimizer: torch.SGD"))
        self.assertIn("python", done.facts(1))

    def test_a_loaders_worker_ends_no_step_whatever_it_does(self):
        done = self.run_script(TRAIN + """
if os.fork() == 0:
    torch.utils.data.get_worker_info = lambda: "worker"
    train(3)
    os._exit(0)
os.wait()
train(1)
""")
        self.assertEqual((len(done.steps(0)), len(done.steps(1))), (1, 0))

    def test_a_workers_reading_is_recorded(self):
        done = self.run_script(TRAIN + """
class Data(list): pass
if os.fork() == 0:
    from torch.utils.data._utils.fetch import _MapDatasetFetcher as Fetcher
    Fetcher(Data([1, 2])).fetch([0, 1])
    os._exit(0)
os.wait()
train(1)
""")
        self.assertEqual(done.recorded(1), ["7 Data", "end"])

    def test_a_fork_within_a_forward_begins_anew(self):
        done = self.run_script(TRAIN + """
class Forks(torch.nn.Module):
    def forward(self, x):
        if os.fork() == 0:
            torch.nn.Module()(1)
            os._exit(0)
        os.wait()
Forks()(1)
""")
        self.assertEqual((done.recorded(0), done.recorded(1)), (["9 Forks", "end", "step 0"], ["9 Module", "end"]))

    def test_a_spawned_child_follows_until_it_learns(self):
        script = TRAIN + """
import multiprocessing
if __name__ == "__main__":
    for count in (0, 3):
        child = multiprocessing.get_context("spawn").Process(target=train, args=(count,))
        child.start(), child.join()
"""
        done = self.run_script(script, options="step_on=auto")
        script_itself, *children = done.processes
        self.assertEqual(len(children), 2, "the helper of multiprocessing is no part of it")
        pid = children[0][0][2].split()[1]
        self.assertEqual({tuple(child[0][2].split()) for child in children}, {("1", pid)})
        self.assertEqual([len(done.steps(at)) for at in (0, 1, 2)], [0, 0, 3])
        self.assertEqual((done.facts(1), done.facts(2)["step_on"]), ({}, "optimizer: torch.SGD"))

    def test_a_childs_command_line_is_its_parents(self):
        done = self.run_script(TRAIN + """
import multiprocessing
if __name__ == "__main__":
    for how in "spawn", "forkserver":
        child = multiprocessing.get_context(how).Process(target=train, args=(1,))
        child.start(), child.join()
""", args=["--lr", "1", "--token", "abc"])
        keys = ("argv", "script")
        facts = [{key: facts[key] for key in keys} for facts in map(done.facts, range(len(done.processes))) if facts]
        self.assertEqual(facts, [facts[0]] * 3)
        self.assertRegex(facts[0]["argv"], "^shown: .*train.py --lr 1 --token abc$")

    def test_a_spawned_childs_own_function_ends_its_steps(self):
        script = """
import multiprocessing
def step(): pass
def work():
    for _ in range(3): step()
if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=work)
    child.start(), child.join()
"""
        done = self.run_script(script, options="step_on=train:step")
        self.assertEqual((len(done.steps(0)), len(done.steps(1))), (0, 3))

    def test_a_program_that_the_script_starts_is_a_leader(self):
        script = """
import subprocess, sys
if len(sys.argv) == 1:
    subprocess.check_call([sys.executable, sys.argv[0], "again"])
"""
        done = self.run_script(script)
        self.assertEqual([process[0][2].split()[0] for process in done.processes], ["0", "0"])

    def test_who_is_started_by_another_python_does_not_miss_steps(self):
        script = """
import subprocess, sys
if len(sys.argv) == 1:
    subprocess.check_call([sys.executable, sys.argv[0], "again"])
"""
        done = self.run_script(script, "step_on=other:step")
        self.assertEqual([done.recorded(at) for at in (0, 1)], [["note 4 " + MISSING % ("step", "other")], []])
