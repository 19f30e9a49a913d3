"""Writes demo-traces/hostile-names.json.gz: valid Chrome JSON whose every string means harm.

Names, categories, threads, processes, argument keys and values carry terminal escapes, control bytes, bidi
controls, invisible or very wide characters and markup. A viewer must show them all and obey none.

    python3 tests/generate/hostile_names.py [OUTPUT]
"""

import gzip
import json
import sys
from pathlib import Path

OUTPUT = Path(__file__).parents[2] / "demo-traces" / "hostile-names.json.gz"
ESC, BEL, ST = "\x1b", "\a", "\x1b\\"

HOSTILE = {
    "clear screen": f"{ESC}[2J{ESC}[3J{ESC}[Hcleared",
    "colours": f"{ESC}[1;5;31;44mloud{ESC}[0m",
    "hide cursor": f"{ESC}[?25lno cursor",
    "leave alternate screen": f"{ESC}[?1049lleft",
    "mouse on": f"{ESC}[?1000h{ESC}[?1003h{ESC}[?1006hmouse",
    "bracketed paste off": f"{ESC}[?2004lpaste",
    "scroll region": f"{ESC}[1;2rregion{ESC}[999B",
    "ask for a report": f"{ESC}[6n{ESC}[c{ESC}[>0qreport",
    "reset": f"{ESC}creset",
    "clipboard": f"{ESC}]52;c;cHduZWQ={BEL}clipboard",
    "link": f"{ESC}]8;;file:///dev/null{ST}click{ESC}]8;;{ST}",
    "title": f"{ESC}]0;stolen title{BEL}title",
    "palette": f"{ESC}]4;1;rgb:00/00/00{ST}palette",
    "device control": f"{ESC}P$q\"p{ST}dcs",
    "sixel": f"{ESC}Pq#0;2;0;0;0~~{ST}sixel",
    "graphics": f"{ESC}_Gf=24,s=1,v=1;AAAA{ST}graphics",
    "privacy message": f"{ESC}^secret{ST}{ESC}Xstring{ST}end",
    "unfinished CSI": f"half{ESC}[38;5;",
    "unfinished OSC": f"half{ESC}]0;never closed",
    "lone escape": f"last{ESC}",
    "C1 CSI": "\u009b2J\u009b31mred",
    "C1 OSC": "\u009d0;title\u009cafter",
    "C1 DCS": "\u0090q\u009c\u0085next\u008dreverse",
    "shift out": "\x0elqqk\x0fback",
    "bells": BEL * 50,
    "backspaces": "safe" + "\b" * 40 + "hidden",
    "line ends": "one\r\ntwo\nthree\rfour",
    "tabs": "a\tb\t\tc\v\fd",
    "NUL and DEL": "a\0b\x7fc\0",
    "every C0": "".join(map(chr, range(32))),
    "every C1": "".join(map(chr, range(128, 160))),
    "bidi override": "\u202etxt.exe\u202c ok",
    "bidi embedding": "\u202aleft\u202bright\u202c",
    "bidi isolates": "\u2066one\u2067two\u2068three",
    "bidi marks": "a\u200eb\u200fc\u061cd",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 123",
    "zero width only": "\u200b\u200c\u200d\u2060\ufeff",
    "zero width between": "ker\u200bnel",
    "soft hyphen": "soft\u00adhyphen\u00ad",
    "line separator": "line\u2028separator",
    "paragraph separator": "paragraph\u2029separator",
    "odd spaces": "a\u00a0b\u2003c\u3000d\u1680e",
    "ZWJ family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 family",
    "ZWJ chain": "\u200d".join(["\U0001f525"] * 30),
    "flags": "\U0001f1eb\U0001f1f7\U0001f1eb flags",
    "skin tone": "\U0001f44d\U0001f3ff thumbs",
    "keycap": "1\ufe0f\u20e3 keycap",
    "variation selectors": "\u2764\ufe0f \u2764\ufe0e A\U000e0100\ufe00\ufe01",
    "tag characters": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f tags",
    "hidden tags": "plain" + "".join(chr(0xE0000 + ord(letter)) for letter in "hidden words"),
    "combining pile": "z" + "\u0301" * 200 + "algo",
    "combining first": "\u0308\u20ddalone",
    "CJK wide": "\u884c\u5217\u306e\u7a4d\u3092\u8a08\u7b97\u3059\u308b\u6838\ud568\uc218",
    "half and full width": "\uff21\uff22\uff23 \uff76\uff9e \u3131",
    "Hangul letters": "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "Indic clusters": "\u0915\u094d\u0937\u093f \u0ba8\u0bbf \u0e01\u0e33",
    "private use": "\ue000\uf8ff\U000f0000\U0010fffd",
    "noncharacters": "\ufffe\uffff\U0001ffff\ufdd0",
    "replacement": "\ufffd\ufffc",
    "lone high surrogate": "high\ud83d",
    "lone low surrogate": "\ude00low",
    "swapped surrogates": "\ude00\ud83dswapped",
    "lookalikes": "\u0430dd_k\u0435rn\u0435l",
    "long ligature": "\ufdfd\u2e3b\U0001242b",
    "box drawing": "\u2502\u2500\u253c\u2588 border",
    "braille and blocks": "\u28ff\u2800\u2593",
    "empty": "",
    "spaces": "        ",
    "long": "x" * 20_000,
    "long and wide": "\u754c" * 3_000,
    "long words": "std::vector<int> " * 300,
    "HTML": "<script>alert(1)</script><b>bold</b>&amp;&#27;[2J",
    "Markdown": "**bold** [link](file:///dev/null) `code` | cell | \n# title",
    "style markup": "[red]red[/red] {bold} #[fg=red] %F{red}",
    "format strings": "%s%n%x {} {0} ${HOME} $(id) `id` \\x1b[2J",
    "path": "../../../../etc/passwd",
    "formula": "=1+1;@SUM(A1)\",\"next cell",
    "JSON": '"}],"traceEvents":[{"ph":"X"',
    "backslashes": "C:\\new\\table\\",
    "regular expression": "(a+)+$ [",
    "option": "--help",
    "JavaScript key": "__proto__",
    "number": "1e309",
}


def events():
    names = list(HOSTILE.values())
    kinds = list(HOSTILE)
    name = lambda number: names[number % len(names)]
    pid = 1
    yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": HOSTILE["title"]}}
    yield {"ph": "M", "name": "process_labels", "pid": pid, "args": {"labels": HOSTILE["bidi override"]}}
    lanes = [1, 2, "\x1b]0;lane\x07three", "\u202efour"]
    for tid, kind in zip(lanes, ("clear screen", "combining pile", "CJK wide", "long")):
        yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": HOSTILE[kind]}}
    for number in range(100):
        yield {"ph": "X", "name": name(number), "cat": name(number + 7), "pid": pid, "tid": lanes[number % 4],
               "ts": 1000 + number // 4 * 120 + number % 4 * 9, "dur": 100,
               "args": {"what": kinds[number % len(kinds)], name(number + 3): name(number + 5), "list": [name(number + 11), {name(number + 13): 1}]}}
    for depth in range(10):
        yield {"ph": "B", "name": name(depth * 8), "pid": pid, "tid": 1, "ts": 5000 + depth}
    for depth in range(10):
        yield {"ph": "E", "pid": pid, "tid": 1, "ts": 5100 + depth, "args": {name(depth + 20): name(depth + 21)}}
    for number in range(0, len(names), 6):
        at = 1000 + number * 40
        yield {"ph": "i", "s": "t", "name": name(number), "cat": name(number + 1), "pid": pid, "tid": 2, "ts": at, "args": {name(number): name(number)}}
        yield {"ph": "C", "name": name(number % 24), "pid": pid, "ts": at, "args": {name(number % 12): number, "value": number * number}}
        flow = {"name": name(number + 2), "cat": name(number + 3), "id": name(number) or "none", "pid": pid}
        yield {**flow, "ph": "s", "tid": lanes[number % 4], "ts": at + 5}
        yield {**flow, "ph": "f", "bp": "e", "tid": lanes[(number + 1) % 4], "ts": at + 200}
        request = {"name": name(number + 4), "cat": name(number + 5), "id": f"{name(number + 1)}{number}", "pid": pid, "tid": 2}
        yield {**request, "ph": "b", "ts": at}
        yield {**request, "ph": "n", "ts": at + 10, "args": {"note": name(number + 9)}}
        yield {**request, "ph": "e", "ts": at + 150}


def main():
    trace = {"displayTimeUnit": "ms", "traceEvents": list(events()), "otherData": {kind: text for kind, text in HOSTILE.items() if len(text) < 1000}}
    text = json.dumps(trace)
    for control in range(0x80, 0xA0):  # half of the C1 controls stay escapes, half become UTF-8 bytes
        escaped = f"\\u{control:04x}"
        first, *others = text.split(escaped)
        text = first + "".join((chr(control) if number % 2 else escaped) + part for number, part in enumerate(others))
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    output.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{output.name}: {len(trace['traceEvents'])} events, {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
