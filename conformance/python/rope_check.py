#!/usr/bin/env python3
"""Checks a model's rotary frequencies. Python's standard library only.

    python3 rope_check.py config.json                      how four readers read it
    python3 rope_check.py config.json --inv-freq freq.txt  whether a printed inv_freq follows it

In a training script, after the model is built:

    from rope_check import assert_inverse_frequencies
    assert_inverse_frequencies(model.config.to_dict(), module.inv_freq.tolist())

Readers are emulated: transformers 4.57.6 and 5.15.0, getattr(config, "rope_theta", 10000.0) under transformers 5, and
llama.cpp of 2026-07-23. This file shares no code with the library; both are held to the same reference values.
Exit codes: 0 agree, 3 readers disagree, 4 the table is not what the configuration says, 5 it looks uninitialised.
"""
import argparse
import json
import math
import re
import struct
import sys

INTERLEAVED = {"gptj", "codegen", "cohere", "deepseek_v2", "deepseek_v3", "ernie4_5", "glm", "glm4", "helium", "roformer"}
FRACTION = {"phi": 0.5, "gpt_neox": 0.25, "stablelm": 0.25, "persimmon": 0.5, "nemotron": 0.5, "glm": 0.5, "glm4": 0.5}
BASE = {"mixtral": 1e6, "smollm3": 2e6, "gpt_oss": 150000.0, "helium": 100000.0, "ernie4_5": 500000.0}
LAYERS = {  # type of layers: the key of older files, the class's default, whether rope_scaling concerns it
    "gemma3_text": {"full_attention": ("rope_theta", 1e6, True), "sliding_attention": ("rope_local_base_freq", 1e4, False)},
    "modernbert": {"full_attention": ("global_rope_theta", 160000.0, True), "sliding_attention": ("local_rope_theta", 1e4, True)},
}
OWN_CODE = {"new", "gte", "baichuan", "chatglm", "qwen", "xverse", "neobert"}
LLAMA3_IN_GGUF = {"llama", "mistral", "mixtral"}


class Refusal(Exception):
    """A reader does not take the configuration."""


def inverse(base, d):
    return [base ** (-2 * j / d) for j in range(d // 2)]


def yarn_scale(factor, m=1.0):
    return 1.0 if factor <= 1 else 0.1 * m * math.log(factor) + 1


def yarn(base, d, factor, original, fast, slow, truncate):
    def pair(turns):
        return d * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))

    low, high = pair(fast), pair(slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)
    width = (high + 0.001 if low == high else high) - low
    theta = []
    for j, each in enumerate(inverse(base, d)):
        kept = 1 - min(max((j - low) / width, 0), 1)
        theta.append(each / factor * (1 - kept) + each * kept)
    return theta


def llama3(base, d, rule):
    factor, low, high, original = (rule[k] for k in
                                   ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"))
    theta = []
    for each in inverse(base, d):
        turns = original * each / (2 * math.pi)
        if turns > high:
            theta.append(each)
        elif turns < low:
            theta.append(each / factor)
        else:
            smooth = (turns - low) / (high - low)
            theta.append((1 - smooth) * each / factor + smooth * each)
    return theta


def head_dim(config):
    for key in ("qk_rope_head_dim", "head_dim"):
        if config.get(key) is not None:
            return config[key]
    return config.get("hidden_size", config.get("n_embd")) // config.get("num_attention_heads", config.get("n_head"))


def rotary_dim(config, model, rule):
    if model in ("gptj", "codegen"):
        return config.get("rotary_dim", 64)
    fraction = rule.get("partial_rotary_factor")
    if fraction is None:
        fraction = config.get("rotary_pct" if model == "gpt_neox" else "partial_rotary_factor")
    if fraction is None:
        fraction = FRACTION.get(model, 1.0)
    return int(head_dim(config) * fraction)


def rotation(name, rule, base, d, config, context, original):
    """(rule, theta, magnitude) as transformers computes them."""
    if base is None:
        raise Refusal("TypeError: the base is null")
    longest = config.get("max_position_embeddings", config.get("n_positions"))
    try:
        if name == "default":
            return inverse(base, d), 1.0
        if name == "linear":
            return [each / rule["factor"] for each in inverse(base, d)], 1.0
        if name == "dynamic":
            factor, length = rule["factor"], max(context, longest)
            grown = base * (factor * length / longest - (factor - 1)) ** (d / (d - 2))
            return inverse(grown, d), 1.0
        if name == "yarn":
            factor = rule["factor"]
            magnitude = rule.get("attention_factor")
            if magnitude is None:
                m, every = rule.get("mscale"), rule.get("mscale_all_dim")
                magnitude = yarn_scale(factor, m) / yarn_scale(factor, every) if m and every else yarn_scale(factor)
            return yarn(base, d, factor, rule.get("original_max_position_embeddings") or longest, rule.get("beta_fast") or 32,
                        rule.get("beta_slow") or 1, rule.get("truncate", True)), magnitude
        if name == "longrope":
            factor = longest / original if original else rule.get("factor") or 1
            original = original or longest
            factors = rule["long_factor" if context > original else "short_factor"]
            magnitude = rule.get("attention_factor")
            if magnitude is None:
                magnitude = math.sqrt(1 + math.log(factor) / math.log(original)) if factor > 1 else 1.0
            return [a / b for a, b in zip(inverse(base, d), factors)], magnitude
        if name == "llama3":
            return llama3(base, d, rule), 1.0
    except KeyError as missing:
        raise Refusal(f"KeyError: {missing}") from None
    raise Refusal(f"KeyError: '{name}'")


def name_of(rule):
    return rule.get("rope_type", rule.get("type"))


def transformers_4(config, model, layer, context):
    if model in OWN_CODE or model == "nomic_bert":
        raise Refusal("no class for this model_type: the checkpoint's own code is used")
    key, base, scaled = LAYERS.get(model, {}).get(layer, ("rotary_emb_base" if model == "gpt_neox" else "rope_theta",
                                                        BASE.get(model, 10000.0), True))
    rule = config.get("rope_scaling") if scaled else None
    rule = {"rope_type": "default"} if rule is None else rule
    name = {"su": "longrope", "mrope": "default"}.get(name_of(rule), name_of(rule))
    base = config.get(key, base)
    d = rotary_dim(config, model, {})
    return (name, base) + rotation(name, rule, base, d, config, context, config.get("original_max_position_embeddings"))


def transformers_5(config, model, layer, context):
    if model in OWN_CODE:
        raise Refusal("no class for this model_type: the checkpoint's own code is used")
    if model == "nomic_bert":
        config = {"hidden_size": 768, "num_attention_heads": 12, **config}
    parameters, scaling = config.get("rope_parameters") or {}, config.get("rope_scaling") or {}
    key = "rotary_emb_base" if model == "gpt_neox" else "rope_theta"
    default = 1000.0 if model == "nomic_bert" else BASE.get(model, 10000.0)
    if layer is None:
        rule = scaling or parameters
    else:
        key, default, scaled = LAYERS[model][layer]
        rule = {**parameters.get(layer, {}), **(scaling if scaled else {})}
    base = rule["rope_theta"] if "rope_theta" in rule else config.get(key, default)
    name = name_of(rule) or "default"
    name = {"su": "longrope", "mrope": "default"}.get(name, name)
    original = rule.get("original_max_position_embeddings") or config.get("original_max_position_embeddings")
    return (name, base) + rotation(name, rule, base, rotary_dim(config, model, rule), config, context, original)


def getattr_legacy(config, model, layer, context):
    if model in ("gpt_neox", "gptj", "codegen", "nomic_bert"):
        raise Refusal("code bases with this mistake do not read this family so")
    base = config.get("rope_theta", 10000.0) if model in ("new", "gte") else 10000.0
    return "default", base, inverse(base, rotary_dim(config, model, {})), 1.0


def llama_cpp(config, model, layer, context):
    if model in ("new", "gte", "gptj", "codegen"):
        raise Refusal(f"NotImplementedError: architecture '{config.get('architectures', ['?'])[0]}' not supported")
    if model == "nomic_bert":
        base = config.get("rotary_emb_base", 10000.0)
        return "default", base, inverse(base, config["n_embd"] // config["n_head"]), 1.0
    key, default, scaled = LAYERS.get(model, {}).get(layer, ("rope_theta", BASE.get(model, 10000.0), True))
    rule = (config["rope_parameters"] if "rope_parameters" in config else config.get("rope_scaling")) or {}
    if layer is not None:
        rule = rule[layer] if layer in rule else rule if scaled else {}
    base = rule.get("rope_theta") or config.get(key, default) or 10000.0
    base = 10000.0 if model in ("phi", "gpt_neox") else base
    d, name = rotary_dim(config, model, rule), name_of(rule) or "default"
    try:
        if name == "yarn":
            original = rule["original_max_position_embeddings"]
            latent = model.startswith("deepseek") and rule.get("mscale_all_dim")
            return name, base, yarn(base, d, rule["factor"], original, 32, 1, True), \
                1.0 if latent else yarn_scale(rule["factor"])
        if name == "longrope" and model == "phi3" or name == "llama3" and model in LLAMA3_IN_GGUF or name == "linear":
            original = config.get("original_max_position_embeddings") or rule.get("original_max_position_embeddings")
            return (name, base) + rotation(name, rule, base, d, config, context, original)
    except KeyError as missing:
        raise Refusal(f"KeyError: {missing}") from None
    return "default", base, inverse(base, d), 1.0


READERS = {"transformers-4": transformers_4, "transformers-5": transformers_5, "getattr-legacy": getattr_legacy,
           "llama.cpp": llama_cpp}


def layers_of(config):
    parameters = config.get("rope_parameters")
    nested = isinstance(parameters, dict) and parameters and all(isinstance(each, dict) for each in parameters.values())
    return list(parameters) if nested else list(LAYERS.get(config.get("model_type"), {})) or [None]


def readings(config, readers=None, context=None, layer_type=None):
    """[{reader, layer, rule, base, frequencies, magnitude}], [(reader, why it refuses)]"""
    config = config.get("text_config", config)
    context = context or config.get("max_position_embeddings") or config.get("n_positions") or 8192
    found, refused = [], []
    for reader in readers or READERS:
        for layer in layers_of(config) if layer_type is None else [layer_type]:
            try:
                rule, base, theta, magnitude = READERS[reader](config, config.get("model_type", ""), layer, context)
                found.append({"reader": reader, "layer": layer, "rule": rule, "base": base, "frequencies": theta,
                              "magnitude": magnitude})
            except Refusal as why:
                refused.append((reader, str(why)))
    return found, refused


def differ(a, b):
    return abs(a - b) > 1e-9 * max(abs(a), abs(b))


def differences(found, context):
    """[(reader, reader, layer, first pair, turns at the context)]"""
    out = []
    for i, a in enumerate(found):
        for b in found[i + 1:]:
            if a["layer"] != b["layer"]:
                continue
            count = max(len(a["frequencies"]), len(b["frequencies"]))
            x, y = (each["frequencies"] + [0.0] * (count - len(each["frequencies"])) for each in (a, b))
            pairs = [j for j in range(count) if differ(x[j], y[j])]
            if pairs or differ(a["magnitude"], b["magnitude"]):
                largest = max((abs(x[j] - y[j]) for j in pairs), default=0.0)
                out.append((a["reader"], b["reader"], a["layer"], pairs[0] if pairs else -1, largest * context / (2 * math.pi)))
    return out


def bfloat16(value):
    packed = struct.pack("<f", value)
    return struct.unpack("<f", packed)[0] == value and packed[:2] == b"\0\0"


def broken(theta):
    if not all(map(math.isfinite, theta)):
        return "it holds numbers that are not finite"
    if not any(theta):
        return "every entry is zero"
    if any(b > a for a, b in zip(theta, theta[1:])) or theta[0] == theta[-1] and len(theta) > 1:
        return "it is not decreasing"
    if min(theta) < 0 or not 0.02 < theta[0] < 2:
        return f"it begins with {theta[0]:g} where about 1 is expected"
    return None


def fitted(theta):
    """Base and factor of the nearest base^(-2j/d) / factor; None where the table is no such line."""
    logs = [math.log(each) for each in theta if each > 0]
    count = len(logs)
    if count < 2 or count < len(theta):
        return None
    mean_x, mean_y = (count - 1) / 2, sum(logs) / count
    slope = sum((j - mean_x) * (y - mean_y) for j, y in enumerate(logs)) / sum((j - mean_x) ** 2 for j in range(count))
    return math.exp(-slope * count), math.exp(slope * mean_x - mean_y)


def check_table(theta, found):
    """(code, sentence) for a table beside readings, or alone where there are none."""
    tolerance = 2 ** -8 if len(theta) > 2 and all(map(bfloat16, theta)) else 2e-6
    for each in found:
        expected = each["frequencies"]
        if len(expected) == len(theta) and all(abs(a - b) <= tolerance * abs(b) for a, b in zip(theta, expected)):
            if tolerance > 1e-3:
                return 4, f"The table was rounded to bfloat16; {each['reader']} computes it in float32."
            return 0, f"The table is what {each['reader']} makes of the configuration."
    half = len(theta) // 2
    if len(set(theta[:half])) > 1 and theta[:half] == theta[half:]:
        code, sentence = check_table(theta[:half], [])
        return (code or (4 if found else 0)), "The table is written twice, one after the other. " + sentence
    why = broken([each for each in theta if not (each == 0 and any(theta))] or theta) if theta else "it is empty"
    if why:
        return 5, f"The table looks uninitialised: {why}."
    line = fitted(theta)
    about = f" It is near base {line[0]:.7g} divided by {line[1]:.7g}." if line else ""
    if not found:
        return 0, "The table is sound." + about
    each = found[0]
    sizes = f" It has {len(theta)} pairs, the configuration {len(each['frequencies'])}."
    sizes = "" if len(theta) == len(each["frequencies"]) else sizes
    return 4, f"The table is not rule {each['rule']} with base {each['base']:.7g}.{about}{sizes}"


def check_row(cos, sin, position, found):
    """(code, sentence) for a row of cos and sin at a position."""
    length = sum(math.hypot(c, s) for c, s in zip(cos, sin)) / len(cos)
    for each in found:
        expected = [each["magnitude"] * math.cos(position * theta) for theta in each["frequencies"]]
        turned = [length * math.cos(position * theta) for theta in each["frequencies"]]
        if len(expected) == len(cos) and all(abs(a - b) < 2e-6 for a, b in zip(cos, expected)):
            return 0, f"The row is what {each['reader']} makes of the configuration."
        if len(expected) == len(cos) and all(abs(a - b) < 2e-6 for a, b in zip(cos, turned)):
            return 4, f"The angles are right, the magnitude is {length:.7g} instead of {each['magnitude']:.7g}."
    return check_table([math.atan2(s, c) / position for c, s in zip(cos, sin)], found)


def assert_inverse_frequencies(config, inv_freq, reader="transformers-5", layer_type=None, context=None):
    """Raises AssertionError unless the frequencies are those that the configuration stands for."""
    found, refused = readings(config, [reader], context, layer_type)
    assert found, f"{reader} refuses the configuration: {refused[0][1]}"
    code, sentence = check_table([float(each) for each in inv_freq], found)
    assert code == 0, sentence


def check_file(path, readers, args):
    """Prints what the readers make of one configuration, and returns the exit code."""
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
        if not isinstance(config, dict):
            raise ValueError("holds no JSON object")
        found, refused = readings(config, readers, args.context, args.layer_type)
        theta = None
        if args.inv_freq:
            with open(args.inv_freq, encoding="utf-8") as file:
                theta = [float(each) for each in re.findall(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-?\b(?:nan|inf)\b", file.read())]
    except (OSError, ValueError, TypeError, ZeroDivisionError) as error:
        print(f"rope_check: {path}: {error}", file=sys.stderr)
        return 1
    if len(args.configs) > 1:
        print(f"{path}:")
    for each in found:
        print("\t".join(str(each[key]) for key in ("reader", "layer", "rule", "base", "magnitude")))
    for reader, why in refused:
        print(f"{reader} refuses: {why}")
    if theta is not None:
        code, sentence = check_table(theta, found)
        print(sentence)
        if code:
            return code
    context = args.context or config.get("max_position_embeddings") or config.get("n_positions") or 8192
    apart = differences(found, context)
    for a, b, layer, first, turns in apart:
        print(f"{a} and {b} differ{f' in {layer}' if layer else ''} from pair {first} on, by {turns:.4g} turns at {context} tokens")
    return 3 if apart else 0


def main(argv=None):
    parser = argparse.ArgumentParser(description="Checks how a configuration's rope is read, and a table beside it.")
    parser.add_argument("configs", nargs="+", metavar="config", help="a config.json; the exit code is that of the worst")
    parser.add_argument("--inv-freq", help="a file with printed frequencies")
    parser.add_argument("--readers", default=",".join(READERS), help="some of: " + ", ".join(READERS))
    parser.add_argument("--context", type=int)
    parser.add_argument("--layer-type")
    args = parser.parse_args(argv)
    readers = args.readers.split(",")
    unknown = [each for each in readers if each not in READERS]
    if unknown:
        parser.error(f"unknown reader {unknown[0]}")
    codes = [check_file(path, readers, args) for path in args.configs]
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main())
