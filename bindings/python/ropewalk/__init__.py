"""Small transformers and rotary position embeddings (RoPE) on NumPy arrays, by Ropewalk's shared library.

import ropewalk
model = ropewalk.Encoder("all-MiniLM-L6-v2", precision="int8")
vectors = model.embed(["a sailor ties a rope", "someone fastens a line"])
"""

from ._check import READERS, check
from ._decoder import Decoder, Generation, KeyCache, Token
from ._encoder import Encoder, Ranked
from ._index import write_index
from ._library import RopewalkError, library
from ._rope import (
    Rope,
    architecture,
    convert_pairing,
    explain,
    from_config,
    rotate_by,
    rotate_by_gradient,
    use_architecture,
)

__version__: str = library.version().decode()
__all__ = [
    "READERS",
    "Decoder",
    "Encoder",
    "Generation",
    "KeyCache",
    "Ranked",
    "Rope",
    "RopewalkError",
    "Token",
    "architecture",
    "check",
    "convert_pairing",
    "explain",
    "from_config",
    "rotate_by",
    "rotate_by_gradient",
    "use_architecture",
    "write_index",
]
