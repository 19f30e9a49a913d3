"""Prints `slices dropped path` for Chrome JSON traces: an independent count to hold the viewer's against.

    python3 count_chrome.py FILE...

A slice is an X, and every B, b and S, closed or not. Dropped is what no reader can use: an unknown event type,
a missing time, an end without a beginning, an element that is no event or breaks off.
"""

import gzip
import json
import sys
from collections import Counter
from decimal import Decimal, InvalidOperation
from pathlib import Path

PHASES = set("XBEbneiIRCstfSTpFPNODVvc()M")
DECODER = json.JSONDecoder(strict=False, parse_float=Decimal)
LIMIT = 2**63


def text_of(path):
    data = Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data.decode("utf-8-sig", "replace")


def skip(text, at, characters):
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def elements(text, at):
    """The elements of the array whose `[` stands before `at`; None for one that breaks off."""
    while True:
        at = skip(text, at, " \t\r\n,\0")
        if at == len(text) or text[at] == "]":
            return
        try:
            element, at = DECODER.raw_decode(text, at)
        except ValueError:
            yield None
            return
        yield element


def events(text):
    at = skip(text, 0, " \t\r\n")
    if text[at] == "[":
        return elements(text, at + 1)
    try:
        return DECODER.raw_decode(text, at)[0]["traceEvents"]
    except ValueError:
        return elements(text, text.index("[", text.index('"traceEvents"')) + 1)


def nanoseconds(ts):
    """The time in whole nanoseconds, or None when it is none."""
    if isinstance(ts, bool) or not isinstance(ts, (int, float, str, Decimal)):
        return None
    try:
        value = Decimal(ts) * 1000
        return round(value) if value.is_finite() and abs(value) < LIMIT else None
    except InvalidOperation:
        return None


def pair(event):
    """What an opening and its closing event have in common, or None for other phases."""
    phase = event["ph"]
    field = lambda name: str(event.get(name, ""))
    if phase in "BE":
        return "B", field("pid"), field("tid")
    if phase in "be":
        both = event.get("id2") if isinstance(event.get("id2"), dict) else {}
        local = (field("pid"), str(both["local"])) if "local" in both else ()
        return "b", field("cat"), field("scope"), str(both.get("global", event.get("id", ""))), local
    if phase in "SF":
        return "S", field("cat"), field("name"), field("id")
    return None


def count(events):
    slices = dropped = 0
    closing = []
    for order, event in enumerate(events):
        if event == {}:
            continue
        phase = event.get("ph") if isinstance(event, dict) else None
        time = nanoseconds(event.get("ts")) if phase else None
        if not isinstance(phase, str) or phase not in PHASES or (time is None and phase != "M"):
            dropped += 1
            continue
        slices += phase in "XBbS"
        if phase in "BEbeSF":
            closing.append((time, order, phase in "BbS", pair(event)))
    still_open = Counter()
    for _, _, opens, key in sorted(closing, key=lambda entry: entry[:2]):
        if opens:
            still_open[key] += 1
        elif still_open[key]:
            still_open[key] -= 1
        else:
            dropped += 1
    return slices, dropped


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(*count(events(text_of(path))), path, flush=True)
