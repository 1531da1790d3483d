#!/usr/bin/env python3
"""Checks how libraries read a model's rope, and a table of frequencies beside it. Python's standard library only.

    python3 rope_check.py config.json                      which library reads it otherwise, and what to change
    python3 rope_check.py config.json --inv-freq freq.txt  whether a printed inv_freq follows it

In a training script, after the model is built:

    from rope_check import assert_inverse_frequencies
    assert_inverse_frequencies(model.config.to_dict(), module.inv_freq.tolist())

Readers are emulated: transformers 4.57.6 and 5.23.0, vllm 0.33.0, sglang 0.5.23, mlx-lm 0.32.2, onnxruntime-genai of
2026-08-22, llama.cpp of 2026-07-23, and what checkpoints of GTE and Nomic bring along. This file shares no code with the
library; both are held to the same reference values, which those libraries' own code computed.
Exit codes: 0 alike, 3 a library differs, 4 the table is not what the configuration says, 5 it looks uninitialised,
6 most readers refuse the file, or all.
"""
import argparse
import json
import math
import os
import re
import struct
import sys

FULL, SLIDING = "full_attention", "sliding_attention"
INTERLEAVED = set("""axk2 bailing_hybrid blt_global_transformer cohere cohere2 codegen deepseek_v2 deepseek_v3 deepseek_v32
ernie4_5 ernie4_5_moe glm glm4 glm4v_text glm_moe_dsa gptj helium llama4_text longcat_flash openai_privacy_filter roformer youtu""".split())
BASE = {"mixtral": 1e6, "smollm3": 2e6, "gpt_oss": 150000.0, "helium": 100000.0, "ernie4_5": 500000.0, "apertus": 12e6,
        "cohere": 500000.0, "openai_privacy_filter": 150000.0, "qwen3_vl_text": 500000.0, "llama4_text": 500000.0, "lfm2": 1e6,
        "bitnet": 500000.0, "csm": 500000.0, "ernie4_5_moe": 500000.0, "minimax_m2": 5e6, "solar_open": 1e6,
        "longcat_flash": 1e7, "jina_embeddings_v3": 20000.0, "hy_v3": 11158840.0, "minimax": 1e6, "qwen2_vl_text": 1e6,
        "qwen2_5_vl_text": 1e6, "lfm2_moe": 1e6, "qwen3_vl_moe_text": 500000.0, "flex_olmo": 500000.0,
        "mllama_text_model": 500000.0, "gte": 160000.0}
FRACTION = {"phi": 0.5, "gpt_neox": 0.25, "stablelm": 0.25, "persimmon": 0.5, "nemotron": 0.5, "glm": 0.5, "glm4": 0.5,
         "glm4_moe": 0.5, "recurrent_gemma": 0.5, "qwen3_next": 0.25, "qwen3_5_text": 0.25, "qwen3_5_moe_text": 0.25}
# Classes whose rule that scales nothing reads the share of the head; others read it beside the rules that scale.
SHARE_READ = set("""bamba deepseek_v4 glm glm4 glm4_moe glm4_moe_lite glm4v_moe_text glm4v_text gpt_neox laguna mellum
mimo_v2_flash minimax_m2 moonshine nemotron persimmon phi phi3 qwen3_5_text qwen3_5_moe_text qwen3_next recurrent_gemma solar_open
stablelm step3p5 zaya""".split())
HEAD = {"gemma": 256, "gemma2": 256, "gemma3_text": 256, "gemma3n_text": 256, "gemma4_text": 256, "qwen3": 128, "glm4": 128,
        "vaultgemma": 256, "qwen3_next": 256, "deepseek_v2": 64, "deepseek_v3": 64, "longcat_flash": 64, "ernie4_5": 128, "solar_open": 128,
        "qwen3_vl_text": 128, "llama4_text": 128, "ministral3": 128, "minimax_m2": 128, "gpt_oss": 64, "hy_v3": 128, "youtu": 64,
        "openai_privacy_filter": 64, "deepseek_v32": 64, "glm": 128, "helium": 128, "laguna": 128, "seed_oss": 128,
        "step3p5": 128, "afmoe": 128, "glm_moe_dsa": 64, "qwen3_5_text": 256, "qwen3_5_moe_text": 256, "minicpm3": 32}
# Dictionaries that must have one for each type of layers.
NESTED_ONLY = {"gemma4_text": ("rope_scaling", "rope_parameters"), "laguna": ("rope_scaling", "rope_parameters"),
               "modernbert": ("rope_parameters",)}
# Classes that take these rules alone, and classes whose head dimension is null unless the file has one.
ORIGINAL = {"phi3": 4096}  # the class's own original_max_position_embeddings
ONLY = {"phi3": ("longrope",), "phimoe": (), "recurrent_gemma": ()}
NULL_HEAD = {"hunyuan_v1_dense", "hunyuan_v1_moe", "minimax", "ministral", "mixtral"}
YARN_OF_GPT_OSS = {"rope_type": "yarn", "factor": 32, "beta_fast": 32, "beta_slow": 1, "original_max_position_embeddings": 4096,
                   "truncate": False}
# Rules that are used where `rope_parameters` is missing.
RULE = {"apertus": {"rope_type": "llama3", "rope_theta": 12e6, "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
                    "original_max_position_embeddings": 8192},
        "gpt_oss": YARN_OF_GPT_OSS, "openai_privacy_filter": YARN_OF_GPT_OSS,
        "ministral3": {"rope_type": "yarn", "rope_theta": 1e6, "factor": 16, "beta_fast": 32, "beta_slow": 1, "mscale": 1,
                       "mscale_all_dim": 1, "original_max_position_embeddings": 16384}}
LAYERS = {  # type of layers: the key of older files, the class's default, whether rope_scaling concerns it
    "gemma3_text": {FULL: ("rope_theta", 1e6, True), SLIDING: ("rope_local_base_freq", 1e4, False)},
    "gemma3n_text": {FULL: ("rope_theta", 1e6, True), SLIDING: ("rope_local_base_freq", 1e4, False)},
    "modernbert": {FULL: ("global_rope_theta", 160000.0, True), SLIDING: ("local_rope_theta", 1e4, True)},
}
UNSCALED = {  # layers that differ by scaling alone, or whose bases stand in a list
    "olmo3": {FULL: ("rope_theta", 500000.0, True), SLIDING: ("rope_theta", 500000.0, False)},
    "step3p5": {FULL: ("rope_theta", 1e4, True), SLIDING: ("rope_theta", 1e4, False)},
}
OWN_CODE = set("new gte baichuan qwen xverse neobert exaone internlm2 internlm3 kimi_k2 telechat3".split())
READ_AS = {"exaone": "llama", "internlm2": "llama", "internlm3": "llama", "kimi_k2": "deepseek_v3", "telechat3": "llama"}
SINCE_5 = set("""afmoe deepseek_v32 eurobert exaone_moe gemma4_text glm_moe_dsa granite_swa gte hy_v3 hyperclovax jais2
jina_embeddings_v3 laguna lfm2_moe minicpm3 minimax_m2 ministral3 nanochat nomic_bert openai_privacy_filter qwen3_5_moe_text
qwen3_5_text solar_open step3p5 youtu""".split())
# Types that are read. Of any other the tables here say nothing, or its positions have several axes: it is refused.
KNOWN = set("""
afmoe apertus arcee aria_text baichuan bitnet chameleon codegen cohere cohere2 csm deepseek_v2 deepseek_v3
deepseek_v32 diffllama doge dots1 ernie4_5 ernie4_5_moe eurobert exaone exaone4 exaone_moe falcon flex_olmo gemma gemma2
gemma3_text gemma3n_text gemma4_text glm glm4 glm4_moe glm4v_text glm_moe_dsa gpt_neox gpt_oss gptj granite granite_swa
granitemoe granitemoehybrid granitemoeshared gte helium hunyuan_v1_dense hunyuan_v1_moe hy_v3 hyperclovax internlm2
internlm3 jais2 jina_embeddings_v3 kimi_k2 laguna lfm2 lfm2_moe llama llama4_text longcat_flash minicpm3 minimax minimax_m2
ministral ministral3 mistral mixtral mllama_text_model modernbert nanochat nemotron neobert new nomic_bert olmo olmo2 olmo3
olmoe openai_privacy_filter persimmon phi phi3 qwen qwen2 qwen2_5_vl_text qwen2_moe qwen2_vl_text qwen3 qwen3_5_moe_text
qwen3_5_text qwen3_moe qwen3_next qwen3_vl_moe_text qwen3_vl_text recurrent_gemma roformer seed_oss smollm3 solar_open
stablelm starcoder2 step3p5 telechat3 vaultgemma xverse youtu
""".split())
# A multimodal model by the type of its text model, for files without a type of their own inside.
TEXT_OF = {"aya_vision": "cohere2", "gemma3": "gemma3_text", "gemma3n": "gemma3n_text", "gemma4": "gemma4_text",
           "glm4v": "glm4v_text", "idefics3": "llama", "internvl": "qwen2", "llama4": "llama4_text", "llava": "llama",
           "llava_next": "llama", "llava_onevision": "qwen2", "mistral3": "mistral", "mllama": "mllama_text_model",
           "paligemma": "gemma", "qwen2_5_vl": "qwen2_5_vl_text", "qwen2_vl": "qwen2_vl_text", "qwen3_vl": "qwen3_vl_text",
           "qwen3_vl_moe": "qwen3_vl_moe_text", "smolvlm": "llama"}
STILL = {"bert": "learned positions", "roberta": "learned positions", "gpt2": "learned positions", "opt": "learned positions",
         "vit": "learned positions", "whisper": "learned positions", "bart": "learned positions",
         "t5": "a learned bias by distance", "mt5": "a learned bias by distance", "bloom": "ALiBi, a fixed penalty by distance",
         "mpnet": "learned positions and a learned bias by distance", "mamba": "a recurrent state in place of positions",
         "deberta-v2": "keys and queries of the distance (disentangled attention)",
         "mpt": "ALiBi, a fixed penalty by distance", "jamba": "no positions beside its recurrent layers, which follow the order"}
# {model_type: (positions, key, value)}: nothing rotates if the key has this value, or unless it has it.
STILL_IF = {"falcon": (STILL["bloom"], "alibi", True), "baichuan": (STILL["bloom"], "num_hidden_layers", 40)}
STILL_UNLESS = {"esm": (STILL["bert"], "position_embedding_type", "rotary"),
                "granitemoehybrid": (STILL["jamba"], "position_embedding_type", "rope"),
                "zamba2": (STILL["jamba"], "use_mem_rope", True)}
# BERT and its relatives have a key that replaces their learned positions.
POSITIONS_OF_KEY = {"alibi": STILL["bloom"], "relative_key": "learned relative keys, one for each distance",
                    "relative_key_query": "learned relative keys, one for each distance, compared with queries and keys"}
LENGTHS = [512 * 2 ** i for i in range(13)]
# A configuration may hold any number.
MOST_PAIRS = 65536


class Refusal(Exception):
    """A reader does not take the configuration."""


class Absence(Refusal):
    """A reader does not have the family, and says nothing."""


class Model:
    """A configuration's text model, one type of its layers, and the tokens of the sequence that is rotated."""

    def __init__(self, config, kind, layer, context):
        self.config, self.kind, self.layer, self.context = config, kind, layer, context

    def replaced(self, **changes):
        return Model(**{**vars(self), **changes})


def filled(value):
    return isinstance(value, dict) and len(value) > 0


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def nested(value):
    return filled(value) and all(each is None or isinstance(each, dict) for each in value.values())


def number(holder, key, default=None):
    """A number; null and a missing key are the default, and anything else is refused."""
    value = holder.get(key)
    if value is None:
        return default
    if not is_number(value):
        raise Refusal(f"TypeError: `{key}` is {json.dumps(value)}, not a number")
    return value


def needed(holder, key):
    value = number(holder, key)
    if value is None:
        raise Refusal(f"KeyError: '{key}'")
    return value


def rule_of(model):
    """The dictionary that Transformers 5 takes, of the layers of one type where it has several."""
    scaling, parameters = model.config.get("rope_scaling"), model.config.get("rope_parameters")
    both = scaling if filled(scaling) else parameters if filled(parameters) else {}
    return (both.get(model.layer or FULL) or {}) if nested(both) else both


def name_of(rule):
    name = rule.get("rope_type") or rule.get("type")
    return {"su": "longrope", "mrope": "default"}.get(name, name) if isinstance(name, str) else "default"


def longest(config):
    return number(config, "max_position_embeddings") or number(config, "n_positions")


# Formulas

def inverse(base, d):
    if d // 2 > MOST_PAIRS:
        raise Refusal(f"more than {MOST_PAIRS} pairs")
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


def llama3(base, d, rule, original):
    factor, low, high = (needed(rule, key) for key in ("factor", "low_freq_factor", "high_freq_factor"))
    theta = []
    for each in inverse(base, d):
        turns = original * each / (2 * math.pi)
        if turns > high:
            theta.append(each)
        elif turns < low:
            theta.append(each / factor)
        else:
            smooth = (turns - low) / (high - low) if high != low else 1
            theta.append((1 - smooth) * each / factor + smooth * each)
    return theta


def head_dim(config, kind):
    latent = number(config, "qk_rope_head_dim")
    given = number(config, "head_dim")
    if latent is not None or given is not None:
        return latent if latent is not None else given
    if kind in HEAD:
        return HEAD[kind]
    hidden = number(config, "hidden_size", number(config, "n_embd"))
    heads = number(config, "num_attention_heads", number(config, "n_head"))
    if hidden is None or heads is None:
        raise Refusal("AttributeError: neither `head_dim` nor `hidden_size` and `num_attention_heads`")
    if hidden % heads:
        raise Refusal(f"ValueError: The hidden size ({hidden}) is not a multiple of the number of attention heads ({heads}).")
    return hidden // heads


def rotary_dim(model, rule):
    config, kind = model.config, model.kind
    if kind in ("gptj", "codegen"):
        return config.get("rotary_dim", 64)
    if kind == "gemma4_text" and model.layer == FULL:
        return number(config, "global_head_dim", 512)
    shares = config.get("partial_rotary_factors")
    if kind == "step3p5" and isinstance(shares, list):
        return int(head_dim(config, kind) * shares[first_layer(model)])
    share = number(rule, "partial_rotary_factor")
    if share is None:
        share = number(config, "rotary_pct" if kind == "gpt_neox" else "partial_rotary_factor")
    return int(head_dim(config, kind) * (FRACTION.get(kind, 1.0) if share is None else share))


def first_layer(model):
    types = model.config.get("layer_types")
    return types.index(model.layer) if isinstance(types, list) and model.layer in types else 0


def rotated(name, rule, base, d, model, original=None):
    """(theta, magnitude) by the formulas of Transformers."""
    config, most = model.config, longest(model.config)
    if name == "default":
        return inverse(base, d), 1.0
    if name == "linear":
        factor = needed(rule, "factor")
        return [each / factor for each in inverse(base, d)], 1.0
    if name == "dynamic":
        if number(rule, "alpha") is not None:
            return inverse(base * number(rule, "alpha") ** (d / (d - 2)), d), 1.0
        most = most or model.context
        factor, length = needed(rule, "factor"), max(model.context, most)
        return inverse(base * (factor * length / most - (factor - 1)) ** (d / (d - 2)), d), 1.0
    if name == "yarn":
        factor, magnitude = needed(rule, "factor"), number(rule, "attention_factor")
        if magnitude is None:
            m, every = number(rule, "mscale"), number(rule, "mscale_all_dim")
            magnitude = yarn_scale(factor, m) / yarn_scale(factor, every) if m and every else yarn_scale(factor)
        first = number(rule, "original_max_position_embeddings", most)
        if first == 0:
            raise Refusal("ZeroDivisionError: division by zero")
        return yarn(base, d, factor, first, number(rule, "beta_fast") or 32, number(rule, "beta_slow") or 1,
                    rule.get("truncate", True)), magnitude
    if name == "longrope":
        factor = most / original if original else number(rule, "factor") or 1
        first = original or number(rule, "original_max_position_embeddings") or most
        lists = {key: rule.get(key) for key in ("short_factor", "long_factor")}
        for key, factors in lists.items():
            if not isinstance(factors, list):
                raise Refusal(f"KeyError: '{key}'")
            if not all(map(is_number, factors)):
                raise Refusal(f"TypeError: `{key}` is not a list of numbers")
            if len(factors) != d // 2:
                raise Refusal(f"ValueError: {key} must have length {d // 2}, got {len(factors)}")
        magnitude = number(rule, "attention_factor")
        if magnitude is None:
            magnitude = math.sqrt(1 + math.log(factor) / math.log(first)) if factor > 1 else 1.0
        factors = lists["long_factor" if model.context > first else "short_factor"]
        return [a / b for a, b in zip(inverse(base, d), factors)], magnitude
    if name == "llama3":
        return llama3(base, d, rule, needed(rule, "original_max_position_embeddings")), 1.0
    if name == "proportional":
        turning = int(number(rule, "partial_rotary_factor", 1.0) * head_dim(config, "") // 2) if d == 0 else d // 2
        return inverse(base, d)[:turning], 1.0
    raise Refusal(f"KeyError: '{name}'")


# Readers: each returns (rule, base, theta, magnitude)

def old_base(model, rule):
    """The base, from the key of older files or the class."""
    config, kind = model.config, model.kind
    key, default, _ = {**LAYERS, **UNSCALED}.get(kind, {}).get(model.layer, (
        "rotary_emb_base" if kind == "gpt_neox" else "rope_theta", BASE.get(kind, 10000.0), True))
    value = config.get(key, default)
    if isinstance(value, list):
        value = value[first_layer(model)]
    if value is None:
        raise Refusal("TypeError: the base is null")
    if not is_number(value):
        raise Refusal(f"TypeError: `{key}` is {json.dumps(value)}, not a number")
    return value


def refuse_no_dictionary(config):
    for key in ("rope_scaling", "rope_parameters", "text_config"):
        if not isinstance(config.get(key, {}), (dict, type(None))):
            raise Refusal(f"TypeError: `{key}` is {json.dumps(config[key])}, not a dictionary")


def transformers_4(model):
    config, kind = model.config, model.kind
    if kind in OWN_CODE or kind in SINCE_5:
        raise Absence("no class for this model_type: the checkpoint's own code is used")
    refuse_no_dictionary(config)
    scaled = {**LAYERS, **UNSCALED}.get(kind, {}).get(model.layer, (0, 0, True))[2]
    rule = config.get("rope_scaling") if scaled else None
    rule = {"rope_type": "default"} if rule is None else rule
    named = rule.get("rope_type") or rule.get("type")
    if not isinstance(named, str):
        raise Refusal(f"KeyError: {named}")
    if named == "su" and kind != "phi3":
        raise Refusal("KeyError: 'su'")
    if kind == "phi3" and rule is config.get("rope_scaling") and (not isinstance(rule.get("type"), str) or len(rule) != 3):
        raise Refusal("ValueError: `rope_scaling` must be a dictionary with three fields, `type`, `short_factor` and `long_factor`")
    name, base, d = name_of(rule), old_base(model, rule), rotary_dim(model, {})
    return (name, base) + rotated(name, rule, base, d, model, config.get("original_max_position_embeddings", ORIGINAL.get(kind)))


def transformers_5(model):
    config, kind = model.config, model.kind
    if kind in OWN_CODE:
        raise Absence("no class for this model_type: the checkpoint's own code is used")
    refuse_no_dictionary(config)
    if kind == "nomic_bert":
        config = {"hidden_size": 768, "num_attention_heads": 12, **config}
        model = model.replaced(config=config)
    rule = rule_of(model)
    if not filled(config.get("rope_scaling")) and config.get("rope_parameters") is None:
        rule = RULE.get(kind, rule)
    if model.layer and not nested(config.get("rope_parameters")):
        scaled = {**LAYERS, **UNSCALED}.get(kind, {}).get(model.layer, (0, 0, True))[2]
        # The class adds the old dictionary to its own, whose `rope_type` counts before `type`.
        scaled = scaled and filled(config.get("rope_scaling"))
        rule = {"rope_type": "default", **leave(config["rope_scaling"], "truncate")} if scaled else {}
    named = rule["rope_type"] if "rope_type" in rule else rule.get("type", "default")
    if not isinstance(named, str):
        raise Refusal(f"KeyError: {named}")
    inside = rule.get("original_max_position_embeddings", 0)
    if named == "su" and (kind != "phi3" or not inside):
        raise Refusal("KeyError: 'su'" if kind != "phi3" else "KeyError: \"Missing required keys in `rope_parameters` for "
                      "'rope_type'='longrope': {'original_max_position_embeddings'}\"")
    name = name_of(rule)
    if inside is None and name in ("yarn", "llama3") and (model.layer or config.get("original_max_position_embeddings") is None):
        raise Refusal("TypeError: `original_max_position_embeddings` is null, not a number")
    for key in NESTED_ONLY.get(kind, ()):
        if filled(config.get(key)) and not nested(config[key]):
            raise Refusal(f"KeyError: '{FULL}'")
    if kind in ("laguna", "gemma4_text") and config.get("rope_scaling", {}) is None:
        raise Refusal("TypeError: 'NoneType' object is not subscriptable")
    if kind in ONLY and name not in ("default", *ONLY[kind]) and "short_mscale" not in rule:
        raise Refusal(f"ValueError: {kind} does not take the rule {name}")
    if kind in NULL_HEAD and name in ("dynamic", "yarn", "longrope") and config.get("head_dim") is None:
        raise Refusal("TypeError: unsupported operand type(s) for *: 'NoneType' and 'float' (`head_dim` is null)")
    if name == "llama3" and number(rule, "original_max_position_embeddings") is None:
        rule = {**rule, "original_max_position_embeddings": longest(config)}
    if "rope_theta" in rule and rule["rope_theta"] is None:
        raise Refusal("TypeError: the base is null")
    own = 1000.0 if kind == "nomic_bert" and "rope_theta" not in config else \
        500000.0 if kind == "olmo3" and model.layer == SLIDING else None
    base = rule["rope_theta"] if "rope_theta" in rule else own or old_base(model, rule)
    if not is_number(base):
        raise Refusal(f"TypeError: `rope_theta` is {json.dumps(base)}, not a number")
    whole = name == "default" and kind not in SHARE_READ | {"gptj", "codegen", "gemma4_text"}
    d = head_dim(config, kind) if whole else rotary_dim(model, {} if name == "proportional" else rule)
    if config.get("head_dim") == d and d > 4 and d % 2:
        raise Refusal(f"ValueError: RoPE requires an even rotary dimension, but got `head_dim`={d}")
    if name == "longrope":
        beside = None if model.layer else number(config, "original_max_position_embeddings", ORIGINAL.get(kind))
        original = beside or number(rule, "original_max_position_embeddings") or longest(config)
        factor = number(rule, "factor") or longest(config) / original
        rule = {**rule, "factor": factor, "original_max_position_embeddings": original}
    theta, magnitude = rotated(name, rule, base, d, model)
    if name == "proportional":
        theta = theta[:int(d * number(rule, "partial_rotary_factor", 1.0)) // 2]
    return name, base, [-each for each in theta] if kind == "nanochat" else theta, magnitude


def changed(config, change):
    """The configuration with other dictionaries."""
    def of(given):
        if not filled(given):
            return given
        return {key: each and change(each) for key, each in given.items()} if nested(given) else change(given)

    return {key: of(value) if key in ("rope_scaling", "rope_parameters") else value for key, value in config.items()}


def leave(rule, *keys):
    return {key: value for key, value in rule.items() if key not in keys}


def vllm(model):
    if model.kind in ("new", "gte"):
        raise Absence("NewModel is not registered")
    rule, as_read = rule_of(model), model.replaced(kind=READ_AS.get(model.kind, model.kind))
    if name_of(rule) == "telechat3-yarn":
        factor = 1 + 0.07 * math.log(number(rule, "factor", 1))
        return transformers_5(as_read.replaced(config=changed(model.config, lambda each: {
            **leave(each, "type"), "rope_type": "yarn", "attention_factor": factor})))
    if name_of(rule) == "dynamic" and "alpha" not in rule:
        # (factor - (factor - 1)) ** ... : its formula takes the factor out again.
        return transformers_5(as_read.replaced(config=changed(model.config, lambda each: {"rope_type": "default"})))
    return transformers_5(as_read)


IN_SGLANG = set("""afmoe apertus arcee cohere cohere2 cohere2_moe dbrx deepseek_v2 deepseek_v3 deepseek_v32 ernie4_5 ernie4_5_moe
exaone exaone4 exaone_moe falcon_h1 gemma gemma2 gemma3_text gemma3n_text gemma4_text glm4 glm4_moe glm_moe_dsa gptj gpt_oss granite
granitemoe granitemoehybrid hunyuan_v1_dense internlm2 kimi_k2 lfm2 lfm2_moe llama llama4_text ministral3 mistral mixtral olmo olmo2
olmo3 olmoe persimmon phi phi3 phimoe qwen2 qwen2_5_vl_text qwen2_moe qwen2_vl_text qwen3 qwen3_moe qwen3_next qwen3_vl_text stablelm
starcoder2 step3p5""".split())


def sglang(model):
    if model.kind not in IN_SGLANG:
        raise Absence("no model file for this architecture")
    if model.kind == "olmo3":
        raise Refusal("TypeError: unhashable type: 'dict'")
    rule, as_read = rule_of(model), model.replaced(kind=READ_AS.get(model.kind, model.kind))
    if name_of(rule) == "dynamic" and "alpha" not in rule and longest(model.config):
        return transformers_5(as_read.replaced(context=number(rule, "factor", 1) * longest(model.config)))
    if name_of(rule) == "yarn":
        as_read = as_read.replaced(config=changed(model.config, lambda each: leave(each, "attention_factor")))
    return transformers_5(as_read)


SCALED_IN_MLX = set("""afmoe apertus deepseek_v2 deepseek_v3 deepseek_v32 exaone exaone4 exaone_moe falcon_h1 gemma3_text gemma4_text
glm_moe_dsa gpt_oss granite granitemoe hunyuan_v1_dense internlm2 internlm3 laguna llama llama4_text ministral3 mistral4 nemotron
olmo2 olmo3 olmoe phi3 phimoe qwen2 qwen3 qwen3_next seed_oss smollm3 step3p5 telechat3""".split())
PLAIN_IN_MLX = set("""cohere cohere2 dbrx ernie4_5 ernie4_5_moe gemma gemma2 gemma3n_text glm glm4 glm4_moe gpt_neox gptj
granitemoehybrid helium lfm2 lfm2_moe mixtral nanochat olmo phi qwen2_moe qwen2_vl_text qwen3_5_text qwen3_moe qwen3_vl_text
recurrent_gemma stablelm starcoder2""".split())
PARAMETERS_IN_MLX = set("exaone_moe gemma4_text laguna lfm2 lfm2_moe ministral3 mistral4 qwen3 qwen3_5_text".split())
REQUIRED_IN_MLX = set("""apertus ernie4_5 exaone exaone4 glm4 glm4_moe granite helium olmo3 qwen3 qwen3_moe qwen3_next stablelm
telechat3""".split())
BASE_IN_MLX = {"cohere": 8e6, "cohere2": 5e4, "lfm2": 1e6, "lfm2_moe": 1e6, "mixtral": 1e6, "phi": 1e4, "qwen2": 1e6,
               "qwen2_moe": 1e6, "smollm3": 1e4, "starcoder2": 1e5}


CHECKED_IN_MLX = {"internlm2": ("factor", "type"), "phi3": ("long_factor", "type")}


def mlx_rule(rule, kind):
    keys = CHECKED_IN_MLX.get(kind, ())
    if any(key not in rule for key in keys):
        raise Refusal(f"ValueError: rope_scaling must contain keys {set(keys)}")
    name = rule["type"] if isinstance(rule.get("type"), str) else rule.get("rope_type") or "default"
    rest = leave(rule, "type", "truncate", "attention_factor")
    if name == "llama3":
        return {"original_max_position_embeddings": 8192, **rest, "rope_type": name}
    if name in ("yarn", "deepseek_yarn", "telechat3-yarn"):
        return {"original_max_position_embeddings": 4096, **rest, "rope_type": "yarn"}
    if name == "dynamic" and kind == "internlm2":
        return {"rope_type": "default"}
    if name == "dynamic" and "alpha" in rule:
        return rule
    if name in ("su", "default", "linear", "longrope", "mrope", "proportional"):
        return {**rest, "rope_type": "longrope" if name == "su" else name}
    raise Refusal(f"ValueError: Unsupported RoPE type {name}")


def mlx_lm(model):
    config, layer = model.config, model.layer
    kind = {"kimi_k2": "deepseek_v3", "mistral": "llama", "xverse": "llama"}.get(model.kind, model.kind)
    if not kind:
        raise Absence("KeyError: 'model_type'")
    if kind not in SCALED_IN_MLX | PLAIN_IN_MLX:
        raise Absence(f"ValueError: Model type {model.kind} not supported.")
    parameters, scaling = config.get("rope_parameters"), config.get("rope_scaling")
    if not isinstance(scaling, (dict, type(None))):
        raise Refusal(f"AttributeError: '{type(scaling).__name__}' object has no attribute 'get'")
    reads = kind in PARAMETERS_IN_MLX and filled(parameters)
    own = parameters[layer] if reads and layer and filled(parameters.get(layer)) else None
    inner = own or (parameters if reads else {})
    given = scaling if filled(scaling) else inner if reads else None
    rule = None if given is None or kind in PLAIN_IN_MLX else mlx_rule(given, kind)
    bases = [inner.get("rope_theta"), config.get("rope_theta")]
    base = next((each for each in (reversed(bases) if kind == "qwen3" else bases) if each is not None), BASE_IN_MLX.get(kind))
    if base is None and kind in REQUIRED_IN_MLX:
        raise Refusal("TypeError: ModelArgs.__init__() missing 1 required positional argument: 'rope_theta'")
    keys = leave(config, "rope_scaling", "rope_parameters", "rope_theta")
    if own:
        keys["rope_parameters"] = {**parameters, layer: {**(rule or {}), "rope_theta": base}}
    else:
        keys.update({} if base is None else {"rope_theta": base})
        keys.update({} if rule is None else {"rope_scaling": leave(rule, "rope_theta")})
    context = 2 ** 53 if rule and name_of(rule) == "longrope" else model.context
    return transformers_5(model.replaced(config=keys, kind=READ_AS.get(kind, kind), context=context))


IN_ONNX = set("""ernie4_5 gemma gemma2 gemma3_text gpt_oss granite hunyuan_v1_dense internlm2 lfm2 llama ministral3 mistral nemotron
olmo phi phi3 phimoe qwen2 qwen2_5_vl_text qwen3 qwen3_vl_text smollm3""".split())


def onnx_rule(rule, kind):
    def called(name, given=rule):
        return {**leave(given, "type"), "rope_type": name}

    if "short_factor" in rule:
        return called("longrope")
    if "low_freq_factor" in rule:
        return called("llama3")
    if "beta_fast" in rule and kind not in ("llama", "mistral", "hunyuan_v1_dense"):
        if not number(rule, "beta_fast", 0) > number(rule, "beta_slow", 0):
            raise Refusal("AssertionError: beta_fast is not greater than beta_slow")
        kept = rule if kind == "ministral3" else leave(rule, "attention_factor", "mscale", "mscale_all_dim")
        return {**called("yarn", kept), "truncate": False}
    return rule if name_of(rule) == "linear" or "alpha" in rule else called("default")


def onnxruntime_genai(model):
    config, kind = model.config, model.kind
    if not kind:
        raise Absence("ValueError: Unrecognized model. Should have a `model_type` key")
    if kind not in IN_ONNX:
        raise Absence(f"NotImplementedError: The {kind} model is not currently supported.")
    if kind != "gemma3_text":
        as_read = READ_AS.get(kind, kind)
        return transformers_5(model.replaced(kind=as_read, config=changed(config, lambda each: onnx_rule(each, kind))))
    if filled(config.get("rope_parameters")) and "rope_local_base_freq" not in config:
        raise Refusal("AttributeError: 'Gemma3TextConfig' object has no attribute 'rope_local_base_freq'")
    name, base, theta, magnitude = transformers_4(model)
    scaling = config.get("rope_scaling")
    if model.layer != SLIDING or not filled(scaling) or name_of(scaling) != "linear":
        return name, base, theta, magnitude
    return "linear", base, [each / needed(scaling, "factor") for each in theta], magnitude


NOT_IN_LLAMA_CPP = set("new gte gptj codegen kimi_k2 gemma3n_text gemma4_text ministral3 olmo3 cohere2 laguna nanochat step3p5 telechat3".split())


def llama_cpp(model):
    config, kind = model.config, model.kind
    if kind in NOT_IN_LLAMA_CPP:
        raise Absence(f"NotImplementedError: architecture '{(config.get('architectures') or ['?'])[0]}' not supported")
    if kind == "nomic_bert" and "n_embd" in config:
        base = number(config, "rotary_emb_base", 10000.0)
        return "default", base, inverse(base, config["n_embd"] // config["n_head"]), 1.0
    key, default, scaled = {**LAYERS, **UNSCALED}.get(kind, {}).get(model.layer, ("rope_theta", BASE.get(kind, 10000.0), True))
    rule = config["rope_parameters"] if "rope_parameters" in config else config.get("rope_scaling")
    rule = rule if isinstance(rule, dict) else {}
    if model.layer is not None:
        rule = rule[model.layer] if model.layer in rule else rule if scaled else {}
    base = number(rule, "rope_theta", number(config, key, default))
    base = 10000.0 if kind in ("phi", "gpt_neox") else base
    d, name = rotary_dim(model, rule), name_of(rule)
    if name == "yarn":
        original = needed(rule, "original_max_position_embeddings")
        latent = kind.startswith("deepseek") and rule.get("mscale_all_dim")
        return name, base, yarn(base, d, needed(rule, "factor"), original, 32, 1, True), \
            1.0 if latent else yarn_scale(rule["factor"])
    if name == "llama3" and kind in ("llama", "mistral", "mixtral"):
        rule = {"factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192, **rule}
    elif name == "dynamic" and kind.startswith("hunyuan") and number(rule, "alpha"):
        return "ntk", base, inverse(base * number(rule, "alpha") ** (d / (d - 2)), d), 1.0
    elif not (name == "longrope" and kind == "phi3" or name == "linear"):
        # Converters of other classes may write a rule by code of their own.
        if name not in (None, "default", "mrope") and kind not in ("llama", "mistral", "mixtral"):
            raise Absence(f"not held to what the converter of {kind} writes of {name}")
        return "default", base, inverse(base, d), 1.0
    original = number(config, "original_max_position_embeddings") or number(rule, "original_max_position_embeddings")
    if name == "longrope" and not original:
        raise Refusal("KeyError: 'original_max_position_embeddings'")
    return (name, base) + rotated(name, rule, base, d, model, original)


def remote_gte(model):
    if model.kind not in ("new", "gte"):
        raise Absence("another family")
    base, d, rule = number(model.config, "rope_theta", 10000.0), head_dim(model.config, ""), model.config.get("rope_scaling")
    if not isinstance(rule, dict):
        return "default", base, inverse(base, d), 1.0
    if rule.get("type") != "ntk":
        raise Refusal("NotImplementedError" if "type" in rule else "KeyError: 'type'")
    factor, mixed = needed(rule, "factor"), number(rule, "mixed_b")
    if mixed is None:
        return "ntk-su", base, [each / factor ** (2 / d) for each in inverse(base * factor, d)], 1.0
    a = math.log(factor) / (d / 2) ** mixed
    return "ntk-mixed", base, [each / math.exp(a * (j + 1) ** mixed) for j, each in enumerate(inverse(base, d))], 1.0


def remote_nomic(model):
    config = model.config
    if model.kind != "nomic_bert":
        raise Absence("another family")
    base, d = number(config, "rotary_emb_base", 10000), needed(config, "n_embd") // needed(config, "n_head")
    d = int(d * number(config, "rotary_emb_fraction", 0))
    factor, trained = number(config, "rotary_scaling_factor"), number(config, "max_trained_positions", 2048)
    if not factor:
        return "default", base, inverse(base, d), 1.0
    s = factor * model.context / trained - (factor - 1) if model.context > trained else 1
    return "dynamic", base, inverse(base * s ** (d / (d - 2)), d), 1.0


READERS = {"transformers-4": transformers_4, "transformers-5": transformers_5, "vllm": vllm, "sglang": sglang, "mlx-lm": mlx_lm,
           "onnxruntime-genai": onnxruntime_genai, "llama.cpp": llama_cpp, "remote-gte": remote_gte, "remote-nomic": remote_nomic}
CHOOSE_ONCE = ("vllm", "mlx-lm", "llama.cpp")


# The file

def text_of(config):
    """The text model's keys; Meta's params.json in those of config.json."""
    others = ("hidden_size", "model_type", "_class_name", "axes_dims", "head_dim")
    if "dim" in config and "n_heads" in config and not any(key in config for key in others):
        scaled = config.get("use_scaled_rope")
        rule = {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
                "original_max_position_embeddings": 8192}
        return {"model_type": "llama", "hidden_size": config["dim"], "num_attention_heads": config["n_heads"],
                "max_position_embeddings": 131072 if scaled else config.get("max_seq_len", 8192),
                "rope_theta": config.get("rope_theta", 10000.0), "rope_scaling": rule if scaled else None}
    text = config.get("text_config")
    return {**text, "model_type": text.get("model_type", config.get("model_type"))} if isinstance(text, dict) else config


def kind_of(text):
    kind = text.get("model_type", text.get("_class_name"))
    return TEXT_OF.get(kind, kind) if isinstance(kind, str) else ""


def positions_instead(text):
    """How a model that does not rotate tells positions apart, in words; None for one that rotates or is not known."""
    kind = kind_of(text)
    positions = STILL.get(kind)
    if kind in STILL_IF:
        words, key, value = STILL_IF[kind]
        positions = words if text.get(key) == value else None
    if kind in STILL_UNLESS:
        words, key, value = STILL_UNLESS[kind]
        positions = words if text.get(key) != value else None
    if positions == STILL["bert"]:
        named = "alibi" if isinstance(text.get("alibi_starting_size"), (int, float)) else text.get("position_embedding_type")
        return POSITIONS_OF_KEY.get(named, positions) if isinstance(named, str) else positions
    return positions


def refuse_unknown(kind):
    if kind not in KNOWN | {""}:
        raise Absence(f"the model_type {json.dumps(kind)} is not one that rope_check.py knows, or its positions have several axes; "
                      "`npx ropewalk check` knows more")


def length_of(text):
    """(tokens, what says so)"""
    for key in ("max_position_embeddings", "n_positions", "seq_length"):
        if is_number(text.get(key)) and text[key] >= 1:
            return int(text[key]), key
    for rule in (text.get("rope_scaling"), text.get("rope_parameters")):
        product = [rule.get(key) for key in ("factor", "original_max_position_embeddings")] if isinstance(rule, dict) else []
        if product and all(map(is_number, product)):
            return int(product[0] * product[1]), "factor * original_max_position_embeddings"
    return 8192, "no key says it"


def layers_of(config):
    for rule in (config.get("rope_parameters"), config.get("rope_scaling")):
        if nested(rule):
            return [key for key, value in rule.items() if value is not None]
    return list({**LAYERS, **UNSCALED}.get(kind_of(config), {})) or [None]


def readings(config, readers=None, context=None, layer_type=None):
    """[{reader, layer, rule, base, frequencies, magnitude}], [(reader, why it refuses)], [(reader, why it says nothing)]"""
    text = text_of(config)
    tokens = context or length_of(text)[0]
    found, refused, absent = [], [], []
    for reader in readers or READERS:
        begun = len(found)
        for layer in layers_of(text) if layer_type is None else [layer_type]:
            try:
                refuse_unknown(kind_of(text))
                rule, base, theta, magnitude = READERS[reader](Model(text, kind_of(text), layer, tokens))
                if any(isinstance(each, complex) or not math.isfinite(each) for each in theta):
                    raise Refusal("the frequencies are not finite")
                found.append({"reader": reader, "layer": layer, "rule": rule, "base": base, "frequencies": theta,
                              "magnitude": magnitude, "pairing": "interleaved" if kind_of(text) in INTERLEAVED else "half"})
            except Refusal as why:
                list_of = absent if isinstance(why, Absence) else refused
                if (reader, str(why)) not in list_of:
                    list_of.append((reader, str(why)))
            except (TypeError, ValueError, AttributeError, ZeroDivisionError, OverflowError, IndexError) as why:
                if not any(each == reader for each, _ in refused):
                    refused.append((reader, f"{type(why).__name__}: {why}"))
        # Layers of one type are no model: a class that cannot be built for the others refuses the file.
        if any(each == reader for each, _ in refused + absent):
            del found[begun:]
    return found, refused, absent


def differ(a, b):
    return abs(a - b) > 1e-9 * max(abs(a), abs(b))


def until(delta):
    """The first distance at which an angle is off by 0.1 radian."""
    if delta == 0:
        return math.inf
    # Beyond 2^53 a float64 has no neighbour that is 1 away.
    if 0.1 / delta > 2 ** 53:
        return 0.1 / delta
    m = max(math.ceil(0.1 / delta), 1)
    while m > 1 and (m - 1) * delta >= 0.1:
        m -= 1
    return m


def apart(a, b):
    """(first pair, largest difference), or None where the two are alike."""
    count = max(len(a["frequencies"]), len(b["frequencies"]))
    x, y = (each["frequencies"] + [0.0] * (count - len(each["frequencies"])) for each in (a, b))
    pairs = [j for j in range(count) if differ(x[j], y[j])]
    if not pairs and not differ(a["magnitude"], b["magnitude"]):
        return None
    return (pairs[0] if pairs else -1), max((abs(x[j] - y[j]) for j in pairs), default=0.0)


def differences(found, context):
    """[(reader, reader, layer, first pair, turns at the context)]"""
    out = []
    for i, a in enumerate(found):
        for b in found[i + 1:]:
            far = apart(a, b) if a["layer"] == b["layer"] else None
            if far:
                out.append((a["reader"], b["reader"], a["layer"], far[0], far[1] * context / (2 * math.pi)))
    return out


def short_texts(config, found, context):
    """Readings of texts up to LongRoPE's original length: some readers chose once, by the whole context."""
    text = text_of(config)
    rules = [rule_of(Model(text, kind_of(text), None, context))]
    original = next((each[key] for each in (*rules, text) for key in ("original_max_position_embeddings",) if is_number(each.get(key))), ORIGINAL.get(kind_of(text)))
    if original is None or original >= context or not any(each["rule"] == "longrope" for each in found):
        return None, found
    once = [each for each in found if each["reader"] in CHOOSE_ONCE]
    names = [name for name in READERS if name not in CHOOSE_ONCE and any(each["reader"] == name for each in found)]
    return original, readings(config, names, original)[0] + once


def outliers(model_text, found, context, when=None):
    """Readers that differ from most, or from the checkpoint's own code."""
    out = {}
    for layer in dict.fromkeys(each["layer"] for each in found):
        groups = []
        for each in (one for one in found if one["layer"] == layer):
            same = next((group for group in groups if apart(group[0], each) is None), None)
            same.append(each) if same else groups.append([each])
        groups.sort(key=lambda group: -len(group) - (99 if any(each["reader"].startswith("remote-") for each in group) else 0))
        for each in (one for group in groups[1:] for one in group):
            pair, largest = apart(groups[0][0], each)
            entry = out.setdefault(each["reader"], {"reader": each["reader"], "when": when, "layers": [],
                                                    **change_of(model_text, each["reader"])})
            entry["layers"].append({"layer": layer, "first_pair": pair, "from_token": until(largest),
                                    "turns": largest * context / (2 * math.pi), "reads": each, "others": groups[0]})
    return list(out.values())


def at_the_top(parameters):
    def scaling(rule):
        rest = leave(rule, "rope_theta")
        return "" if name_of(rest) == "default" else f', "rope_scaling": {json.dumps(rest)}'

    if nested(parameters):
        full, sliding = parameters.get(FULL) or {}, parameters.get(SLIDING) or {}
        return f'"rope_theta": {full.get("rope_theta")}, "rope_local_base_freq": {sliding.get("rope_theta")}' + scaling(full)
    return f'"rope_theta": {parameters.get("rope_theta")}' + scaling(parameters)


def change_of(config, reader):
    """{key, change, paste} so far as the file can do anything about a reader that differs."""
    kind, scaling, parameters = kind_of(config), config.get("rope_scaling"), config.get("rope_parameters")
    rule = rule_of(Model(config, kind, None, 0))
    name, at = name_of(rule), "rope_scaling" if filled(scaling) else "rope_parameters"

    def say(key, change, paste=None):
        return {"key": key, "change": change, "paste": paste}

    old = filled(parameters) and not filled(scaling)
    if isinstance(rule.get("type"), str) and isinstance(rule.get("rope_type"), str) and rule["type"] != rule["rope_type"]:
        return say(f"{at}.type", "leave it out: readers differ in which of `type` and `rope_type` counts")
    if "factor" in rule and not any(isinstance(rule.get(key), str) for key in ("type", "rope_type")):
        return say(f"{at}.rope_type", "write the name of the rule: without it most readers scale nothing")
    if kind == "nomic_bert":
        return say("rotary_scaling_factor", "nothing in the file: it reads none of Nomic's own keys")
    if name == "longrope" and reader in CHOOSE_ONCE and not (reader == "mlx-lm" and old):
        how = {"vllm": "start it with --max-model-len {} for the short factors", "llama.cpp":
               "start it with a context of {} for the short factors"}.get(reader, "nothing in the file: it has one list, the long one")
        original = rule.get("original_max_position_embeddings") or config.get("original_max_position_embeddings", ORIGINAL.get(kind))
        return say(f"{at}.short_factor", how.format(original or longest(config)))
    if old and reader in ("transformers-4", "mlx-lm") and kind not in PARAMETERS_IN_MLX:
        return say("rope_parameters", f"write `rope_theta` (and `rope_scaling`) at the top level: {reader} does not read "
                   "`rope_parameters`", at_the_top(parameters))
    if old and reader == "transformers-4":
        return say("rope_parameters", "write `rope_theta` (and `rope_scaling`) at the top level", at_the_top(parameters))
    if old and reader == "mlx-lm" and kind == "laguna":
        return say("rope_parameters", "nothing in the file: it does not read attention_factor")
    if reader == "llama.cpp" and "rope_parameters" in config and filled(scaling):
        return say("rope_parameters", "leave it out: llama.cpp's converter takes it in the place of `rope_scaling`")
    if reader == "onnxruntime-genai":
        if kind == "gemma3_text":
            return say("rope_scaling.factor", "nothing in the file: its builder divides the sliding layers by the factor too")
        if name == "yarn" and "beta_fast" not in rule:
            return say(at, "write both betas: its builder applies YaRN only where `beta_fast` stands there, for Llama not even then",
                       '"beta_fast": 32, "beta_slow": 1')
        if name == "yarn":
            return say(f"{at}.truncate", "nothing in the file: its builder never rounds the bounds of YaRN's ramp")
        return say(at, "nothing in the file: its builder tells rules by their members")
    if reader == "sglang" and name == "dynamic":
        return say(f"{at}.factor", "without it SGLang rotates plainly; with it, it raises the base from the first token on",
                   f'"{at}": null')
    unread = [key for key in ("truncate", "attention_factor", "beta_fast", "beta_slow") if key in rule]
    if "yarn" in name and reader == "mlx-lm" and "truncate" not in rule:
        return say(f"{at}.rope_type", "nothing in the file: its attention scaling is 0.1 ln(factor) + 1 whatever the file says")
    if "yarn" in name and unread:
        return say(f"{at}.{unread[0]}", f"nothing in the file: {reader} does not use `{unread[0]}`")
    if name == "llama3" and "original_max_position_embeddings" not in rule:
        return say(f"{at}.original_max_position_embeddings", "write the length that the model was trained with")
    if reader == "llama.cpp" and kind in ("phi", "gpt_neox"):
        return say("rotary_emb_base", "nothing in the file: its converter writes no base for this family")
    if is_number(rule.get("rope_theta")) and config.get("rope_theta", rule["rope_theta"]) != rule["rope_theta"]:
        return say("rope_theta", f"it is {config['rope_theta']} at the top level and {rule['rope_theta']} in `{at}`; leave the "
                   "wrong one out")
    if nested(scaling if filled(scaling) else parameters):
        return say(at, "write the members of the rule straight into it: most readers have one rule for all layers of this family")
    return say(at, "compare its reading with the others'")


# Values that cannot be meant, whatever readers make of them

NUMBERS = """factor original_max_position_embeddings low_freq_factor high_freq_factor beta_fast beta_slow mscale mscale_all_dim
attention_factor partial_rotary_factor alpha mixed_b""".split()
KEYS = NUMBERS + "rope_theta rope_type type short_factor long_factor truncate mrope_section".split()
RULES = "default linear dynamic yarn longrope llama3 su mrope proportional ntk telechat3-yarn deepseek_yarn".split()
NEEDED = {"linear": ["factor"], "yarn": ["factor", "original_max_position_embeddings"], "longrope": ["short_factor", "long_factor"],
          "llama3": ["factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"]}


def letters_apart(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, last = [i], row
        for j, y in enumerate(b, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y)))
    return row[-1]


def meant_by(name, known):
    def plain(text):
        return re.sub("[^a-z0-9]", "", text.lower())

    for each in known:
        if plain(each) == plain(name) or len(name) > 7 and each.startswith(name):
            return each
    return next((each for each in known if letters_apart(each, name) <= (2 if len(each) > 5 else 1)), None)


def rule_problems(at, rule, config):
    name, out = name_of(rule), []
    missing = [key for key in NEEDED.get(name, []) if rule.get(key) is None and config.get(key) is None]

    def say(key, problem, **paste):
        out.append((f"{at}.{key}", problem, json.dumps(paste)[1:-1] if paste else None))

    if "su" in (rule.get("rope_type"), rule.get("type")):
        key = "rope_type" if rule.get("rope_type") == "su" else "type"
        say(key, "`su` is the old name of the rule `longrope`, and newer libraries refuse it", **{key: "longrope"})
    if name not in RULES:
        meant = meant_by(name, RULES)
        key = "rope_type" if "rope_type" in rule else "type"
        if meant:
            say(key, f"no reader knows the rule `{name}`; `{meant}` is meant", **{key: meant})
    for key, value in rule.items():
        meant = None if key in KEYS else meant_by(key, KEYS)
        if meant and meant not in rule:
            say(key, f"`{key}` is not a key; `{meant}` is {'missing' if meant in missing else 'meant'}", **{meant: value})
            missing = [each for each in missing if each != meant]
        if key in NUMBERS and value is not None and not is_number(value):
            try:
                say(key, f"{json.dumps(value)} is no number", **{key: float(value)})
            except (TypeError, ValueError):
                say(key, f"{json.dumps(value)} is no number")
    for key in missing:
        say(key, f"rule {name} needs it" + ("; readers put different lengths in its place" if key.startswith("orig") else ""))
    values = {key: value if is_number(value) else None for key, value in rule.items()}
    factor, low, high = (values.get(key) for key in ("factor", "low_freq_factor", "high_freq_factor"))
    fast, slow, most = values.get("beta_fast"), values.get("beta_slow"), config.get("max_position_embeddings")
    original = values.get("original_max_position_embeddings", config.get("original_max_position_embeddings"))
    if factor is not None and not factor >= 1:
        say("factor", f"{factor:g} is no factor: it must be at least 1")
    for key in ("attention_factor", "original_max_position_embeddings"):
        if values.get(key) is not None and not values[key] > 0:
            say(key, f"it is {json.dumps(values[key])}; allowed: a number above 0")
    named, old = (rule.get(key) for key in ("rope_type", "type"))
    if "rope_type" in rule and not isinstance(named, str):
        say("rope_type", f"it is {json.dumps(named)}; allowed: the name of a rule")
    elif named and "type" in rule and old != named:
        say("type", f"`type` says {json.dumps(old)} and `rope_type` {json.dumps(named)}; leave one out")
    elif "rope_type" not in rule and "type" not in rule and factor is not None:
        say("rope_type", "it is missing, so that most readers scale nothing; write the name of the rule")
    if low is not None and high is not None and low > high:
        say("low_freq_factor", f"low_freq_factor {low:g} is larger than high_freq_factor {high:g}: they are exchanged",
            low_freq_factor=high, high_freq_factor=low)
    if fast is not None and slow is not None and fast < slow:
        say("beta_fast", f"beta_fast {fast:g} is smaller than beta_slow {slow:g}: the ramp runs backwards", beta_fast=slow,
            beta_slow=fast)
    if factor and is_number(original) and is_number(most):
        if name == "llama3" and original >= most:
            say("original_max_position_embeddings", f"{original} is not shorter than max_position_embeddings {most}")
        if name == "yarn" and original > 0 and most > factor * original * 1.001:
            out.append(("max_position_embeddings", f"{most} is longer than factor * original_max_position_embeddings = "
                        f"{factor * original:g}", json.dumps({"factor": most / original})[1:-1]))
    try:
        share = next(each for each in (rule.get("partial_rotary_factor"), config.get("partial_rotary_factor"), 1) if each is not None)
        pairs = int(head_dim(config, kind_of(config)) * share) // 2
    except (Refusal, TypeError, ZeroDivisionError):
        pairs = None
    for key in ("long_factor", "short_factor"):
        if isinstance(rule.get(key), list) and pairs is not None and len(rule[key]) != pairs:
            say(key, f"{len(rule[key])} factors for {pairs} pairs")
        for i, each in enumerate(rule[key] if isinstance(rule.get(key), list) else ()):
            if not (is_number(each) and each > 0):
                say(key, f"entry {i} is {json.dumps(each)}; allowed: numbers above 0")
                break
    short, long = rule.get("short_factor"), rule.get("long_factor")
    if all(isinstance(each, list) and all(map(is_number, each)) for each in (short, long)) and sum(short) > sum(long) > 0:
        say("short_factor", "the short factors are larger than the long ones: the two lists are exchanged")
    sections = rule.get("mrope_section")
    if isinstance(sections, list) and all(map(is_number, sections)) and pairs is not None and sum(sections) != pairs:
        say("mrope_section", f"the sections sum to {sum(sections)}, of {pairs} pairs")
    return out


def base_problems(at, holder):
    out = []
    for key in ("rope_theta", "rotary_emb_base", "rope_local_base_freq", "global_rope_theta", "local_rope_theta"):
        value = holder.get(key)
        if value is None or isinstance(value, list) or is_number(value) and 1 < value < math.inf:
            continue
        try:
            paste = json.dumps({key: abs(float(value))})[1:-1] if 1 < abs(float(value)) < math.inf else None
        except (TypeError, ValueError):
            paste = None
        out.append((at + key, "a base must be greater than 1" if is_number(value) else f"{json.dumps(value)} is no number", paste))
    return out


TOP = ("rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor", "max_position_embeddings")
BASE_ELSEWHERE = ("rope_base", "rotary_base", "rope_freq_base")


def top_problems(config):
    """Keys beside the dictionaries that no reader can take as they are, or does not know."""
    out = []
    for key in ("hidden_size", "num_attention_heads", "head_dim", "max_position_embeddings", "partial_rotary_factor", "rotary_pct"):
        value, share = config.get(key), key in ("partial_rotary_factor", "rotary_pct")
        if value is None and (key not in config or key != "max_position_embeddings"):
            continue
        if is_number(value) and value > 0 and (value <= 1 if share else value == value // 1):
            continue
        try:
            paste = json.dumps({key: float(value) if share else int(value)})[1:-1] if isinstance(value, str) else None
        except ValueError:
            paste = None
        allowed = "a number above 0 and at most 1" if share else "a whole number of at least 1"
        out.append((key, f"it is {json.dumps(value)}; allowed: {allowed}", paste))
    for key, value in config.items():
        meant = None if key in TOP else "rope_theta" if key in BASE_ELSEWHERE else meant_by(key, TOP)
        if meant and meant not in config:
            out.append((key, f"no reader knows the key; `{meant}` is meant", json.dumps({meant: value})[1:-1]))
    for key, kind, allowed in (("text_config", dict, "an object"), ("model_type", str, "a text")):
        if config.get(key) is not None and not isinstance(config[key], kind):
            out.append((key, f"it is {json.dumps(config[key])}; allowed: {allowed}", None))
    return out


def problems(config):
    """[(key, problem, text to paste or None)]"""
    out, blocks = [], {key: config.get(key) for key in ("rope_scaling", "rope_parameters")}
    for key, given in blocks.items():
        if given is None:
            continue
        if not isinstance(given, dict):
            kind = {str: "a string", list: "a list"}.get(type(given), "a number")
            out.append((key, f"{json.dumps(given)} is {kind}, not an object", None))
            continue
        for at, rule in ([(f"{key}.{layer}", each) for layer, each in given.items()] if nested(given) else [(key, given)]):
            out += rule_problems(at, rule or {}, config) + base_problems(f"{at}.", rule or {})
    out += base_problems("", config) + top_problems(config)
    parameters = blocks["rope_parameters"]
    layered = nested(parameters) and parameters.get(FULL) and parameters.get(SLIDING)
    full, sliding = (parameters[FULL], parameters[SLIDING]) if layered else ({}, {})
    for key, a, b in ((f"rope_parameters.{FULL}.rope_theta", full.get("rope_theta"), sliding.get("rope_theta")),
                      ("global_rope_theta", config.get("global_rope_theta"), config.get("local_rope_theta")),
                      ("rope_theta", config.get("rope_theta"), config.get("rope_local_base_freq"))):
        if is_number(a) and is_number(b) and 1 < a < b:
            paste = {FULL: {**full, "rope_theta": b}, SLIDING: {**sliding, "rope_theta": a}} if layered else {}
            out.append((key, f"the two types of layers are exchanged: {a:g} in full layers, {b:g} in sliding ones",
                        json.dumps(paste)[1:-1] or None))
    if all(map(filled, blocks.values())) and not nested(parameters):
        a, b = ({**leave(each, "type", "rope_theta"), "rope_type": name_of(each)} for each in blocks.values())
        if a != b:
            out.append(("rope_parameters", "`rope_scaling` and `rope_parameters` say different things; leave one out", None))
    hidden, heads = config.get("hidden_size"), config.get("num_attention_heads")
    if is_number(hidden) and is_number(heads) and (heads == 0 or hidden % heads) and config.get("head_dim") is None \
            and not config.get("qk_rope_head_dim"):
        out.append(("hidden_size", f"{hidden} / {heads} heads is not a whole number, and head_dim is not given", None))
    for key in ("head_dim", "qk_rope_head_dim", "global_head_dim", "rotary_dim"):
        if is_number(config.get(key)) and config[key] > 2 * MOST_PAIRS:
            out.append((key, f"it is {json.dumps(config[key])}; allowed: at most {2 * MOST_PAIRS}", None))
    if is_number(config.get("rotary_emb_base")) and config.get("rope_theta") not in (None, config["rotary_emb_base"]):
        out.append(("rope_theta", f"it is {config['rope_theta']} beside `rotary_emb_base` {config['rotary_emb_base']}", None))
    return out


# Tables

def bfloat16(value):
    packed = struct.pack("<f", value)
    return struct.unpack("<f", packed)[0] == value and packed[:2] == b"\0\0"


def tolerance_of(theta):
    """The relative error that the digits of a table leave: 5 digits are what PyTorch prints."""
    telling = [each for each in theta if each not in (0, 1)]
    if len(telling) > 2 and all(map(math.isfinite, telling)) and all(map(bfloat16, telling)):
        return 2 ** -8
    digits = next((each for each in (5, 6) if all(float(f"{value:.{each}g}") == value for value in theta)), None)
    return 0.51 * 10 ** (1 - digits) if digits else 2e-6


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


def rounded(value, tolerance):
    for digits in range(1, 7):
        if abs(float(f"{value:.{digits}g}") - value) <= tolerance * abs(value):
            return float(f"{value:.{digits}g}")
    return float(f"{value:.7g}")


def fits(theta, expected, tolerance):
    return len(expected) == len(theta) and all(abs(a - b) <= tolerance * abs(b) for a, b in zip(theta, expected))


def made_with(config, theta, reader, layer):
    """(key, what is wrong, text to paste): the one value of the file that the table was not made with."""
    text, tolerance = text_of(config), tolerance_of(theta)
    rule, d = rule_of(Model(text, kind_of(text), layer, 0)), 2 * len(theta)
    at = "rope_parameters" if filled(text.get("rope_parameters")) and not filled(text.get("rope_scaling")) else "rope_scaling"
    if nested(text.get(at)) or len(theta) < 3 or not all(each > 0 for each in theta):
        return None
    line, near = fitted(theta), 10 * tolerance
    bases = [rounded(theta[1] ** -len(theta), near), rounded(line[0], near)]
    tries = [((), key, base) for base in bases for key in ("rope_theta", "rotary_emb_base") if key in text or key == "rope_theta"]
    base = text.get("rope_theta") if is_number(text.get("rope_theta")) else rule.get("rope_theta", 10000.0)
    factor = rounded(inverse(base, d)[-1] / theta[-1], near) if is_number(base) and base > 1 else 1
    if filled(rule):
        tries += [((at,), "rope_theta", each) for each in bases if "rope_theta" in rule] + [((at,), "factor", factor)]
        tries += [((at,), "original_max_position_embeddings", each) for each in LENGTHS]
        tries += [((at,), key, value) for key, value in (("beta_fast", 32), ("beta_slow", 1), ("truncate", False))]
        tries += [((), at, None)]
    wide = {"factor": factor, "low_freq_factor": 1, "high_freq_factor": 4}
    tries += [((), at, {"rope_type": "linear", "factor": factor})]
    for length in LENGTHS:
        tries += [((), at, {"rope_type": "llama3", **wide, "original_max_position_embeddings": length}),
                  ((), at, {"rope_type": "yarn", "factor": factor, "original_max_position_embeddings": length})]
    for path, key, value in tries:
        edited = {**text, key: value} if not path else {**text, at: {**text[at], key: value}}
        found = readings(edited, [reader], layer_type=layer)[0]
        if found and fits(theta, found[0]["frequencies"], tolerance):
            held = (text[at] if path else text).get(key)
            was = "missing" if held is None and key not in (text[at] if path else text) else json.dumps(held)
            if isinstance(held, float) and held.is_integer():
                was = str(int(held))
            now = f"{value:g}" if is_number(value) and value == int(value) and abs(value) < 1e15 else json.dumps(value)
            shown = f"{value:.0f}" if is_number(value) and value == int(value) else now
            return (".".join((*path, key)), f"`{key}` is {was}, the table was made with {shown}", f'"{key}": {shown}')
    return None


def check_table(theta, found, config=None):
    """(code, sentence) for a table beside readings, or alone where there are none."""
    tolerance = tolerance_of(theta)
    for each in found:
        if fits(theta, each["frequencies"], tolerance):
            if tolerance > 1e-3:
                return 4, f"The table was rounded to bfloat16; {each['reader']} computes it in float32."
            whose = f", {each['of']}" if each.get("of") else ""
            return 0, f"The table is what {each['reader']} makes of the configuration{whose}."
    half = len(theta) // 2
    if len(set(theta[:half])) > 1 and theta[:half] == theta[half:]:
        code, sentence = check_table(theta[:half], [])
        return (code or (4 if found else 0)), "The table is written twice, one after the other. " + sentence
    why = broken([each for each in theta if not (each == 0 and any(theta))] or theta) if theta else "it is empty"
    if why:
        return 5, f"The table looks uninitialised: {why}."
    line = fitted(theta)
    about = f" It is near base {rounded(line[0], tolerance):.7g} divided by {rounded(line[1], tolerance):.7g}." if line else ""
    if not found:
        return 0, "The table is sound." + about
    each = min(found, key=lambda one: abs(len(one["frequencies"]) - len(theta)))
    made = made_with(config, theta, each["reader"], each["layer"]) if config else None
    if made:
        return 4, f"`{made[0]}`: {made[1]}. Write {made[2]}."
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


def tables_of(config, found, names, context, layer_type):
    """Readings with what each is of: a type of layers, and a side of LongRoPE's original length."""
    named = [{**each, "of": f"in its {each['layer']} layers" if each["layer"] else ""} for each in found]
    original, short = short_texts(config, found, context)
    if original is None:
        return named
    return named + [{**each, "of": f"for texts of up to {original} tokens (short_factor)"} for each in short]


# The verdict

def listed(names):
    names = list(names)
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def problem_text(problem):
    key, what, paste = problem
    return f"`{key}`: {what}." + (f" Write {paste}." if paste else "")


def outlier_text(outlier, tokens, origin):
    worst = max(outlier["layers"], key=lambda each: each["turns"])
    layers = [each["layer"] for each in outlier["layers"]]
    where = "" if layers[0] is None else f" in {listed(layers)} layers"
    a, b = worst["reads"], worst["others"][0]
    apart_by = f" and attention scaling {a['magnitude']:.7g}" if a["magnitude"] != b["magnitude"] else ""
    reach = "the angles agree, the attention scaling does not" if worst["first_pair"] < 0 else \
        f"from token {worst['from_token']} on an angle is off by 0.1 radian, by up to {worst['turns']:.3g} turns at " + \
        ("their end" if outlier["when"] else f"{tokens} tokens ({origin})") + f" (pair {worst['first_pair']} is the first)"
    todo = f"`{outlier['key']}`: {outlier['change']}" + (f"; write {outlier['paste']}" if outlier["paste"] else "")
    return (f"{outlier['reader']} differs{where}" + (f", in {outlier['when']}" if outlier["when"] else "")
            + f": it reads rule {a['rule']} with base {a['base']:.7g}{apart_by}, {listed(each['reader'] for each in worst['others'])} "
            f"rule {b['rule']} with base {b['base']:.7g}; {reach}. To do: {todo}.")


def check(config=None, *, inverse_frequencies=None, row=None, readers=None, context=None, layer_type=None):
    """What `ropewalk.check` documents."""
    report = {"code": 0, "verdict": "", "readings": [], "refusals": [], "differences": [], "outliers": [], "problems": []}
    found, text, refused, tables = [], {}, [], []
    if config is not None:
        text = text_of(config)
        positions = positions_instead(text)
        if positions is not None and inverse_frequencies is None and row is None:
            verdict = f"Nothing rotates: {kind_of(text)} has {positions}, so that its configuration has no rope to compare."
            return {**report, "verdict": verdict}
        found, refused, absent = readings(config, readers, context, layer_type)
        tokens, origin = length_of(text) if context is None else (context, "as asked")
        report["problems"] = problems(text)
        report["differences"] = differences(found, tokens)
        when, compared = None, found
        if not report["differences"] and context is None and layer_type is None:
            original, short = short_texts(config, found, tokens)
            if original is not None and differences(short, original):
                when, compared, tokens = f"texts of up to {original} tokens", short, original
                report["differences"] = differences(short, original)
        report["outliers"] = outliers(text, compared, tokens, when)
        report["readings"], report["refusals"] = found, refused + (absent if readers is not None or not found else [])
        if inverse_frequencies is not None:
            tables.append(check_table([float(each) for each in inverse_frequencies],
                                      tables_of(config, found, readers, tokens, layer_type), config))
    elif inverse_frequencies is not None:
        tables.append(check_table([float(each) for each in inverse_frequencies], []))
    if row is not None:
        tables.append(check_row(*row, found))
    said = " ".join(map(problem_text, report["problems"]))
    if config is not None and (not found or len({each for each, _ in refused}) > len({each["reader"] for each in found})):
        why = "; ".join(f"{listed(who for who, each in report['refusals'] if each == message)}: {message}"
                        for message in dict.fromkeys(each for _, each in report["refusals"]))
        return {**report, "code": 6, "verdict": f"Refused: {said + ' ' if said else ''}{why}{'' if why[-1:] in ('.', '?') else '.'}"}
    worst, sentence = max(tables, key=lambda each: each[0], default=(0, ""))
    # A table that follows one of the readings is what was asked for: that others differ is said, and no fault of it.
    code = worst or (3 if report["outliers"] and not tables else 0)
    parts = [sentence]
    if config is not None and not worst:
        parts += [outlier_text(each, tokens, origin) for each in report["outliers"]]
        if not report["outliers"]:
            parts.append(f"{listed(dict.fromkeys(each['reader'] for each in found))} read it alike.")
    if said:
        parts = [*parts, f"In the file: {said}"] if worst == 5 else [said, *parts]
    return {**report, "code": code, "verdict": " ".join(each for each in parts if each)}


def assert_inverse_frequencies(config, inv_freq, reader="transformers-5", layer_type=None, context=None):
    """Raises AssertionError unless the frequencies are those that the configuration stands for."""
    found, refused, absent = readings(config, [reader], context, layer_type)
    assert found, f"{reader} refuses the configuration: {(refused + absent)[0][1]}"
    code, sentence = check_table([float(each) for each in inv_freq], found, config)
    assert code == 0, sentence


def once(path, pairs):
    """The object of these members; a key that stands twice cannot be meant."""
    held = dict(pairs)
    if len(held) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in held if keys.count(key) > 1)
        print(f"{path}: `{twice}` stands twice in one object; every reader takes the last.", file=sys.stderr)
    return held


PRINTED = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-?\b(?:nan|inf)\b"


def text_in(path):
    """The text of a file that people may have written by a shell: PowerShell's `>` writes UTF-16."""
    with open(path, "rb") as file:
        read = file.read()
    return read.decode("utf-16" if read[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")


def json_in(path):
    """The text of a configuration. A mark before it is refused, as it is by Transformers."""
    with open(path, "rb") as file:
        read = file.read()
    if read.startswith(b"\xef\xbb\xbf"):
        raise ValueError("begins with a byte order mark, which Transformers refuses: save it as UTF-8 without one")
    try:
        text = read.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("is not a text in UTF-8") from None
    if not text.strip():
        raise ValueError("is empty")
    return text


def check_file(path, readers, args):
    """Prints what the readers make of one configuration, and returns the exit code."""
    name = path
    try:
        name = path = os.path.join(path, "config.json") if os.path.isdir(path) else path
        config = json.loads(json_in(path), object_pairs_hook=lambda pairs: once(path, pairs))
        if not isinstance(config, dict):
            raise ValueError("holds no JSON object")
        theta = None
        if args.inv_freq:
            name = args.inv_freq
            theta = [float(each) for each in re.findall(PRINTED, text_in(name))]
    except OSError as error:
        print(f"rope_check: {name}: {error.strerror or error}", file=sys.stderr)
        return 1
    except (ValueError, RecursionError) as error:
        print(f"rope_check: {name}: {error}", file=sys.stderr)
        return 1
    report = check(config, inverse_frequencies=theta, readers=readers, context=args.context, layer_type=args.layer_type)
    if len(args.configs) > 1:
        print(f"{path}:")
    print(report["verdict"])
    for each in report["readings"]:
        print("\t".join(str(each[key]) for key in ("reader", "layer", "rule", "base", "magnitude")))
    for reader, why in report["refusals"]:
        print(f"{reader} refuses: {why}")
    return report["code"]


def main(argv=None):
    parser = argparse.ArgumentParser(description="Checks how libraries read a configuration's rope, and a table beside it.")
    parser.add_argument("configs", nargs="+", metavar="config", help="a config.json or its folder; the exit code is that of the worst")
    parser.add_argument("--inv-freq", help="a file with printed frequencies")
    parser.add_argument("--readers", help="those that you deploy to, of: " + ", ".join(READERS))
    parser.add_argument("--context", type=int, help="tokens of the sequence, the model's own unless given")
    parser.add_argument("--layer-type", help="compare one type of layers: full_attention, sliding_attention, ...")
    args = parser.parse_args(argv)
    readers = [each.strip() for each in args.readers.split(",")] if args.readers else None
    unknown = [each for each in readers or () if each not in READERS]
    if unknown:
        parser.error(f"unknown reader {unknown[0]}")
    codes = [check_file(path, readers, args) for path in args.configs]
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main())
