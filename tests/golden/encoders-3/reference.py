#!/usr/bin/env python3
"""Writes the cases of this folder, and checks itself on cases that others have written.

    python3 tests/golden/encoders-3/reference.py --check    on ../encoders/deberta-v3, deberta-v3-classifier and esmc
    python3 tests/golden/encoders-3/reference.py            writes the cases

Everything is float64 numpy, from config.json and model.safetensors alone. Needs `numpy`.
"""
import json
import math
import os
import struct
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {"F32": np.float32, "F16": np.float16}


def read_weights(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        values = np.frombuffer(data[8 + size + begin:8 + size + end], TYPES[about["dtype"]])
        tensors[name] = values.reshape(about["shape"]).astype(np.float64)
    return tensors


def write_weights(path, tensors):
    header, at = {}, 0
    for name, values in tensors.items():
        header[name] = {"dtype": "F16", "shape": list(values.shape), "data_offsets": [at, at + 2 * values.size]}
        at += 2 * values.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for values in tensors.values():
            file.write(values.astype(np.float16).tobytes())


erf = np.vectorize(math.erf)
ACTIVATIONS = {
    "gelu": lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2))),
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "silu": lambda x: x / (1 + np.exp(-x)),
}


class Model:
    """One text without padding at a time; `prefix` begins the names of the base model where there is one."""

    def __init__(self, config, tensors, prefix):
        self.c, self.t = config, tensors
        self.prefix = prefix if any(name.startswith(prefix) for name in tensors) else ""
        self.eps = config.get("layer_norm_eps", 1e-5)
        self.heads = config["num_attention_heads"]

    def own(self, name):
        return self.t[self.prefix + name]

    def linear(self, x, name, base=True):
        get = self.own if base else self.t.__getitem__
        full = (self.prefix if base else "") + name + ".bias"
        y = x @ get(name + ".weight").T
        return y + self.t[full] if full in self.t else y

    def norm(self, x, name, base=True, eps=None):
        get = self.own if base else self.t.__getitem__
        full = (self.prefix if base else "") + name + ".bias"
        centred = x - x.mean(-1, keepdims=True)
        y = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + (self.eps if eps is None else eps))
        y = y * get(name + ".weight")
        return y + self.t[full] if full in self.t else y

    def split(self, x):
        """(T,C) to (H,T,D)."""
        return x.reshape(len(x), self.heads, -1).transpose(1, 0, 2)

    @staticmethod
    def softmax(x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def attend(self, scores, value):
        self.attentions.append(self.softmax(scores))
        return (self.attentions[-1] @ value).transpose(1, 0, 2).reshape(value.shape[1], -1)

    def embeddings(self, ids, types):
        x = self.own("embeddings.word_embeddings.weight")[ids]
        if self.prefix + "embeddings.position_embeddings.weight" in self.t:
            x = x + self.own("embeddings.position_embeddings.weight")[:len(ids)]
        if self.prefix + "embeddings.token_type_embeddings.weight" in self.t:
            x = x + self.own("embeddings.token_type_embeddings.weight")[types]
        return self.norm(x, "embeddings.LayerNorm")

    def run(self, ids, types, chains):
        self.attentions = []
        return self.hidden(np.array(ids), np.array(types), np.array(chains))

    def bert_words(self, hidden, names):
        dense, norm, bias = names
        x = self.norm(ACTIVATIONS[self.c["hidden_act"]](self.linear(hidden, dense, False)), norm, False)
        return x @ self.own("embeddings.word_embeddings.weight").T + self.t[bias]


class Deberta(Model):
    def bucket(self, d):
        buckets, most = self.c.get("position_buckets", -1), self.most
        middle = buckets // 2
        if buckets <= 0 or abs(d) <= middle:
            return d
        far = math.ceil(math.log(abs(d) / middle) / math.log((most - 1) / middle) * (middle - 1)) + middle
        return far if d > 0 else -far

    def layer_attention(self, x, i, table):
        at = f"encoder.layer.{i}.attention.self."
        q, k, v = (self.split(self.linear(x, f"{at}{part}_proj")) for part in ("query", "key", "value"))
        kinds = self.c["pos_att_type"]
        kinds = kinds.split("|") if isinstance(kinds, str) else kinds or []
        scale = 1 / math.sqrt(q.shape[-1] * (1 + len(kinds)))
        scores = q @ k.transpose(0, 2, 1)
        if table is not None:
            half = len(table) // 2
            shared = self.c.get("share_att_key", False)
            rows = np.array([[min(max(self.bucket(a - b) + half, 0), 2 * half - 1) for b in range(len(x))] for a in range(len(x))])
            if "c2p" in kinds:
                keys = self.split(self.linear(table, at + ("key_proj" if shared else "pos_key_proj")))
                scores = scores + np.einsum("hid,hijd->hij", q, keys[:, rows])
            if "p2c" in kinds:
                queries = self.split(self.linear(table, at + ("query_proj" if shared else "pos_query_proj")))
                scores = scores + np.einsum("hjd,hijd->hij", k, queries[:, rows])
        return self.attend(scores * scale, v)

    def convolution(self, x):
        weight, bias = self.own("encoder.conv.conv.weight"), self.own("encoder.conv.conv.bias")
        outputs, channels, width = weight.shape
        groups = x.shape[1] // channels
        padded = np.pad(x, ((width // 2, width // 2), (0, 0)))
        y = np.zeros((len(x), outputs))
        for o in range(outputs):
            first = o // (outputs // groups) * channels
            for t in range(len(x)):
                y[t, o] = (padded[t:t + width, first:first + channels] * weight[o].T).sum() + bias[o]
        return ACTIVATIONS[self.c.get("conv_act", "tanh")](y)

    def hidden(self, ids, types, chains):
        most = self.c.get("max_relative_positions", -1)
        self.most = self.c["max_position_embeddings"] if most < 1 else most
        table = None
        if self.c.get("relative_attention", False):
            table = self.own("encoder.rel_embeddings.weight")
            if "layer_norm" in self.c.get("norm_rel_ebd", "none"):
                table = self.norm(table, "encoder.LayerNorm")
        first = x = self.embeddings(ids, types)
        for i in range(self.c["num_hidden_layers"]):
            at = f"encoder.layer.{i}."
            x = self.norm(x + self.linear(self.layer_attention(x, i, table), at + "attention.output.dense"), at + "attention.output.LayerNorm")
            wide = ACTIVATIONS[self.c["hidden_act"]](self.linear(x, at + "intermediate.dense"))
            x = self.norm(x + self.linear(wide, at + "output.dense"), at + "output.LayerNorm")
            if i == 0 and self.c.get("conv_kernel_size", 0) > 0:
                x = self.norm(x + self.convolution(first), "encoder.conv.LayerNorm")
        return x

    def logits(self, hidden):
        if "lm_predictions.lm_head.bias" in self.t:
            return self.bert_words(hidden, [f"lm_predictions.lm_head.{part}" for part in ("dense", "LayerNorm", "bias")])
        if "cls.predictions.bias" in self.t:
            return self.bert_words(hidden, ["cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"])
        if "pooler.dense.weight" in self.t:
            pooled = ACTIVATIONS[self.c.get("pooler_hidden_act", "gelu")](self.linear(hidden[:1], "pooler.dense", False))
            return self.linear(pooled, "classifier", False)[0]
        if "classifier.weight" in self.t:
            return self.linear(hidden, "classifier", False)
        return None


class Esmc(Model):
    def rotate(self, x):
        half = x.shape[-1] // 2
        angles = np.arange(x.shape[1])[:, None] * 10000.0 ** (-np.arange(half) / half)
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles)], -1)

    def hidden(self, ids, types, chains):
        x = self.own("embed_tokens.weight")[ids]
        divisor = math.sqrt(self.c["num_hidden_layers"] / 36)
        for i in range(self.c["num_hidden_layers"]):
            at = f"layers.{i}."
            y = self.norm(x, at + "input_layernorm")
            q, k = (self.rotate(self.split(self.norm(self.linear(y, f"{at}self_attn.{p}_proj"), f"{at}self_attn.{p}_norm"))) for p in "qk")
            scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
            scores = np.where(chains[:, None] == chains[None, :], scores, -np.inf)
            x = x + self.linear(self.attend(scores, self.split(self.linear(y, at + "self_attn.v_proj"))), at + "self_attn.o_proj") / divisor
            y = self.norm(x, at + "post_attention_layernorm")
            wide = ACTIVATIONS["silu"](self.linear(y, at + "mlp.gate_proj")) * self.linear(y, at + "mlp.up_proj")
            x = x + self.linear(wide, at + "mlp.down_proj") / divisor
        return self.norm(x, "norm")

    def logits(self, hidden):
        if "lm_head.dense.weight" in self.t:
            x = self.norm(ACTIVATIONS["gelu"](self.linear(hidden, "lm_head.dense", False)), "lm_head.layer_norm", False)
            return self.linear(x, "lm_head.decoder", False)
        if "classifier.dense.weight" in self.t:
            return self.linear(np.tanh(self.linear(hidden[:1], "classifier.dense", False)), "classifier.out_proj", False)[0]
        if "score.weight" in self.t:
            return self.linear(hidden, "score", False)
        return None


class Jina(Model):
    def slopes(self, heads):
        power = 2 ** math.floor(math.log2(heads))
        plain = [2 ** (-8 * (h + 1) / power) for h in range(power)]
        return plain if power == heads else plain + self.slopes(2 * power)[0::2][:heads - power]

    def hidden(self, ids, types, chains):
        x = self.embeddings(ids, types)
        distances = abs(np.arange(len(ids))[:, None] - np.arange(len(ids))[None, :])
        bias = -np.array(self.slopes(self.heads))[:, None, None] * distances
        for i in range(self.c["num_hidden_layers"]):
            at = f"encoder.layer.{i}."
            q, k, v = (self.split(self.linear(x, f"{at}attention.self.{part}")) for part in ("query", "key", "value"))
            context = self.attend(q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1]) + bias, v)
            x = self.norm(x + self.linear(context, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            wide = self.linear(x, at + "mlp.gated_layers")
            width = wide.shape[1] // 2
            gate = ACTIVATIONS["relu" if self.c["feed_forward_type"] == "reglu" else "gelu"](wide[:, :width])
            x = self.norm(x + self.linear(gate * wide[:, width:], at + "mlp.wo"), at + "mlp.layernorm")
        return x

    def logits(self, hidden):
        if "cls.predictions.bias" in self.t:
            return self.bert_words(hidden, ["cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"])
        if "classifier.weight" in self.t:
            return self.linear(np.tanh(self.linear(hidden[:1], "pooler.dense")), "classifier", False)[0]
        return None


CLASSES = {"deberta-v2": (Deberta, "deberta."), "esmc": (Esmc, "esmc."), "bert": (Jina, "bert.")}


def model_of(config, tensors):
    kind, prefix = CLASSES[config["model_type"]]
    return kind(config, tensors, prefix)


def result(model, case):
    """What the model makes of a batch; rows of padding are 0."""
    batch, length = case["shape"]
    out = {}
    for b in range(batch):
        row = slice(b * length, (b + 1) * length)
        mask = np.array(case["attention_mask"][row]) == 1
        def of(name):
            return np.array(case.get(name, [0] * (batch * length))[row])[mask]
        hidden = model.run(of("input_ids"), of("token_type_ids"), of("sequence_ids"))
        logits = model.logits(hidden)
        whole = np.zeros((length, hidden.shape[1]))
        whole[mask] = hidden
        out.setdefault("last_hidden_state", []).append(whole)
        probabilities = np.zeros((model.heads, length, length))
        probabilities[np.ix_(range(model.heads), mask, mask)] = model.attentions[-1]
        out.setdefault("attention", []).append(probabilities)
        if logits is None:
            continue
        if logits.ndim == 2:
            whole = np.zeros((length, logits.shape[1]))
            whole[mask] = logits
            logits = whole
        out.setdefault("logits", []).append(logits)
    return {name: np.concatenate([each.reshape(-1) for each in parts]) for name, parts in out.items()}


def check():
    for name in ("deberta-v3", "deberta-v3-classifier", "esmc"):
        folder = os.path.join(HERE, "..", "encoders", name)
        with open(os.path.join(folder, "config.json")) as file:
            config = json.load(file)
        model = model_of(config, read_weights(os.path.join(folder, "model.safetensors")))
        with open(os.path.join(folder, "expected.json")) as file:
            cases = json.load(file)["cases"]
        for case in cases:
            found = result(model, case)
            for what, values in found.items():
                if what in case:
                    print(name, case["shape"], what, f"{abs(values - np.array(case[what])).max():.1e}")


def deberta(layers=2, **more):
    return {"model_type": "deberta-v2", "architectures": ["DebertaV2Model"], "vocab_size": 29, "hidden_size": 24,
            "num_hidden_layers": layers, "num_attention_heads": 3, "intermediate_size": 32, "hidden_act": "gelu",
            "max_position_embeddings": 48, "max_relative_positions": -1, "type_vocab_size": 0, "layer_norm_eps": 1e-7,
            "relative_attention": True, "position_buckets": 8, "norm_rel_ebd": "layer_norm", "share_att_key": True,
            "pos_att_type": "p2c|c2p", "position_biased_input": False, "pad_token_id": 0, **more}


def jina(**more):
    return {"model_type": "bert", "architectures": ["JinaBertForMaskedLM"], "vocab_size": 29, "hidden_size": 24,
            "num_hidden_layers": 2, "num_attention_heads": 6, "intermediate_size": 32, "hidden_act": "gelu",
            "max_position_embeddings": 8192, "model_max_length": 8192, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
            "position_embedding_type": "alibi", "feed_forward_type": "geglu", "emb_pooler": "mean", "pad_token_id": 0,
            "attention_probs_dropout_prob": 0.0, **more}


def esmc(**more):
    return {"model_type": "esmc", "architectures": ["EsmcForMaskedLM"], "vocab_size": 29, "hidden_size": 24,
            "num_hidden_layers": 2, "num_attention_heads": 3, "num_key_value_heads": 3, "intermediate_size": 32,
            "hidden_act": "silu", "max_position_embeddings": 2048, "pad_token_id": 1, "tie_word_embeddings": False,
            "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, **more}


def labels(n):
    return {"id2label": {str(i): f"LABEL_{i}" for i in range(n)}}


CASES = {
    "deberta-v2-convolution": deberta(3, conv_kernel_size=3, conv_act="gelu", attention_head_size=8, pos_att_type=["p2c", "c2p"]),
    "deberta-v2-groups": deberta(conv_kernel_size=5, conv_groups=2, type_vocab_size=2, position_biased_input=True, norm_rel_ebd="none", pos_att_type="c2p"),
    "deberta-v2-own-projections": deberta(share_att_key=False, position_buckets=-1, max_relative_positions=6, pos_att_type="p2c|c2p"),
    "deberta-v2-p2c": deberta(share_att_key=False, pos_att_type="p2c", architectures=["DebertaV2ForTokenClassification"], **labels(4)),
    "deberta-v2-without": deberta(relative_attention=False, position_biased_input=True, pos_att_type=None, type_vocab_size=2),
    "deberta-v2-masked-lm": deberta(architectures=["DebertaV2ForMaskedLM"]),
    "deberta-v3-masked-lm": deberta(architectures=["DebertaV2ForMaskedLM"], legacy=False),
    "esmc-masked-lm": esmc(),
    "esmc-classifier": esmc(architectures=["EsmcForSequenceClassification"], **labels(3)),
    "esmc-tokens": esmc(architectures=["EsmcForTokenClassification"], **labels(3)),
    "jina-v2": jina(),
    "jina-v2-reranker": jina(architectures=["JinaBertForSequenceClassification"], feed_forward_type="reglu", num_attention_heads=4, **labels(1)),
}


def shapes(config):
    """The tensors of a configuration, by the names of its classes."""
    c, wide, words = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    architecture = config["architectures"][0]
    out = {}
    def linear(name, outputs, inputs, bias=True):
        out[name + ".weight"] = (outputs, inputs)
        if bias:
            out[name + ".bias"] = (outputs,)
    def norm(name, bias=True):
        out[name + ".weight"] = (c,)
        if bias:
            out[name + ".bias"] = (c,)
    kind = config["model_type"]
    prefix = "" if architecture.endswith("Model") else CLASSES[kind][1]
    classes = len(config.get("id2label", {}))
    if kind == "esmc":
        out[prefix + "embed_tokens.weight"] = (words, c)
        for i in range(config["num_hidden_layers"]):
            at = f"{prefix}layers.{i}."
            for name in ("input_layernorm", "post_attention_layernorm"):
                norm(at + name)
            for name in "qkvo":
                linear(f"{at}self_attn.{name}_proj", c, c, False)
            for name in "qk":
                norm(f"{at}self_attn.{name}_norm", False)
            linear(at + "mlp.gate_proj", wide, c, False)
            linear(at + "mlp.up_proj", wide, c, False)
            linear(at + "mlp.down_proj", c, wide, False)
        norm(prefix + "norm", False)
        if architecture.endswith("MaskedLM"):
            linear("lm_head.dense", c, c)
            norm("lm_head.layer_norm")
            linear("lm_head.decoder", words, c)
        elif architecture.endswith("SequenceClassification"):
            linear("classifier.dense", c, c)
            linear("classifier.out_proj", classes, c)
        else:
            linear("score", classes, c)
        return out
    out[prefix + "embeddings.word_embeddings.weight"] = (words, c)
    norm(prefix + "embeddings.LayerNorm")
    if config["type_vocab_size"]:
        out[prefix + "embeddings.token_type_embeddings.weight"] = (config["type_vocab_size"], c)
    if config.get("position_biased_input"):
        out[prefix + "embeddings.position_embeddings.weight"] = (config["max_position_embeddings"], c)
    for i in range(config["num_hidden_layers"]):
        at = f"{prefix}encoder.layer.{i}."
        for name in ("query", "key", "value"):
            linear(f"{at}attention.self.{name}" + ("_proj" if kind != "bert" else ""), c, c)
        linear(at + "attention.output.dense", c, c)
        norm(at + "attention.output.LayerNorm")
        if kind == "bert":
            linear(at + "mlp.gated_layers", 2 * wide, c, False)
            linear(at + "mlp.wo", c, wide)
            norm(at + "mlp.layernorm")
            continue
        linear(at + "intermediate.dense", wide, c)
        linear(at + "output.dense", c, wide)
        norm(at + "output.LayerNorm")
        if config["relative_attention"] and not config["share_att_key"]:
            if "c2p" in config["pos_att_type"]:
                linear(at + "attention.self.pos_key_proj", c, c)
            if "p2c" in config["pos_att_type"]:
                linear(at + "attention.self.pos_query_proj", c, c)
    if kind != "bert" and config["relative_attention"]:
        rows = config["position_buckets"] if config["position_buckets"] > 0 else config["max_relative_positions"]
        out[prefix + "encoder.rel_embeddings.weight"] = (2 * rows, c)
        if config["norm_rel_ebd"] == "layer_norm":
            norm(prefix + "encoder.LayerNorm")
    if config.get("conv_kernel_size"):
        out[prefix + "encoder.conv.conv.weight"] = (c, c // config.get("conv_groups", 1), config["conv_kernel_size"])
        out[prefix + "encoder.conv.conv.bias"] = (c,)
        norm(prefix + "encoder.conv.LayerNorm")
    if architecture.endswith("MaskedLM"):
        begin = "cls.predictions." if config.get("legacy", True) else "lm_predictions.lm_head."
        between = "transform." if config.get("legacy", True) else ""
        linear(begin + between + "dense", c, c)
        norm(begin + between + "LayerNorm")
        out[begin + "bias"] = (words,)
    elif architecture.endswith("SequenceClassification"):
        linear((prefix if kind == "bert" else "") + "pooler.dense", c, c)
        linear("classifier", classes, c)
    elif architecture.endswith("TokenClassification"):
        linear("classifier", classes, c)
    return out


def made_up(random, name, shape):
    values = random.normal(size=shape)
    if "norm" in name.lower():
        return 1 + 0.2 * values if name.endswith("weight") else 0.2 * values
    if name.endswith("bias"):
        return 0.2 * values
    if "embeddings" in name or "embed_tokens" in name:
        return values
    return 1.5 * values / math.sqrt(math.prod(shape[1:]))


def write():
    for number, (name, config) in enumerate(CASES.items()):
        random = np.random.default_rng(1000 + number)
        folder = os.path.join(HERE, name)
        os.makedirs(folder, exist_ok=True)
        tensors = {each: made_up(random, each, shape).astype(np.float16) for each, shape in shapes(config).items()}
        write_weights(os.path.join(folder, "model.safetensors"), tensors)
        with open(os.path.join(folder, "config.json"), "w") as file:
            json.dump(config, file, indent=1)
            file.write("\n")
        model = model_of(config, read_weights(os.path.join(folder, "model.safetensors")))
        cases = []
        for lengths in ([1], [23], [12, 7]):
            length = max(lengths)
            count = len(lengths) * length
            mask = [int(t < own) for own in lengths for t in range(length)]
            case = {"shape": [len(lengths), length], "input_ids": [int(v) for v in random.integers(2, 29, count)], "attention_mask": mask,
                    "attention_layer": config["num_hidden_layers"] - 1}
            if config.get("type_vocab_size", 0) > 1:
                case["token_type_ids"] = [int(v) for v in random.integers(0, 2, count)]
            if name == "esmc-masked-lm" and length > 1:
                case["sequence_ids"] = [int(t % length >= length // 3) for t in range(count)]
            for what, values in result(model, case).items():
                case[what] = [round(float(value), 9) for value in values]
            cases.append(case)
        with open(os.path.join(folder, "expected.json"), "w") as file:
            json.dump({"cases": cases}, file, separators=(",", ":"))
            file.write("\n")


if __name__ == "__main__":
    check() if "--check" in sys.argv else write()
