"""What the traces of a capture have."""
import json
import re
from collections import Counter

# A name in a trace ends with its duration.
DURATION = re.compile(r"\[[\d.]+ \w+\]$")


class Found:
    """What the traces of a capture have, together."""

    def __init__(self, paths):
        self.paths = paths
        self.by, self.pids = set(), set()
        # By trace: the steps that its statistics count.
        self.counted = {}
        # Ranges by category and by name; operators of the processes that have a trace of their own.
        self.cats, self.names, self.operators = Counter(), Counter(), Counter()
        for path in paths:
            trace = json.loads(path.read_text())
            leader = int(re.search(r"pid_(\d+)_", path.name).group(1))
            self.by.update(filter(None, [trace["ExtraInfo"].get("proftui.step_on", "").partition(":")[0]]))
            events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
            # Collections of garbage and slow imports come by chance.
            self.pids.update(event["pid"] for event in events if event["cat"] not in ("GarbageCollection", "Import"))
            passes = [event for event in events if event["name"].startswith("proftui: validation")]
            steps = sum(event["cat"] == "ProfileStep" for event in events)
            # The recording ended within the last step of an incomplete trace.
            self.counted[path] = steps - int("proftui.incomplete" in trace["ExtraInfo"] and steps > 1)
            for event in events:
                name = DURATION.sub("", event["name"])
                self.names[name] += 1
                is_validation = event["cat"] == "Forward" and any(is_within(event, one) for one in passes)
                self.cats["Validation" if is_validation else event["cat"]] += 1
                if event["cat"] == "Operator" and event["pid"] == leader:
                    self.operators[name] += 1


def is_within(event, outer):
    """True if an event lies within another one of its process."""
    return event["pid"] == outer["pid"] and outer["ts"] <= event["ts"] <= event["ts"] + event["dur"] <= outer["ts"] + outer["dur"]
