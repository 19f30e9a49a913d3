"""Calls a function of its own 15 times: 15 steps with --step-on __main__:work."""


def work(number):
    return sum(range(number * 1000))


print(sum(work(number) for number in range(15)))
