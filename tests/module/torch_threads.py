"""Profilers one after another with PyTorch itself, of several threads: `.ci/long scripts` runs this where it is installed."""
import unittest

from runs import MODULE, Case


class Threads(Case):

    def test_a_thread_that_reports_operators_until_a_later_profiler_runs_harms_none(self):
        script = """
        import json, threading
        prof = Profiler(targets=[ProfilerTarget.CPU], on_trace_ready=lambda prof: None)
        prof.start()
        import torch
        x = torch.ones(3, 3)
        rounds = [(threading.Event(), threading.Event()) for _ in range(4)]
        def run():
            for go, done in rounds:
                go.wait()
                with record_function("worker"):
                    x @ x
                done.set()
        thread = threading.Thread(target=run)
        thread.start()
        def run_round(at):
            rounds[at][0].set()
            rounds[at][1].wait()
        run_round(0)
        prof.stop()
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
            x @ x
            run_round(1)
            run_round(2)
            %s
            x @ x
        run_round(3)
        thread.join()
        prof.export_chrome_trace("t.json")
        events = json.load(open("t.json"))["traceEvents"]
        here = threading.get_native_id()
        print([event["args"].get("Input Dims") for event in events if event.get("name") == "aten::mm" and event["tid"] == here])
        """
        for last in ("", "run_round(3), thread.join()"):
            out = self.run_script(script % last, PYTHONPATH=MODULE, PYTHONWARNINGS="ignore")
            self.assertEqual(out, "[[[3, 3], [3, 3]], [[3, 3], [3, 3]]]\n")


if __name__ == "__main__":
    unittest.main()
