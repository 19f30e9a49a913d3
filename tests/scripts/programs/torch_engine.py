"""A serving engine: a child process, spawned or forked, runs the model, and annotates its steps as vLLM and SGLang do: 24 steps.

Before, it warms up by forwards, and by two for each of 20 batch sizes, as where CUDA graphs are captured. Every fourth step has requests
to prefill, and every sixth runs the model twice.
"""
import multiprocessing
import sys

STEPS, SIZES = 24, 20


def serve(requests, answers):
    import torch
    from torch.profiler import record_function

    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4)).eval()
    with torch.inference_mode():
        for _ in range(3):
            model(torch.zeros(1, 16))
        for size in range(1, SIZES + 1):
            with record_function("capture_%d_decode" % size):
                for _ in range(2):
                    model(torch.zeros(size, 16))
        for number, size in iter(requests.get, None):
            prefilled = number % 4 == 0
            name = "execute_context_%d(%d)_generation_%d(%d)" % (prefilled, 16 * prefilled, size, size)
            kind = "EXTEND bs=%d toks=16" % size if prefilled else "DECODE bs=%d" % size
            with record_function(name), record_function("step[%s]" % kind):
                for _ in range(1 + (number % 6 == 0)):
                    answer = model(torch.full((size, 16), number / STEPS)).sum()
            answers.put(answer.item())


def main():
    context = multiprocessing.get_context(sys.argv[1])
    requests, answers = context.SimpleQueue(), context.SimpleQueue()
    engine = context.Process(target=serve, args=(requests, answers), name="EngineCore")
    engine.start()
    total = 0
    for number in range(STEPS):
        requests.put((number, 1 + number % 3))
        total += answers.get()
    requests.put(None)
    engine.join()
    print("sum %.4f" % total, engine.exitcode)


if __name__ == "__main__":
    main()
