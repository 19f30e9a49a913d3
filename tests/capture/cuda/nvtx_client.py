"""Twenty steps with ranges of NVTX, and a range across all of them."""

from nvtx_functions import end, pop, push, start


def step(number):
    push(b"round")
    push(b"within")
    pop()
    pop()


across = start(b"across")
for number in range(20):
    step(number)
end(across)
