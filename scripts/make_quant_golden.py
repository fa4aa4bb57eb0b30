#!/usr/bin/env python3
"""Writes tests/golden/quant_FORMAT.json: what the `gguf` Python package makes of given bytes and floats.

Usage: scripts/make_quant_golden.py [FOLDER]        needs: pip install gguf

Each file holds, as hexadecimal little-endian bytes:
  dequantize  pairs of a row's bytes (random, with scales of every kind) and the float32 numbers they are
  quantize    pairs of a row of float32 numbers and the bytes they become
"""
import importlib.metadata
import json
import pathlib
import sys

import gguf
import numpy as np

FILES = {
    "F32": "quant_f32.json",
    "F16": "quant_f16.json",
    "BF16": "quant_bf16.json",
    "Q4_0": "quant_q4_0.json",
    "Q4_1": "quant_q4_1.json",
    "Q8_0": "quant_q8_0.json",
}
# Bytes at which a block holds an f16: scale, then minimum.
HALVES = {"Q4_0": [0], "Q4_1": [0, 2], "Q8_0": [0]}
SPECIAL_HALVES = [
    *(0x0000, 0x8000, 0x0001, 0x83FF, 0x0400),  # zeros, subnormals, the smallest normal
    *(0x3C00, 0xBC00, 0x7BFF, 0xFBFF),  # ones, the largest
    *(0x7C00, 0xFC00, 0x7E00),  # infinities, NaN
]


def random_rows(name, rng):
    """Rows of random bytes; every special f16 as scale of a block, and some ordinary ones."""
    qtype = gguf.GGMLQuantizationType[name]
    block_size, block_bytes = gguf.GGML_QUANT_SIZES[qtype]
    n_blocks = len(SPECIAL_HALVES) + 4 if block_size > 1 else 96
    blocks = rng.integers(0, 256, (n_blocks, block_bytes), dtype=np.uint8)
    for offset in HALVES.get(name, []):
        ordinary = rng.normal(0, 0.02, len(blocks)).astype(np.float16)
        ordinary[: len(SPECIAL_HALVES)] = np.array(SPECIAL_HALVES, dtype=np.uint16).view(np.float16)
        blocks[:, offset : offset + 2] = np.roll(ordinary, offset).view(np.uint8).reshape(-1, 2)
    return blocks.reshape(4, -1)


def float_rows(rng):
    """Rows of 96 floats: ordinary, constant, zero, with ties, huge, tiny, one outlier."""
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


def golden(name, rng):
    qtype = gguf.GGMLQuantizationType[name]
    with np.errstate(all="ignore"):
        rows = random_rows(name, rng)
        dequantize = [
            {"bytes": row.tobytes().hex(), "floats": floats.astype("<f4").tobytes().hex()}
            for row, floats in zip(rows, gguf.quants.dequantize(rows, qtype))
        ]
        quantize = []
        for row in float_rows(rng):
            row = row.astype(np.float32).reshape(1, -1)
            quantized = gguf.quants.quantize(row, qtype)
            quantize.append({"floats": row.tobytes().hex(), "bytes": quantized.tobytes().hex()})
    return {
        "made_by": "scripts/make_quant_golden.py",
        "oracle": f"gguf {importlib.metadata.version('gguf')}, numpy {np.__version__}",
        "format": name.lower(),
        "dequantize": dequantize,
        "quantize": quantize,
    }


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/golden"
    for name, file in FILES.items():
        text = json.dumps(golden(name, np.random.default_rng(1)), indent=1)
        (folder / file).write_text(text + "\n")


if __name__ == "__main__":
    main()
