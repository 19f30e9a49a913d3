"""Text of JSON events and files. Times are ns in whole numbers; they are written exactly."""
import json
import zlib


def micros(ns):
    """ns as microseconds with all decimals."""
    sign, ns = ("-", -ns) if ns < 0 else ("", ns)
    return "%s%d.%03d" % (sign, ns // 1000, ns % 1000)


def compact(value):
    """JSON without blanks."""
    return json.dumps(value, separators=(",", ":"))


def save(path, head, lines, tail=None):
    """Writes a file: the keys of `head`, the events, the keys of `tail`. Returns the path; large files are compressed."""
    text = compact(head)[:-1] + ',"traceEvents":[\n' + ",\n".join(lines) + "\n]"
    if tail:
        text += "," + compact(tail)[1:-1]
    text += "}\n"
    data = text.encode()
    if len(data) > 400_000:
        path = path.with_name(path.name + ".gz")
        packer = zlib.compressobj(5, zlib.DEFLATED, 31)
        data = packer.compress(data) + packer.flush()
    path.write_bytes(data)
    return path
