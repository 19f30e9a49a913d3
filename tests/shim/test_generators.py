"""Steps that are calls of a generator function: of a server that streams its answers."""
from runs import UNRETURNED, Case

PLAIN = """
import inspect, sys, traceback
def answer(count, fails=False):
    try:
        for at in range(count):
            got = yield at
            if got: print("got", got)
    except KeyError as error:
        print("thrown", error)
        yield -1
    finally:
        print("over")
    if fails: raise ValueError(count)
    return "done"
"""
ASYNC = """
import asyncio, inspect, sys, traceback
async def answer(count, fails=False):
    try:
        for at in range(count):
            await asyncio.sleep(0)
            got = yield at
            if got: print("got", got)
    except KeyError as error:
        print("thrown", error)
        yield -1
    finally:
        print("over")
    if fails: raise ValueError(count)
"""
RULE = "step_on=train:answer"


class Generators(Case):
    def run_steps(self, script, count):
        """Runs the script bare and captured; it has this many steps. Returns the calls of the count."""
        bare = self.run_script(script)
        done = self.run_script(script, options=RULE)
        self.assertEqual(done.out, bare.out)
        calls = [call for _, call, *_ in done.processes[0] if call in ("begin_step", "begin_call", "step")]
        self.assertEqual((calls.count("step"), done.notes()), (count, [] if count else ["note 4 " + UNRETURNED % "train:answer"]), script)
        return calls

    def test_an_iteration_is_a_step(self):
        calls = self.run_steps(PLAIN + "for _ in range(3): print(list(answer(4)))", 3)
        self.assertEqual(calls, ["begin_step"] + ["begin_call", "step"] * 3)
        calls = self.run_steps(ASYNC + """
async def main():
    for _ in range(3): print([at async for at in answer(4)])
asyncio.run(main())
""", 3)
        self.assertEqual(calls, ["begin_step"] + ["begin_call", "step"] * 3)

    def test_iterations_overlap(self):
        self.run_steps(PLAIN + "for pair in zip(answer(4), answer(4)): print(pair)", 2)
        self.run_steps(ASYNC + """
async def one(count): print([at async for at in answer(count)])
async def main(): await asyncio.gather(*(one(count) for count in range(1, 6)))
asyncio.run(main())
""", 5)

    def test_what_was_called_and_not_asked_is_none(self):
        self.run_steps(PLAIN + "answer(3)", 0)

    def test_a_closed_one_is_a_step_and_one_that_raises_is_none(self):
        for script, count in (
            ("one = answer(3); print(next(one)); one.close()", 1),
            ("for at in answer(3): break\nprint('after')", 1),
            ("one = answer(3); next(one); del one; print('after')", 1),
            ("try: list(answer(3, True))\nexcept ValueError as error: print(repr(error), error.__context__)", 0),
            ("one = answer(3); next(one); print(one.throw(KeyError(7)), list(one))", 1),
            ("one = answer(3); next(one)\ntry: one.throw(OSError(7))\nexcept OSError as error: print(repr(error))", 0),
        ):
            self.run_steps(PLAIN + script, count)
        for script, count in (
            ("one = answer(3); print(await one.__anext__()); await one.aclose()", 1),
            ("async for at in answer(3): break\n    await asyncio.sleep(0.01)", 1),
            ("print(await asyncio.gather(*[use(answer(3, True))], return_exceptions=True))", 0),
            ("one = answer(3); await one.__anext__(); print(await one.athrow(KeyError(7)), await use(one))", 1),
            ("task = asyncio.ensure_future(use(answer(9))); await asyncio.sleep(0); task.cancel()\n    await asyncio.wait([task])", 0),
        ):
            main = "async def use(one): return [at async for at in one]\nasync def main():\n    %s\nasyncio.run(main())" % script
            self.run_steps(ASYNC + main, count)

    def test_what_is_sent_and_returned(self):
        self.run_steps(PLAIN + """
def outer():
    print((yield from answer(3)))
one = outer()
print(next(one), one.send("a"), one.send("b"), next(one, None))
""", 1)
        self.run_steps(ASYNC + """
async def main():
    one = answer(3)
    print(await one.asend(None), await one.asend("a"), await one.asend("b"))
    try: await one.asend("c")
    except StopAsyncIteration: print("end")
asyncio.run(main())
""", 1)

    def test_one_within_another_is_a_part_of_it(self):
        self.run_steps("""
def answer(depth):
    yield depth
    if depth: yield from answer(depth - 1)
print(list(answer(3)))
# What happens between two requests is none.
print([list(answer(1)) for _ in answer(1)])
""", 4)

    def test_it_looks_the_same(self):
        for script, kind in ((PLAIN, "isgenerator"), (ASYNC, "isasyncgen")):
            self.run_steps(script + """
one = answer(3)
print(inspect.%sfunction(answer), inspect.%s(one), inspect.signature(answer), answer.__name__, answer.__doc__, one.__name__)
%s
""" % (kind, kind, "list(one)" if kind == "isgenerator" else "async def use(): [at async for at in one]\nasyncio.run(use())"), 1)

    def test_nothing_that_was_yielded_is_kept(self):
        self.run_steps("""
import weakref
class Thing: pass
def answer():
    for _ in range(2): yield Thing()
one = answer()
first = weakref.ref(next(one))
print(first())
list(one)
""", 1)

    def test_a_method_and_one_that_is_a_coroutine(self):
        self.run_steps("""
import asyncio, types
class Engine:
    def answer(self, count): yield from range(count)
answer = Engine().answer
print(list(answer(3)))
""", 1)
        self.run_steps("""
import asyncio, types
@types.coroutine
def answer():
    yield
    return 3
async def main(): print(await answer())
asyncio.run(main())
""", 1)
