"""A GGUF file cut into the parts of a split set."""

import struct

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_U16, _U32, _I32, _STRING, _ARRAY = 2, 4, 5, 8, 9


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        (value,) = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def string(self):
        size = self.take("Q")
        self.at += size
        return self.data[self.at - size : self.at]

    def skip_value(self, kind):
        if kind == _STRING:
            self.string()
        elif kind == _ARRAY:
            item, n = self.take("I"), self.take("Q")
            for _ in range(n):
                self.skip_value(item)
        else:
            self.at += _SIZES[kind]


def _string(text):
    return struct.pack("<Q", len(text)) + text


def _key(name, kind, form, value):
    return _string(name) + struct.pack("<I" + form, kind, value)


def split_gguf(data, count):
    """The bytes of `count` parts; the first has the metadata, each about as many tensors."""
    r = _Reader(data)
    assert data[:4] == b"GGUF"
    r.at = 8
    n_tensors, n_keys = r.take("Q"), r.take("Q")
    keys_begin, alignment = r.at, 32
    for _ in range(n_keys):
        name, kind = r.string(), r.take("I")
        if name == b"general.alignment":
            (alignment,) = struct.unpack_from("<I", data, r.at)
        r.skip_value(kind)
    keys = data[keys_begin : r.at]
    tensors = []  # (name, shape and type, offset)
    for _ in range(n_tensors):
        name, begin = r.string(), r.at
        n_dims = r.take("I")
        r.at += 8 * n_dims + 4
        tensors.append((name, data[begin : r.at], r.take("Q")))
    data_begin = -(-r.at // alignment) * alignment
    ends = sorted(offset for _, _, offset in tensors) + [len(data) - data_begin]
    parts = []
    for no in range(count):
        own = (_key(b"split.no", _U16, "H", no) + _key(b"split.count", _U16, "H", count)
               + _key(b"split.tensors.count", _I32, "i", n_tensors))
        extra = keys if no == 0 else _key(b"general.alignment", _U32, "I", alignment)
        table, body = b"", b""
        mine = tensors[n_tensors * no // count : n_tensors * (no + 1) // count]
        for name, form, offset in mine:
            table += _string(name) + form + struct.pack("<Q", len(body))
            piece = data[data_begin + offset : data_begin + ends[ends.index(offset) + 1]]
            body += piece + bytes(-len(piece) % alignment)
        n_here = (n_keys if no == 0 else 1) + 3
        head = b"GGUF" + struct.pack("<IQQ", 3, len(mine), n_here) + extra + own + table
        parts.append(head + bytes(-len(head) % alignment) + body)
    return parts
