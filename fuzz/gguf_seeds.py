#!/usr/bin/env python3
"""Writes small GGUF files and split sets as seeds of the gguf fuzzer.   gguf_seeds.py FOLDER"""
import struct
import sys

import seeds

U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 = range(13)
CODES = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "?", U64: "Q", I64: "q", F64: "d"}
BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 8: (32, 34), 12: (256, 144), 14: (256, 210), 30: (1, 2)}


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def item(kind, value):
    return text(value) if kind == STRING else struct.pack("<" + CODES[kind], value)


def entry(key, kind, value):
    if isinstance(value, list):
        return text(key) + struct.pack("<IIQ", ARRAY, kind, len(value)) + b"".join(item(kind, v) for v in value)
    return text(key) + struct.pack("<I", kind) + item(kind, value)


def gguf(entries, tensors, version=3, alignment=32):
    """tensors: (name, dimensions with the columns first, type)."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(entries)) + b"".join(entry(*e) for e in entries)
    offset, data = 0, b""
    for name, dims, kind in tensors:
        n_items, n_bytes = BLOCKS[kind]
        count = 1
        for dim in dims:
            count *= dim
        head += text(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, len(data))
        data += bytes(range(1, 1 + count // n_items * n_bytes % 200)).ljust(count // n_items * n_bytes, b"\x21")
        data += b"\0" * (-len(data) % alignment)
    return head + (b"\0" * (-len(head) % alignment) if tensors else b"") + data


def split(no, count, n_tensors):
    return [("split.no", U16, no), ("split.count", U16, count), ("split.tensors.count", I32, n_tensors)]


def joined(opened, parts):
    first = (opened << 1) | (len(parts) - 2)
    return bytes([first]) + b"".join(struct.pack("<H", len(p)) + p for p in parts[:-1]) + parts[-1]


def files():
    name = [("general.architecture", STRING, "llama")]
    every = [(f"k{kind}", kind, "text" if kind == STRING else 1) for kind in range(13) if kind != ARRAY]
    lists = [(f"l{kind}", kind, ["a", "bc"] if kind == STRING else [0, 1, 1]) for kind in range(13) if kind != ARRAY]
    yield gguf([], [])
    yield gguf(name, [("a", [4, 2], 0)])
    yield gguf(every, [("a", [4, 2], 0), ("b", [32], 2)])
    yield gguf(lists, [("a", [32, 2, 1, 1], 8)], version=2)
    yield gguf([("general.alignment", U32, 8)], [("a", [1], 1), ("b", [1], 30), ("c", [2], 1)], alignment=8)
    for kind, (n_items, _) in BLOCKS.items():
        yield gguf(name, [("w", [n_items, 2], kind)])
    yield gguf(split(0, 1, 1) + name, [("a", [4], 0)])
    a, b, c = ("a", [4, 2], 0), ("b", [32], 2), ("c", [2], 1)
    for opened in (0, 1):
        yield joined(opened, [gguf(name + split(0, 2, 2), [a]), gguf(split(1, 2, 2), [b])])
    for opened in (0, 2):
        yield joined(opened, [gguf(name + split(0, 3, 3), [a]), gguf(split(1, 3, 3), [b]), gguf(split(2, 3, 3), [c])])
    yield joined(0, [gguf(name + split(0, 2, 1), []), gguf(name + split(1, 2, 1), [b])])


seeds.write(files(), sys.argv[1])
