#!/usr/bin/env python3
"""Writes tests/golden/quant/FORMAT.json for every format of src/quant/formats: what the `gguf` Python package makes of
given bytes and floats.

Usage: scripts/make_quant_golden.py [FOLDER]        needs: pip install gguf

Each file holds, as hexadecimal little-endian bytes:
  dequantize  pairs of a row's bytes (random, with scales of every kind; extreme codes) and the float32 numbers they are
  quantize    pairs of a row of float32 numbers and the bytes they become; null where the package only reads the format
"""
import importlib.metadata
import json
import math
import pathlib
import re
import sys

import gguf
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMATS = ROOT / "src/quant/formats"
# Bytes of the types that a block as on disk is made of.
SIZES = {"kelda::f16": 2, "uint8_t": 1, "int8_t": 1, "uint16_t": 2, "uint32_t": 4}
SPECIAL_HALVES = [
    *(0x0000, 0x8000, 0x0001, 0x83FF, 0x0400),  # zeros, subnormals, the smallest normal
    *(0x3C00, 0xBC00, 0x7BFF, 0xFBFF),  # ones, the largest
    *(0x7C00, 0xFC00, 0x7E00),  # infinities, NaN
]


def offsets_of_halves(name):
    """Bytes at which a block holds an f16 (scale, minimum): read off `struct Block` in the format's header."""
    block = re.search(r"^struct Block {\n(.*?)^}", (FORMATS / f"{name.lower()}.h").read_text(), re.M | re.S)
    offsets, size = [], 0
    for kind, count in re.findall(r"^ *([\w:]+) \w+(?:\[(\d+)\])?;", block.group(1) if block else "", re.M):
        offsets += [size] if kind == "kelda::f16" else []
        size += SIZES[kind] * int(count or 1)
    assert not block or size == gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]][1], f"{name}: {size} bytes"
    return offsets


def random_rows(name, rng):
    """Rows of random bytes; every special f16 as scale of a block, and some ordinary ones."""
    qtype = gguf.GGMLQuantizationType[name]
    block_size, block_bytes = gguf.GGML_QUANT_SIZES[qtype]
    n_blocks = len(SPECIAL_HALVES) + 4 if block_size > 1 else 96
    blocks = rng.integers(0, 256, (n_blocks, block_bytes), dtype=np.uint8)
    for offset in offsets_of_halves(name):
        ordinary = rng.normal(0, 0.02, len(blocks)).astype(np.float16)
        ordinary[: len(SPECIAL_HALVES)] = np.array(SPECIAL_HALVES, dtype=np.uint16).view(np.float16)
        blocks[:, offset : offset + 2] = np.roll(ordinary, offset).view(np.uint8).reshape(-1, 2)
    return blocks.reshape(4, -1)


def extreme_rows(name):
    """One row of blocks whose bytes are all the same but for the scales: codes and sub-scales at their ends."""
    qtype = gguf.GGMLQuantizationType[name]
    block_size, block_bytes = gguf.GGML_QUANT_SIZES[qtype]
    if block_size == 1:
        return np.zeros((0, block_bytes), dtype=np.uint8)
    fills = np.array([0x00, 0xFF, 0x7F, 0x80], dtype=np.uint8)
    blocks = np.repeat(fills[:, None], block_bytes, axis=1)
    for offset in offsets_of_halves(name):
        scales = np.array([0.5, -0.37, 0.0113, -65504], dtype=np.float16)
        blocks[:, offset : offset + 2] = scales.view(np.uint8).reshape(-1, 2)
    return blocks.reshape(1, -1)


def float_rows(rng):
    """Rows of 96 floats, repeated to whole blocks: ordinary, constant, zero, with ties, huge, tiny, one outlier."""
    yield rng.normal(0, 1, 96)
    yield rng.normal(0, 0.02, 96)
    yield np.full(96, -0.75)
    yield np.zeros(96)
    yield np.round(rng.normal(0, 20, 96) * 2) / 2
    yield np.concatenate([np.arange(-64, 32) * 0.5])
    yield rng.normal(0, 1e6, 96)
    yield rng.normal(0, 1e-30, 96)
    yield rng.uniform(1, 2, 96)
    outlier = rng.normal(0, 1, 96)
    outlier[40] = 500
    yield outlier


def quantized_rows(qtype, rng):
    pairs = []
    for row in float_rows(rng):
        whole = math.lcm(row.size, gguf.GGML_QUANT_SIZES[qtype][0])  # blocks
        row = np.resize(row, whole).astype(np.float32).reshape(1, -1)
        try:
            quantized = gguf.quants.quantize(row, qtype)
        except NotImplementedError:
            return None
        pairs.append({"floats": row.tobytes().hex(), "bytes": quantized.tobytes().hex()})
    return pairs


def golden(name, rng):
    qtype = gguf.GGMLQuantizationType[name]
    with np.errstate(all="ignore"):
        dequantize = [
            {"bytes": row.tobytes().hex(), "floats": floats.astype("<f4").tobytes().hex()}
            for rows in (random_rows(name, rng), extreme_rows(name))
            for row, floats in zip(rows, gguf.quants.dequantize(rows, qtype))
        ]
        quantize = quantized_rows(qtype, rng)
    return {
        "made_by": "scripts/make_quant_golden.py",
        "oracle": f"gguf {importlib.metadata.version('gguf')}, numpy {np.__version__}",
        "format": name.lower(),
        "dequantize": dequantize,
        "quantize": quantize,
    }


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests/golden/quant"
    for header in sorted(FORMATS.glob("*.h")):
        text = json.dumps(golden(header.stem.upper(), np.random.default_rng(1)), indent=1)
        (folder / f"{header.stem}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
