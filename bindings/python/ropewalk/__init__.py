"""Rotary position embeddings (RoPE) on NumPy arrays, by Ropewalk's shared library.

import numpy, ropewalk
rope = ropewalk.Rope(head_dim=128, pairing="half")
rotated = rope.rotate(numpy.zeros((1, 16, 8, 128), numpy.float32), positions=1000)
"""

from ._check import READERS, check
from ._library import RopewalkError, library
from ._rope import Rope, architecture, convert_pairing, explain, from_config, use_architecture

__version__ = library.version().decode()
__all__ = [
    "READERS",
    "Rope",
    "RopewalkError",
    "architecture",
    "check",
    "convert_pairing",
    "explain",
    "from_config",
    "use_architecture",
]
