"""What the programs that write seeds have in common."""
import hashlib
from pathlib import Path


def write(seeds, folder):
    """A file for each of the bytes, named after its content."""
    for seed in seeds:
        (Path(folder) / ("seed-" + hashlib.sha256(seed).hexdigest()[:16])).write_bytes(seed)
