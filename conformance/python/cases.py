"""The configurations of the vectors, each in three forms: our neutral parameters, Hugging Face's config.json and GGUF
metadata."""

import rules
from precise import float64, number

SHORT = [1 + 0.0234375 * j for j in range(48)]
LONG = [1 + 1.25 * j for j in range(48)]

# rule -> (formula, source, cases); a case is (name, head_dim, rotary_dim, parameters).
CASES = {
    "default": (
        "theta_j = base^(-2j/d)",
        "RoFormer, arXiv 2104.09864, section 3.2.2",
        [
            ("small", 8, 8, {"base": 10000}),
            ("llama-2", 128, 128, {"base": 10000}),
            ("qwen-2-0.5b", 64, 64, {"base": 1000000}),
            ("partial, as pythia", 64, 16, {"base": 10000}),
        ],
    ),
    "linear": (
        "theta_j = base^(-2j/d) / factor",
        "Position interpolation, arXiv 2306.15595",
        [("factor 8", 64, 64, {"base": 10000, "factor": 8}), ("factor 2.5", 16, 16, {"base": 500000, "factor": 2.5})],
    ),
    "ntk": (
        "theta_j = b^(-2j/d), b = base * factor^(d/(d-2))",
        "NTK-aware scaling (bloc97, 2023)",
        [("factor 4", 64, 64, {"base": 10000, "factor": 4})],
    ),
    "ntk-su": (
        "theta_j = (base * factor)^(-2j/d) / factor^(2/d)",
        "Su's NTK-RoPE (2023), as Alibaba's GTE and vLLM's NTKScalingRotaryEmbedding have it",
        [("gte, factor 8", 64, 64, {"base": 20000, "factor": 8})],
    ),
    "ntk-mixed": (
        "theta_j = base^(-2j/d) / exp(a (j+1)^mixed_b), a = ln(factor) / (d/2)^mixed_b",
        "Su's NTK-RoPE (2023), as Alibaba's GTE and vLLM's NTKScalingRotaryEmbedding have it with mixed_b",
        [("mixed_b 0.625", 16, 16, {"base": 20000, "factor": 4, "mixed_b": 0.625})],
    ),
    "dynamic": (
        "as ntk with the factor s = factor * L / max_positions - (factor - 1), L = max(sequence_length, max_positions)",
        "Dynamic NTK (emozilla, 2023), as Hugging Face transformers has it",
        [
            ("up to the limit", 16, 16, {"base": 10000, "factor": 2, "max_positions": 2048, "sequence_length": 2048}),
            ("8 times the limit", 64, 64, {"base": 10000, "factor": 2, "max_positions": 2048, "sequence_length": 16384}),
        ],
    ),
    "yarn": (
        "theta_j = base^(-2j/d) (1 - r_j + r_j / factor), r_j = clamp((j - low) / (high - low), 0, 1); low and high are "
        "the pairs that turn beta_fast and beta_slow times within original_max_positions",
        "YaRN, arXiv 2309.00071, as Hugging Face transformers has it",
        [
            ("qwen-3", 128, 128, {"base": 1000000, "factor": 4, "original_max_positions": 32768}),
            ("llama-2 32x", 64, 64, {"base": 10000, "factor": 32, "original_max_positions": 4096}),
            ("deepseek, equal mscale", 64, 64, {"base": 10000, "factor": 40, "original_max_positions": 4096,
                                                "mscale": 1, "mscale_all_dim": 1}),
            ("mscale apart", 16, 16, {"base": 10000, "factor": 40, "original_max_positions": 4096, "mscale": 1,
                                      "mscale_all_dim": 0.707}),
            ("gpt-oss, no truncation", 64, 64, {"base": 150000, "factor": 32, "original_max_positions": 4096,
                                                "truncate": False}),
            ("attention_factor and betas", 32, 32, {"base": 10000, "factor": 8, "original_max_positions": 4096,
                                                    "attention_factor": 1.25, "beta_fast": 24, "beta_slow": 2}),
        ],
    ),
    "longrope": (
        "theta_j = base^(-2j/d) / long_factor_j if sequence_length > original_max_positions, else / short_factor_j; "
        "magnitude sqrt(1 + ln(factor) / ln(original_max_positions))",
        "LongRoPE, arXiv 2402.13753, as Phi-3 has it",
        [
            (name, 96, 96, {"base": 10000, "short_factor": SHORT, "long_factor": LONG, "original_max_positions": 4096,
                            "sequence_length": length, "factor": 32})
            for name, length in (("exactly the limit", 4096), ("one more", 4097))
        ],
    ),
    "llama3": (
        "theta_j kept where its wavelength w < original / high, divided by factor where w > original / low, between "
        "(1 - s) theta / factor + s theta, s = (original / w - low) / (high - low)",
        "Llama 3.1, as Hugging Face transformers has it",
        [
            (name, d, d, {"base": 500000, "factor": factor, "low_frequency_factor": 1, "high_frequency_factor": 4,
                          "original_max_positions": 8192})
            for name, d, factor in (("llama-3.1-8b", 128, 8), ("llama-3.2-1b", 64, 32))
        ],
    ),
    "proportional": (
        "theta_j = base^(-2j/D) / factor for j < floor(fraction D/2), 0 for the rest; D is the head dimension",
        "p-RoPE (arXiv 2410.06205), Gemma's proportional RoPE, as Hugging Face transformers has it",
        [
            ("a quarter", 64, 64, {"base": 1000000, "fraction": 0.25}),
            ("half, factor 2", 16, 16, {"base": 10000, "fraction": 0.5, "factor": 2}),
        ],
    ),
    "receptive-field": (
        "theta_j = alpha / 10000^rho + (1 - alpha) base^(-2j/d)",
        "Ropewalk's receptive-field form",
        [("alpha 0.3, rho 0.5", 64, 64, {"base": 10000, "alpha": 0.3, "rho": 0.5})],
    ),
    "custom": (
        "theta_j as given",
        "none",
        [("zero, negative, equal", 16, 16, {"frequencies": [1, 0.5, 0.5, 0, -0.25, 0.0078125, 3, 1e-6],
                                            "magnitude": 0.75})],
    ),
}

# Our names of parameters -> Hugging Face's.
HUGGING_FACE_KEYS = {
    "factor": "factor",
    "original_max_positions": "original_max_position_embeddings",
    "beta_fast": "beta_fast",
    "beta_slow": "beta_slow",
    "attention_factor": "attention_factor",
    "mscale": "mscale",
    "mscale_all_dim": "mscale_all_dim",
    "truncate": "truncate",
    "short_factor": "short_factor",
    "long_factor": "long_factor",
    "low_frequency_factor": "low_freq_factor",
    "high_frequency_factor": "high_freq_factor",
    "fraction": "partial_rotary_factor",
    "alpha": "alpha",
    "rho": "rho",
    "mixed_b": "mixed_b",
}
# For each pairing, a model that has it and leaves all numbers to the configuration.
MODEL_TYPES = {"half": "llama", "interleaved": "cohere"}
# The same for a part of the head, which those two read beside a rule that scales alone.
PARTIAL_MODEL_TYPES = {"half": "stablelm", "interleaved": "glm"}
# The meaning of `"type": "ntk"` in the configurations of GTE, without and with mixed_b.
GTE_RULES = ("ntk-su", "ntk-mixed")
ARCHITECTURES = {"half": "qwen2", "interleaved": "llama"}


def hugging_face(rule, head_dim, rotary_dim, p, pairing):
    """config.json as transformers 4 writes it, or the reason why there is none."""
    if rule == "custom":
        return "Hugging Face has no rule with given frequencies"
    if rule in GTE_RULES and pairing == "interleaved":
        return "models with this rule pair halves"
    config = {"model_type": "new" if rule in GTE_RULES else MODEL_TYPES[pairing], "hidden_size": 4 * head_dim,
              "num_attention_heads": 4, "head_dim": head_dim, "rope_theta": p["base"]}
    longest = p.get("original_max_positions", p.get("max_positions", 8192))
    config["max_position_embeddings"] = int(longest * p["factor"]) if "original_max_positions" in p else longest
    if rotary_dim != head_dim:
        config["model_type"] = PARTIAL_MODEL_TYPES[pairing]
        config["partial_rotary_factor"] = rotary_dim / head_dim
    scaling = {HUGGING_FACE_KEYS[key]: value for key, value in p.items() if key in HUGGING_FACE_KEYS}
    if rule in GTE_RULES:
        # The published code asks for this older key.
        del config["head_dim"]
        config["rope_scaling"] = {"type": "ntk", **scaling}
    elif rule != "default":
        config["rope_scaling"] = {"rope_type": rule, **scaling}
    return config


def hugging_face_5(config):
    """The same as transformers 5 writes it."""
    if isinstance(config, str) or config["model_type"] == "new":
        return config if isinstance(config, str) else "transformers 5 has no such model"
    inside = {"rope_type": "default", **config.get("rope_scaling", {}), "rope_theta": config["rope_theta"]}
    if "partial_rotary_factor" in config:
        inside["partial_rotary_factor"] = config["partial_rotary_factor"]
    beside = {key: value for key, value in config.items()
              if key not in ("rope_theta", "rope_scaling", "partial_rotary_factor")}
    return {**beside, "rope_parameters": inside}


def gguf(rule, head_dim, rotary_dim, p, pairing):
    """GGUF metadata with tensors under their names, or the reason why there is none."""
    reasons = {
        "ntk": "GGUF has no such rule",
        "ntk-su": "GGUF has no such rule",
        "ntk-mixed": "GGUF has no such rule",
        "dynamic": "llama.cpp drops this rule",
        "receptive-field": "GGUF has no such rule",
        "custom": "GGUF has divisors of the default rule, not frequencies",
    }
    if rule in reasons:
        return reasons[rule]
    if rule == "yarn" and set(p) & {"attention_factor", "beta_fast", "beta_slow", "truncate", "mscale"}:
        return "llama.cpp uses factor and original length only, or reads the rest by architecture"
    name = ARCHITECTURES[pairing]
    keys = {"attention.key_length": head_dim, "rope.dimension_count": rotary_dim, "rope.freq_base": p["base"]}
    tensors = {}
    if rule == "linear" or (rule == "proportional" and "factor" in p):
        keys.update({"rope.scaling.type": "linear", "rope.scaling.factor": p["factor"]})
    elif rule == "yarn":
        keys.update({"rope.scaling.type": "yarn", "rope.scaling.factor": p["factor"],
                     "rope.scaling.original_context_length": p["original_max_positions"]})
    elif rule == "longrope":
        keys.update({"rope.scaling.type": "longrope",
                     "rope.scaling.original_context_length": p["original_max_positions"],
                     "rope.scaling.attn_factor": float64(rules.longrope(p, head_dim, rotary_dim)[1])})
        tensors = {"rope_factors_short.weight": p["short_factor"], "rope_factors_long.weight": p["long_factor"]}
    own = rules.default_theta(p["base"], rotary_dim)
    if rule == "llama3":
        theta, _ = rules.llama3(p, head_dim, rotary_dim)
        tensors = {"rope_freqs.weight": [float64(a / b) for a, b in zip(own, theta)]}
    elif rule == "proportional":
        turning = int(number(p["fraction"]) * head_dim / 2)
        tensors = {"rope_freqs.weight": [1.0 if j < turning else 1e30 for j in range(len(own))]}
    return {"general.architecture": name, **{f"{name}.{key}": value for key, value in keys.items()}, **tensors}
