"""What a capture printed at its end, compared with its traces."""
import re
import shlex

PREFIX = "proftui: "
OPEN = "open it: proftui open "
# The first line of the answer: number of steps, what ended them, and their durations.
STEPS = re.compile(r"([\d,]+) steps?(?: \(ended by .+?\))?: (?:steps? [\d–]+ (?:up to )?[\d.]+ \S+, then )?(?:p50 )?[\d.]+ ")
# The line of a trace, which it has if there are several.
TRACE = re.compile(r"(\S+\.json): (?:steps? [\d,]+|[\d,]+ range)")
NO_STEP = "no step was seen: use --step-on "
NOTHING = "only the program's start and end are recorded: "
# Most lines from the first one of the answer to the command that opens the trace.
LINES = 10


class Answered:
    """The lines at the end of a capture: `text` sums them up, `wrong` lists what the traces do not confirm."""

    def __init__(self, said, where, found, says=None):
        self.lines = [line[len(PREFIX):] for line in said.splitlines() if line.startswith(PREFIX)]
        self.wrong = []
        self.text = "nothing recorded"
        if sum(found.counted.values()) == 0:
            self.without_steps(found, says)
        if not any(NOTHING in line for line in self.lines):
            self.compare(where, found)

    def without_steps(self, found, says):
        wanted = says or (NO_STEP if found.cats["Forward"] else NOTHING)
        if not any(wanted in line for line in self.lines):
            self.wrong.append("no line with %r" % wanted)

    def compare(self, where, found):
        opened = [at for at, line in enumerate(self.lines) if line.startswith(OPEN)]
        if opened != [len(self.lines) - 1]:
            self.wrong.append("the last line is not the only one with %r: %s" % (OPEN, self.lines[-1:]))
            return
        words = shlex.split(self.lines[-1][len(OPEN):])
        path = where / words[0]
        if len(words) != 1 or path not in found.counted:
            self.wrong.append("%s is no trace of the capture" % " ".join(words))
            return
        first = next((at for at, line in enumerate(self.lines) if STEPS.match(line)), None)
        counted = 0 if first is None else int(STEPS.match(self.lines[first]).group(1).replace(",", ""))
        if counted != found.counted[path]:
            self.wrong.append("%d steps, the trace has %d" % (counted, found.counted[path]))
        lines = len(self.lines) - (len(self.lines) - 1 if first is None else first)
        if lines > LINES:
            self.wrong.append("%d lines" % lines)
        self.text = "%d steps, %d lines" % (counted, lines)
        if len(found.paths) > 1:
            self.several(where, found, self.lines[:first])

    def several(self, where, found, before):
        """Of several traces, each has a line before the answer, once."""
        named = sorted(where / match.group(1) for match in map(TRACE.match, before) if match)
        if named != sorted(found.paths):
            self.wrong.append("%d of %d traces have a line of their own" % (len(named), len(found.paths)))
        self.text += " of %d traces" % len(found.paths)
