"""Collectives as ranges, with their group, its size and their number in it."""
from runs import Case

TORCH = {
    "torch/__init__.py": "__version__ = '0'\n",
    "torch/distributed/__init__.py": "from .distributed_c10d import all_gather, all_reduce, barrier, broadcast, new_group, recv, send\n",
    "torch/distributed/distributed_c10d.py": """
        import functools
        class Group:
            def __init__(self, name, numbers=True): self.name, self.count, self.numbers = name, 0, numbers
            def size(self): return 4
            def _get_sequence_number_for_group(self):
                if not self.numbers: raise RuntimeError("this backend has no numbers")
                return self.count
        world = Group("0")
        def new_group(name, **how): return Group(name, **how)
        def _get_default_group(): return world
        def _get_process_group_name(group): return group.name
        def _ran(group):
            (group or world).count += 1
            return (group or world).name
        def logged(function):
            @functools.wraps(function)
            def logs(*args, **kwargs): return function(*args, **kwargs)
            return logs
        @logged
        def all_reduce(tensor, op="sum", group=None, async_op=False):
            if tensor == "bad": raise ValueError(tensor)
            return _ran(group)
        @logged
        def all_gather(tensors, tensor, group=None): return all_reduce(tensor, group=group)
        @logged
        def broadcast(tensor, src, group=None): return _ran(group)
        @logged
        def barrier(group=None, device_ids=None): return _ran(group)
        @logged
        def send(tensor, dst, group=None): return (group or world).name
        @logged
        def recv(tensor, src=None, group=None): return (group or world).name
    """,
}

PADDLE = {
    "paddle/__init__.py": "__version__ = '0'\n",
    "paddle/distributed/__init__.py": "from .communication.all_reduce import all_reduce\nfrom .communication.group import barrier\n",
    "paddle/distributed/communication/__init__.py": "",
    "paddle/distributed/communication/all_reduce.py": "def all_reduce(tensor, op=0, group=None, sync_op=True): return tensor\n",
    "paddle/distributed/communication/group.py": """
        class Group: id, nranks = 0, 2
        def _get_global_group(): return Group
        def barrier(group=None): return 'over'
    """,
}


class Collectives(Case):
    def found(self, script, files, **keys):
        done = self.run_script(script, files=files, **keys)
        parts = [call.replace("\x1f", "/") for call in done.calls("begin") if call.startswith("12 ")]
        return done, parts, [call for call in done.calls("end") if call]

    def test_each_has_its_group_and_number(self):
        script = """
import torch.distributed as dist
from torch.distributed import all_reduce
group = dist.new_group("tp")
print(dist.all_reduce(1), all_reduce(1, "sum", group), all_reduce(1, group=group), dist.barrier(), dist.all_gather([], 1))
print(dist.send(1, 2), dist.recv(1), dist.broadcast(1, 0))
try:
    all_reduce("bad")
except ValueError as error:
    print(error)
"""
        done, found, ended = self.found(script, TORCH)
        self.assertEqual(done.out, "0 tp tp 0 0\n0 0 0\nbad\n")
        world = ["all_reduce/0/4", "all_reduce/tp/4", "all_reduce/tp/4", "barrier/0/4", "all_gather/0/4", "send/0/4", "recv/0/4"]
        self.assertEqual(found, ["12 " + name for name in world + ["broadcast/0/4", "all_reduce/0/4"]])
        # What runs inside another one is a part of it; what is between two ranks, or failed, has no number.
        self.assertEqual(ended, ["1", "1", "2", "2", "3", "0", "0", "4", "0"])
        self.assertEqual(done.notes(), [])

    def test_where_the_backend_has_no_numbers_they_are_counted(self):
        script = """
import torch.distributed as dist
group = dist.new_group("tp", numbers=False)
for _ in range(3): dist.all_reduce(1, group=group)
"""
        _, found, ended = self.found(script, TORCH)
        self.assertEqual((found, ended), (["12 all_reduce/tp/4"] * 3, ["1", "2", "3"]))

    def test_of_a_group_without_this_process_there_is_none(self):
        script = """
import torch.distributed as dist
print(dist.all_reduce(1, group=type("Other", (), {"name": "x", "count": 0})()))
"""
        done, found, _ = self.found(script, TORCH)
        self.assertEqual((done.out, found, done.notes()), ("x\n", [], []))

    def test_paddle_counts(self):
        script = """
import paddle.distributed as dist
print(dist.all_reduce(7), dist.all_reduce(7), dist.barrier())
"""
        done, found, ended = self.found(script, PADDLE)
        self.assertEqual(done.out, "7 7 over\n")
        self.assertEqual(found, ["12 all_reduce/0/2", "12 all_reduce/0/2", "12 barrier/0/2"])
        self.assertEqual(ended, ["1", "2", "3"])

    def test_with_a_timer_alone_they_are_none(self):
        _, found, _ = self.found("import torch.distributed as dist\ndist.all_reduce(1)", TORCH, options="timer_only=1")
        self.assertEqual(found, [])
