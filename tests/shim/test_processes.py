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

    def test_a_forked_child_of_the_same_rank_ends_steps_for_its_leader(self):
        script = TRAIN + """
if os.fork() == 0:
    train(3)
    print(os.environ["PROFTUI_LEADER"].rpartition("/")[2].partition("-")[0] == str(os.getppid()), flush=True)
    os._exit(0)
os.wait()
"""
        for rank in {}, {"RANK": "3"}, {"LOCAL_RANK": "1"}:
            done = self.run_script(script, env=rank)
            self.assertEqual((len(done.steps(0)), len(done.steps(1)), done.out), (0, 3, "True\n"))
            self.assertEqual(done.facts(1), {"step_on": "optimizer: torch.SGD"})
            self.assertEqual(done.calls("ends_own_steps", 1), ["0"])

    def test_a_spawned_child_of_another_rank_is_a_leader(self):
        script = TRAIN + """
import multiprocessing
def work(rank):
    os.environ["RANK"] = rank
    train(1)
if __name__ == "__main__":
    for rank in "0", "1":
        child = multiprocessing.get_context("spawn").Process(target=work, args=(rank,))
        child.start(), child.join()
"""
        for rank, expected in ({}, ["1", "1"]), ({"RANK": "0"}, ["0", "1"]):
            done = self.run_script(script, env=rank)
            self.assertEqual([done.calls("ends_own_steps", at) for at in (1, 2)], [[one] for one in expected], rank)

    def test_children_have_the_names_that_libraries_give_them(self):
        done = self.run_script(TRAIN + """
import multiprocessing
class Data(list): pass
def fetch(number):
    torch.utils.data.get_worker_info = lambda: type("Info", (), {"id": number})
    from torch.utils.data._utils.fetch import _MapDatasetFetcher as Fetcher
    for _ in range(2): Fetcher(Data([1, 2])).fetch([0, 1])
if __name__ == "__main__":
    for how in "fork", "spawn", "forkserver":
        child = multiprocessing.get_context(how).Process(target=fetch, args=(3,), name="one")
        child.start(), child.join()
    if os.fork() == 0:
        torch.nn.Module()(1)
        os._exit(0)
    os.wait()
""")
        names = [done.calls("name_process", at) for at in range(len(done.processes))]
        named = [[*dict.fromkeys(of_one)] for of_one in names if of_one]
        self.assertEqual(named, [["one", "DataLoader worker 3"]] * 3)
        self.assertEqual(names[0] + names[-1], [])

    def test_an_actor_of_ray_has_its_name(self):
        ray = """
class Context:
    def get_actor_id(self): return %r
    def get_actor_name(self): return %r
def is_initialized(): return True
def get_runtime_context(): return Context()
"""
        for actor, name, expected in ((None, None, []), ("1f", "one", ["Ray actor one"]), ("1f", "", ["Ray actor"])):
            done = self.run_script(TRAIN + "import ray\ntrain(2)", files={"ray.py": ray % (actor, name)})
            self.assertEqual(done.calls("name_process"), expected)

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

    def test_the_forwards_of_a_servers_forked_children_are_steps(self):
        done = self.run_script(TRAIN + """
def serve(requests):
    if os.fork() == 0:
        with torch.no_grad():
            for _ in range(requests): torch.nn.Module()(1)
        os._exit(0)
    os.wait()
serve(1), serve(3)
""")
        self.assertEqual([len(done.steps(at)) for at in range(len(done.processes))], [0, 1, 3])
        self.assertEqual([done.facts(at)["step_on"] for at in (1, 2)], ["forward"] * 2)

    def test_the_forwards_of_children_are_no_steps_where_the_parent_has_any(self):
        infer = """
if os.fork() == 0:
    with torch.no_grad(): torch.nn.Module()(1)
    os._exit(0)
os.wait()
"""
        for own in "torch.SGD()", "with torch.no_grad(): torch.nn.Module()(1)":
            done = self.run_script(TRAIN + "optimizer = None\n" + ("optimizer = " if "SGD" in own else "") + own + infer)
            self.assertEqual(len(done.steps(1)), 0, own)

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
""", args=["--lr", "1", "--token", "abc"], env={"STANDIN_OWN_STEPS": "1"})
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
