"""The profilers with PyTorch's interface: what they add to the header of a trace, events, and recording that pauses."""
import json

from runs import Case


class Torch(Case):
    def head(self, name):
        """The header of a trace."""
        with open(self.path("work", name)) as file:
            return {key: value for key, value in json.load(file).items() if key != "traceEvents"}

    def test_the_header_has_the_metadata_of_its_cycle(self):
        out = self.run_script("""
        def ready(prof):
            print(prof.get_trace_id(), prof.current_action)
            prof.export_chrome_trace("%d.json" % prof.step_num)
        prof = profile(
            schedule=schedule(wait=1, warmup=1, active=1, repeat=2),
            on_trace_ready=ready,
            record_shapes=True,
            custom_trace_id_callback=lambda: "A",
        )
        prof.preset_metadata_json("preset", '{"a": 1}')
        prof.add_metadata("early", 1)
        print(prof.get_trace_id(), prof.use_device)
        with prof:
            for at in range(6):
                if at == 2:
                    prof.add_metadata("text", "it's \\"quoted\\"")
                    prof.add_metadata_json("list", "[1, 2]")
                    prof.add_metadata_json("odd", "[1")
                    prof.add_metadata_json("not a number", "[NaN, 1e999]")
                    prof.add_metadata("half", "a \\ud83d")
                    prof.set_custom_trace_id_callback(lambda: "C")
                prof.step()
        prof = profile()
        with prof:
            print(len(prof.get_trace_id()))
        """)
        self.assertEqual(out.splitlines(), ["None cuda", "A ProfilerAction.NONE", "C ProfilerAction.NONE", "32"])
        first, second = self.head("3.json"), self.head("6.json")
        added = {"early": "1", "text": "it's \"quoted\"", "list": [1, 2], "odd": "[1"}
        added.update({"not a number": "[NaN, 1e999]", "half": "a ?"})
        for key in ("early", "text", "list", "odd", "not a number", "half", "preset", "record_shapes", "with_stack"):
            self.assertEqual(first.get(key), dict(added, preset={"a": 1}, record_shapes=1).get(key), key)
            self.assertEqual(second.get(key), {"preset": {"a": 1}, "record_shapes": 1}.get(key), key)
        self.assertEqual((first["trace_id"], second["trace_id"]), ("A", "C"))

    def test_events_of_ranges(self):
        out = self.run_script("""
        import proftui
        prof = proftui._KinetoProfile(activities=[{ProfilerActivity.CPU: ["cpu_op"]}])
        prof.prepare_trace()
        prof.start_trace()
        with record_function("outer"):
            work("inner")
        prof.stop_trace()
        outer, inner = prof.events()
        print(outer.name, inner.name, inner.cpu_parent is outer, outer.cpu_children == [inner], outer.is_user_annotation)
        print(outer.self_cpu_time_total < outer.cpu_time_total, inner.self_cpu_time_total == inner.cpu_time_total > 1000)
        rows = prof.key_averages(group_by_overload_name=True)
        print([(row.key, row.count, row.is_user_annotation) for row in rows], rows.total_average().count)
        print(kineto_available(), ProfilerActivity.CPU in supported_activities(), len(prof.events().key_averages()))
        prof.export_memory_timeline("memory.json")
        prof.wait_for_exports()
        prof.events().export_chrome_trace("t.json")
        """)
        self.assertEqual(out.splitlines(), [
            "outer inner True True True",
            "True True",
            "[('outer', 1, True), ('inner', 1, True)] 2",
            "True True 2",
        ])
        self.assertEqual(self.info("t.json")["steps"], 0)
        with open(self.path("work", "memory.json")) as file:
            self.assertEqual(file.read(), "[[], []]")

    def test_a_trace_of_what_follows_an_inner_profiler_has_an_id_of_its_own(self):
        out = self.run_script("""
        ids = iter("ABC")
        actions = [ProfilerAction.NONE, ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE, ProfilerAction.NONE]
        ready = lambda prof: print(prof.get_trace_id())
        make = lambda: next(ids)
        with profile(schedule=actions.__getitem__, on_trace_ready=ready, custom_trace_id_callback=make) as outer:
            with profile():
                outer.step()
            outer.step()
            outer.step()
        """, said="proftui: a profiler within another one records: the outer one records only from its end on\n")
        self.assertEqual(out, "A\n")

    def test_the_command_line_says_what_is_recorded_of_a_step(self):
        process = self.start("""
        import torch
        with profile(schedule=lambda step: ProfilerAction.RECORD) as prof:
            for at in range(4):
                print(at)
                if at == 1:
                    prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
                prof.step()
        """, capture=["--steps", "1:3", "--ops", "light"])
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(out.split(), ["0", "+itt", "1", "2", "-itt", "3"])

    def test_operators_pause_and_go_on_within_a_cycle(self):
        said = "proftui: toggle_collection_dynamic: recording of GPUs cannot be changed within a cycle\n"
        out = self.run_script("""
        import torch
        with profile(schedule=lambda step: ProfilerAction.RECORD_AND_SAVE) as prof:
            prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
            prof.toggle_collection_dynamic(False, [ProfilerActivity.CUDA])
            print("| paused |")
            prof.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
            prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
            print("| paused |")
            prof.step()
            print("| next cycle |")
        prof.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
        """, said=said)
        on, off = "prepare +profile", "-profile"
        parts = [on + " " + off, "paused", on + " " + off, "paused", on, "next cycle", off]
        self.assertEqual([part.strip() for part in " ".join(out.split()).split("|")], parts)
