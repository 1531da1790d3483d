"""A BERT of sentence-transformers as a GGUF file of Q8_0, in the form of published files: positions in half precision.

    python to-gguf.py FOLDER FILE

Needs gguf and safetensors of PyPI: the file's writer and its quantisation are not Ropewalk's.
"""

import json
import sys
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, PoolingType, TokenType, quants
from safetensors.numpy import load_file

folder, target = map(Path, sys.argv[1:])
config = json.loads((folder / "config.json").read_text())
words = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
tokens = sorted(words, key=words.get)
special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
EMBEDDINGS = {
    "word_embeddings": "token_embd",
    "position_embeddings": "position_embd",
    "token_type_embeddings": "token_types",
    "LayerNorm": "token_embd_norm",
}


def name_of(name):
    """Its name in GGUF; None for what an embedding model does not need."""
    part, ending = name.rsplit(".", 1)
    if part.startswith("embeddings.") and part[11:] in EMBEDDINGS:
        return f"{EMBEDDINGS[part[11:]]}.{ending}"
    if part.startswith("encoder.layer."):
        layer, rest = part[14:].split(".", 1)
        return f"blk.{layer}.{LAYER[rest]}.{ending}"
    return None


def phantom(token):
    if token.startswith("[") and token.endswith("]"):
        return token
    return token[2:] if token.startswith("##") else "\u2581" + token


writer = GGUFWriter(target, "bert")
writer.add_name(folder.name)
writer.add_context_length(config["max_position_embeddings"])
writer.add_embedding_length(config["hidden_size"])
writer.add_feed_forward_length(config["intermediate_size"])
writer.add_block_count(config["num_hidden_layers"])
writer.add_head_count(config["num_attention_heads"])
writer.add_layer_norm_eps(config["layer_norm_eps"])
writer.add_causal_attention(False)
writer.add_pooling_type(PoolingType.MEAN)
writer.add_token_type_count(config["type_vocab_size"])
writer.add_tokenizer_model("bert")
writer.add_token_list([phantom(token) for token in tokens])
writer.add_token_scores([-1000.0] * len(tokens))
writer.add_token_types([TokenType.CONTROL if token in special else TokenType.NORMAL for token in tokens])
writer.add_unk_token_id(words["[UNK]"])
writer.add_sep_token_id(words["[SEP]"])
writer.add_pad_token_id(words["[PAD]"])
writer.add_mask_token_id(words["[MASK]"])
writer.add_bos_token_id(words["[CLS]"])
writer.add_eos_token_id(words["[SEP]"])
for name, values in load_file(folder / "model.safetensors").items():
    own = name_of(name)
    if own is None or values.dtype.kind != "f":
        continue
    values = values.astype(np.float32)
    if values.ndim < 2 or own.startswith(("position_embd", "token_types")):
        writer.add_tensor(own, values.astype(np.float16) if own.startswith("position_embd") else values)
        continue
    kind = GGMLQuantizationType.Q8_0
    writer.add_tensor(own, quants.quantize(values, kind), raw_dtype=kind)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
