"""Scripts with profilers of their own, by framework: what each prints must be the same whether it is captured or not.

Each prints what its profiler found, by names and counts, and a line for each step, which is within a range `mine`.
"""

TORCH = """
import collections, sys, warnings
warnings.simplefilter("ignore")
import torch
from torch.profiler import profile, record_function, schedule, ProfilerActivity
from torch.autograd.profiler import emit_itt, emit_nvtx
import torch.autograd.profiler as old
torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
batch = torch.randn(8, 4)
def work(steps=1):
    for _ in range(steps):
        with record_function("mine"):
            loss = net(batch).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print("loss %.6f" % loss.item())
def show(events):
    print(sorted(collections.Counter(event.name for event in events).items()))
def fails(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
CPU = dict(activities=[ProfilerActivity.CPU])
work()
"""

PADDLE = """
import collections, os, sys, tempfile, warnings
warnings.simplefilter("ignore")
import paddle
from paddle.profiler import Profiler, ProfilerTarget, RecordEvent, make_scheduler
paddle.seed(1)
net = paddle.nn.Sequential(paddle.nn.Linear(4, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 1))
optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=net.parameters())
batch = paddle.ones([8, 4])
def work(steps=1, each=lambda: None):
    for _ in range(steps):
        with RecordEvent("mine"):
            loss = net(batch).sum()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        print("loss %.6f" % float(loss))
        each()
def names(node, found):
    for one in [node] + node.runtime_node:
        found[one.name] += 1
    for child in node.children_node:
        names(child, found)
def show(profiler):
    found = collections.Counter()
    for root in profiler.profiler_result.get_data().values():
        names(root, found)
    print(sorted(found.items()))
def fails(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
CPU = dict(targets=[ProfilerTarget.CPU], on_trace_ready=show)
work()
"""

# Of each framework: how a script begins, and cases: what follows, and what capture is asked for, if not everything.
FRAMEWORKS = {
    "torch": (
        TORCH,
        {
            "none": ("work(3)",),
            "profile": ("with profile(**CPU) as p: work(3)\nshow(p.events())\nwork()",),
            "all options": (
                "with profile(record_shapes=True, profile_memory=True, with_stack=True, **CPU) as p: work()\n"
                "show(event for event in p.events() if event.name.startswith(('aten', 'mine', '[mem')))",
            ),
            "scheduled": (
                "plan = schedule(wait=1, warmup=1, active=2, repeat=2)\n"
                "with profile(schedule=plan, on_trace_ready=lambda p: show(p.events()), **CPU) as p:\n"
                "    for _ in range(10): work(), p.step()\nwork()",
            ),
            "ours opens within": (
                "with profile(**CPU) as p: work(8)\nshow(p.events())\nwork(4)",
                "--closed", "1", "--ready", "1", "--record", "2", "--repeat", "4",
            ),
            "within ours, by steps": (
                "work(3)\nwith profile(**CPU) as p: work(1)\nshow(p.events())\nwork(4)",
                "--closed", "1", "--ready", "1", "--record", "4",
            ),
            "ours ready meanwhile": (
                "with profile(**CPU) as p: work(1)\nshow(p.events())\nwork(4)",
                "--closed", "1", "--ready", "2", "--record", "1",
            ),
            "autograd": (
                "with old.profile(record_shapes=True, profile_memory=True) as p: work(2)\nshow(p.function_events)",
            ),
            "emit_itt": ("with emit_itt(): work(2)\nwith profile(**CPU) as p: work()\nshow(p.events())",),
            "emit_nvtx": ("def run():\n    with emit_nvtx(): work(2)\nfails(run)\nwork()",),
            "nested": (
                "def run():\n    with profile(**CPU): work()\n"
                "with profile(**CPU) as p:\n    work()\n    fails(run)\n    work()\nfails(lambda: show(p.events()))\nwork()",
            ),
            "raises inside": (
                "def run():\n    with profile(**CPU):\n        work()\n        raise ValueError('own')\n"
                "fails(run)\nwith profile(**CPU) as p: work()\nshow(p.events())",
            ),
            "export": (
                "import json, os\nwith profile(**CPU) as p: work()\np.export_chrome_trace('own.json')\n"
                "print(sorted(e['name'] for e in json.load(open('own.json'))['traceEvents'] if e.get('cat') == 'cpu_op'))\n"
                "print(p.key_averages().table(row_limit=3).count('aten'))",
            ),
            "ranges across windows": (
                "for _ in range(12):\n    with record_function('outer'): work()\n"
                "with record_function('outer'): work(12)",
                "--closed", "0", "--ready", "0", "--record", "1", "--repeat", "20",
            ),
            "steps within backward passes": (
                "each = [(p, torch.optim.SGD([p], lr=0.1)) for p in net.parameters()]\n"
                "for p, o in each: p.register_post_accumulate_grad_hook(lambda _, o=o: o.step())\n"
                "for _ in range(12): loss = net(batch).sum(); loss.backward(); print('%.6f' % loss.item())",
                "--closed", "0", "--ready", "0", "--record", "1", "--repeat", "20",
            ),
            "another thread": (
                "import threading\ndef run():\n    with profile(**CPU) as p: work()\n    show(p.events())\n"
                "other = threading.Thread(target=run)\nother.start(), other.join()\nwork()\nrun()",
            ),
            "compiled": (
                "fast = torch.compile(net, fullgraph=True, backend='aot_eager')\n"
                "for _ in range(3): loss = fast(batch).sum(); loss.backward(); optimizer.step()\n"
                "from torch._dynamo.utils import counters\n"
                "print('%.6f' % loss.item(), dict(counters['stats']), dict(counters['graph_break']))",
            ),
            "compiled, ours opens within": (
                "net = torch.compile(net, fullgraph=True, backend='aot_eager')\n"
                "from torch._dynamo.utils import counters\nwork(10)\n"
                "print(dict(counters['stats']), dict(counters['graph_break']))",
                "--closed", "2", "--ready", "1", "--record", "2",
            ),
            "workers": (
                "class Data(torch.utils.data.Dataset):\n"
                "    def __len__(self): return 8\n    def __getitem__(self, at): return torch.ones(4) * at\n"
                "loader = torch.utils.data.DataLoader(Data(), batch_size=4, num_workers=2)\n"
                "for data in loader: print(data.sum().item()); work()\n"
                "with profile(**CPU) as p: work()\nshow(p.events())",
            ),
            "fork": (
                "import os\nsys.stdout.flush()\n"
                "child = os.fork()\nif child: print(os.waitpid(child, 0)[1])\nwith profile(**CPU) as p: work()\n"
                "if child == 0: os._exit(int('aten::addmm' not in [e.name for e in p.events()]))\nshow(p.events())",
            ),
        },
    ),
    "paddle": (
        PADDLE,
        {
            "none": ("work(3)",),
            "profiler": ("with Profiler(**CPU) as p: work(3, p.step)\nwork()",),
            "scheduled": (
                "with Profiler(scheduler=make_scheduler(closed=1, ready=1, record=2, repeat=2), **CPU) as p:\n"
                "    work(10, p.step)\nwork()",
            ),
            "all options": (
                "with Profiler(record_shapes=True, profile_memory=True, with_flops=True, **CPU) as p: work(2)\nwork()",
            ),
            "ours opens within": (
                "with Profiler(**CPU) as p: work(8)\ndel p\nwork(4)",
                "--closed", "1", "--ready", "1", "--record", "2", "--repeat", "4",
            ),
            "ours ready meanwhile": (
                "with Profiler(**CPU) as p: work(1)\ndel p\nwork(4)",
                "--closed", "1", "--ready", "2", "--record", "1",
            ),
            "timer only": ("p = Profiler(timer_only=True)\np.start()\nwork(3, p.step)\nprint(p.step_num)",),
            "nested": (
                "def run():\n    with Profiler(**CPU): work()\n"
                "with Profiler(**CPU) as p:\n    work()\n    fails(run)\n    work()\nwork()",
            ),
            "raises inside": (
                "def run():\n    with Profiler(**CPU):\n        work()\n        raise ValueError('own')\n"
                "fails(run)\nwith Profiler(**CPU) as p: work()",
            ),
            "another thread": (
                "import threading\ndef run():\n    with Profiler(**CPU) as p: work()\n    del p\n"
                "other = threading.Thread(target=run)\nother.start(), other.join()\nwork()\nrun()",
            ),
            "one after another": ("for _ in range(3):\n    with Profiler(**CPU) as p: work()\n    del p",),
            "export": (
                "import json\nwith Profiler(**CPU) as p: work()\np.export('own.json', 'json')\np.export('own.pb', 'pb')\n"
                "print(sorted(e['name'].split('[')[0] for e in json.load(open('own.json'))['traceEvents'] if e['ph'] == 'X'))\n"
                "print(os.path.getsize('own.pb') > 0)",
            ),
            "fork": (
                "sys.stdout.flush()\nchild = os.fork()\nif child: print(os.waitpid(child, 0)[1])\n"
                "with Profiler(targets=[ProfilerTarget.CPU], on_trace_ready=lambda p: None) as p: work()\n"
                "if child == 0: os._exit(int(p.profiler_result is None))\nshow(p)",
            ),
        },
    ),
}
