#!/usr/bin/env python3
"""Writes small safetensors files and indexes as seeds of the safetensors fuzzer.   safetensors_seeds.py FOLDER"""
import json
import struct
import sys

import seeds

BITS = {"BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8,
        "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "C64": 64, "F64": 64,
        "I64": 64, "U64": 64}


def safetensors(tensors, metadata=None, separators=(",", ":")):
    """tensors: (name, dtype, shape)."""
    header, end = {}, 0
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, dtype, shape in tensors:
        count = BITS[dtype]
        for dim in shape:
            count *= dim
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + count // 8]}
        end += count // 8
    head = json.dumps(header, separators=separators, ensure_ascii=end % 2 == 0).encode()
    return struct.pack("<Q", len(head)) + head + b"d" * end


def files():
    yield safetensors([])
    yield safetensors([("a", "F32", [2, 3]), ("b", "BF16", [4])], {"format": "pt"})
    yield safetensors([("model.layers.0.weight", "F16", []), ("e", "I64", [2, 0, 3]), ("\u00e4\"\\", "U8", [1])], {}, (", ", ": "))
    yield safetensors([(f"t{i}", dtype, [4]) for i, dtype in enumerate(BITS)], {"k": "\u20ac\n", "": ""})
    for dtype in BITS:
        yield safetensors([("w", dtype, [2, 2])])
    maps = [{"a": "1.safetensors", "b": "1.safetensors", "c": "2.safetensors"}, {"a": "1.safetensors", "b": "1.safetensors"},
            {"c": "2.safetensors"}, {"a": "3.safetensors"}]
    for weight_map in maps:
        yield b"I" + json.dumps({"metadata": {"total_size": 3}, "weight_map": weight_map}).encode()
    yield b"I" + json.dumps({"weight_map": maps[0], "more": [1, 2.5, None, {"x": ["y", True]}]}, indent=2).encode()


seeds.write(files(), sys.argv[1])
