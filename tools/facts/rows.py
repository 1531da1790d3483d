"""One row of facts for a rotary class, found by running it on small changes of its own default configuration.

What is usual is left out of a row: half pairing, the key `head_dim` with hidden_size / num_attention_heads in its place, the
key `rope_theta` with 10000 in its place, the whole head, one plain rule for all layers.
"""
import inspect
import json
import math
import re

import torch

from library import build, labels, pairing, run, sections

FACTOR = 4.0
BASE = 77777.0
BASE_KEYS = ("rope_theta", "rotary_emb_base", "global_rope_theta", "local_rope_theta", "rope_local_base_freq",
             "swa_rope_theta", "compress_rope_theta")
SHARE_KEYS = ("partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction")
HEAD_WORDS = ("head", "dim", "channels", "embd")
PLAIN = {"rope_type": "default", "rope_theta": BASE}
LINEAR = {"rope_type": "linear", "factor": FACTOR}


def message(error):
    """The first sentence of an error, as people read it."""
    text = " ".join(str(error).replace("`", "'").strip("'\"").split())
    for noise in ("Class validation error for validator 'validate_rope': ", "Class validation error for validator 'validate_architecture': "):
        text = text.replace(noise, "")
    name = "KeyError: " if isinstance(error, KeyError) else ""
    # Python prints a set in another order each time.
    text = re.sub(r"\{([^{}]*)\}", lambda found: "{" + ", ".join(sorted(found[1].split(", "))) + "}", text)
    return name + text.split(". To access")[0][:80]


def near(a, b):
    return len(a) == len(b) and all(abs(x - y) <= 1e-5 * abs(y) for x, y in zip(a, b))


def plain_table(table, base, width):
    return near(table, [base ** (-2 * j / width) for j in range(math.ceil(width / 2))])


class Probe:
    """Answers questions about one class."""

    def __init__(self, found):
        self.found = found
        self.given = {}
        self.config, _ = build(found, {})
        self.dictionary = json.loads(self.config.to_json_string(use_diff=False)).get("rope_parameters")
        self.add_layer_types()
        self.plain = self.run({})
        if isinstance(self.plain, Exception):
            raise self.plain
        self.layered = None not in self.plain
        self.row = {"type": found.config.model_type}

    def add_layer_types(self):
        """The default configuration may lack layers of a type that its dictionary has a rule for."""
        types = [k for k, v in (self.dictionary or {}).items() if isinstance(v, dict)] if isinstance(self.dictionary, dict) else []
        count = getattr(self.config, "num_hidden_layers", None)
        if types and isinstance(count, int) and not isinstance(run(self.found, trial := {"layer_types": [types[i % len(types)] for i in range(count)]}), Exception):
            self.given = trial

    def run(self, given, at=None):
        return run(self.found, {**self.given, **given}, at)

    def pairs(self, given):
        """{layer type: pairs}, or {} where the class refuses."""
        result = self.run(given)
        return {} if isinstance(result, Exception) else {each: len(table) for each, (table, _) in result.items()}

    def value(self, name):
        try:
            value = getattr(self.config, name, None)
        except Exception:
            return None
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def one_axis(self, given=None):
        """True if the module turns pair j at position m by m times one number."""
        try:
            config, module = build(self.found, given or self.given)
            label = labels(module)[0]
            table = torch.tensor(self.plain[label][0])
            layered = {"layer_type": label} if label is not None else {}
            for positions in (torch.tensor([[0, 3]]), torch.tensor([[[0, 3]]]).expand(3, 1, 2)):
                try:
                    out = module(torch.zeros(1, 2, 8), positions, **layered)
                except Exception:
                    continue
                out = out[0] if isinstance(out, tuple) else out.real
                wanted = {round(float(v), 4) for v in torch.cos(3 * table) * self.plain[label][1]}
                return {round(float(v), 4) for v in out.reshape(-1, 2, out.shape[-1])[0, 1].float()} == wanted
            if given is None and not self.layered:
                # The class's own sections may not add up to its own pairs.
                return self.one_axis({"rope_parameters": sections(len(table))})
        except Exception:
            pass
        return False

    # The head

    def ratios(self, key, value):
        before, after = {each: len(table) for each, (table, _) in self.plain.items()}, self.pairs({key: 2 * value})
        return {each: after[each] / before[each] for each in before} if set(before) == set(after) else {}

    def find_head(self):
        row, names = self.row, getattr(self.config, "attribute_map", {})
        hidden, heads = self.value("hidden_size"), self.value("num_attention_heads")
        apart = bool(self.config.to_dict().get("per_layer_config"))
        head = self.value("head_dim") or (hidden // heads if hidden and heads else None)
        if hidden and heads:
            row.update(hidden=hidden, heads=heads)
            for key, name in (("hiddenKey", "hidden_size"), ("headsKey", "num_attention_heads")):
                if name in names:
                    row[key] = names[name]
        if head is None:
            return None
        written = self.config.to_dict()
        whole = {k: v for k, v in written.items() if isinstance(v, int) and not isinstance(v, bool) and v > 0}
        doubles = lambda key, value, label: abs(self.ratios(key, value).get(label, 0) - 2) < 0.2
        first = next(iter(self.plain))
        derived = bool(hidden and heads) and doubles(row.get("hiddenKey", "hidden_size"), hidden, first)
        usual = names.get("head_dim", "head_dim")
        for label in self.plain:
            place = row if label == first else row.setdefault("layers", {}).setdefault(label, {})
            own = 2 * self.whole_pairs(label) if apart else head
            for key in dict.fromkeys([usual, "global_head_dim"] + [k for k in whole if any(w in k for w in HEAD_WORDS)]):
                value = whole.get(key, own)
                if doubles(key, value, label):
                    if key != "head_dim" or place is not row:
                        place["headKey"] = key
                    if not derived:
                        place["head"] = value
                    break
            else:
                place["headKey"] = ""
                if apart:
                    place["head"] = own
        for label, of in list(row.get("layers", {}).items()):
            if of.get("headKey") == row.get("headKey", "head_dim"):
                row["layers"].pop(label)
        if not row.get("layers", True):
            del row["layers"]
        if derived and hidden // heads != head:
            row["headTimes"] = head // (hidden // heads)
        if row.get("headKey") == "" and not derived and row.get("head") is None:
            row["head"] = head
        self.find_null_head(row.get("headKey", "head_dim"))
        return head

    def whole_pairs(self, label):
        """Pairs of the layers of one type where the whole head rotates."""
        whole = {"rope_type": "default", "rope_theta": BASE, "partial_rotary_factor": 1.0}
        return self.pairs({"rope_parameters": {each: whole for each in self.plain}} if label is not None else {}).get(label) or len(self.plain[label][0])

    def find_null_head(self, key):
        """What null in the place of a head dimension does; "none" if the class itself has null there."""
        if not key or self.layered:
            return
        dynamic = {"rope_scaling": {"rope_type": "dynamic", "factor": FACTOR}}
        if isinstance(self.run({key: None}), Exception):
            self.row["nullHead"] = "refused"
        elif not isinstance(self.run({key: None, **dynamic}), TypeError):
            self.row["nullHead"] = "derived"
        elif isinstance(self.run(dynamic), TypeError):
            self.row["nullHead"] = "none"

    # One rule for all layers

    def find_base(self):
        row = self.row
        written = isinstance(self.dictionary, dict)
        try:  # The base where the dictionary says none.
            inner = build(self.found, {"rope_parameters": {"rope_type": "default"}})[0].rope_parameters if written else None
        except Exception:
            inner = self.dictionary
        row["base"] = inner.get("rope_theta") if isinstance(inner, dict) else self.value("rope_theta")
        keys = []
        for key in BASE_KEYS:
            result = self.run({"rope_parameters": {"rope_type": "default"}, key: BASE} if written else {key: BASE})
            if not isinstance(result, Exception) and not near(result[None][0], self.plain[None][0]) and result[None][0][1:2] != self.plain[None][0][1:2]:
                keys.append(key)
        if "rope_theta" not in keys:
            row["baseKey"] = keys[0] if keys else ""

    def shrinks(self, given, count):
        return 0 < self.pairs(given).get(None, 0) < count

    def find_share(self, head):
        row, count = self.row, len(self.plain[None][0])
        ways = [{"rope_scaling": dict(LINEAR)}, {"rope_parameters": dict(PLAIN)}]
        by_rule, inside = (self.pairs(way).get(None, count) for way in ways)
        for way in ways:
            if 0 < self.pairs(way).get(None, 0) < math.ceil(head / 2):
                row["share"] = build(self.found, way)[0].rope_parameters.get("partial_rotary_factor", 1)
        written = {"rope_parameters": {**LINEAR, "rope_theta": BASE}}
        if "share" not in row and 0 < self.pairs(written).get(None, 0) < math.ceil(head / 2):
            row["writtenShare"] = build(self.found, written)[0].rope_parameters.get("partial_rotary_factor", 1)
        smaller = row.get("share", 1) / 2
        if self.shrinks({"rope_parameters": {**PLAIN, "partial_rotary_factor": smaller}}, inside):
            row["shareRead"] = True
        keys = [k for k in SHARE_KEYS if self.shrinks({k: smaller, "rope_scaling": dict(LINEAR)}, by_rule)
                or self.shrinks({k: smaller, "rope_parameters": dict(PLAIN)}, inside)]
        if "partial_rotary_factor" not in keys:
            row["shareKey"] = keys[0] if keys else ""
        if self.shrinks({"rotary_dim": max(2, count // 2 * 2), "rope_parameters": dict(PLAIN)}, inside):
            row["dimensionKey"] = "rotary_dim"

    def find_rules(self, head):
        """Rules that the class refuses although their members are in order."""
        pairs = self.pairs({"rope_scaling": dict(LINEAR)}).get(None) or len(self.plain[None][0])
        one, two = [1.0] * pairs, [2.0] * pairs
        original = {"original_max_position_embeddings": 1024}
        rules = {"linear": {"factor": FACTOR}, "dynamic": {"factor": FACTOR}, "yarn": {"factor": FACTOR, **original},
                 "longrope": {"short_factor": one, "long_factor": two, **original},
                 "llama3": {"factor": FACTOR, "low_freq_factor": 1.0, "high_freq_factor": 4.0, **original}}
        filled = {self.row.get("headKey", "head_dim"): head} if self.row.get("nullHead") == "none" else {}
        refused = {}
        for name, rule in rules.items():
            result = self.run({**filled, "rope_theta": BASE, "rope_scaling": {"rope_type": name, **rule}})
            # An odd number of channels and missing keys are refused of every class.
            common = str(result).startswith("The size of tensor") or "bare" in self.row and isinstance(result, KeyError)
            if isinstance(result, Exception) and not common:
                refused.setdefault(message(result), []).append(name)
        if refused:
            self.row["refuses"] = {" ".join(names): why for why, names in refused.items()}

    def find_nulls(self):
        """What null does in the place of a dictionary that the class has one for."""
        null = self.run({"rope_parameters": None})
        if isinstance(null, Exception):
            self.row["nullRope"] = message(null)
        elif null == self.plain:
            self.row["nullRope"] = "default"
        null = self.run({"rope_scaling": None})
        if isinstance(null, Exception):
            self.row["nullScaling"] = message(null)

    def find_in_source(self):
        """What the source says alone: layers that do not rotate, what attention does beside, what is checked."""
        row = self.row
        flags = getattr(self.config, "no_rope_layers", None)
        if isinstance(flags, list) and 0 in flags:
            step = flags.index(0) + 1
            if flags == [int((i + 1) % step != 0) for i in range(len(flags))]:
                row["stillEvery"] = step
        rotates = r":\n\s+\w+, \w+ = apply_rotary"
        if re.search(r"if self\.sliding_window is not None(?: or self\.force_rope)?" + rotates, self.found.text):
            row["stillFull"] = "always"
        elif re.search(r"if self\.sliding_window is None or self\.is_sliding" + rotates, self.found.text):
            row["stillFull"] = "windowed"
        if re.search(r"^class \w*Indexer\b", self.found.text, re.M):
            row["indexer"] = True
        if "mscale_all_dim" in self.found.text:
            row["latent"] = True
        if re.search(r"""rope_parameters\.get\(["']alpha""", self.found.text):
            row["alpha"] = True
        validate = getattr(self.found.config, "validate_architecture", None)
        checked = validate and "hidden_size % self.num_attention_heads" in inspect.getsource(validate)
        if checked or "if config.hidden_size % config.num_attention_heads != 0:" in self.found.text:
            row["divides"] = True

    def find_default_dictionary(self):
        """What stands in for a missing `rope_parameters`, without what the row says anyway."""
        if not isinstance(self.dictionary, dict):
            if self.dictionary is None:
                self.row["bare"] = True
            return
        row, rest = self.row, dict(self.dictionary)
        own_key = row.get("baseKey", "rope_theta")
        read = own_key and (r := self.run({own_key: BASE})) and not isinstance(r, Exception) and not near(r[None][0], self.plain[None][0])
        if rest.get("rope_theta") == row["base"] and (read or len(rest) <= 2 or not own_key):
            rest.pop("rope_theta")
        if rest.get("partial_rotary_factor") == row.get("share", 1):
            rest.pop("partial_rotary_factor")
        if rest.get("rope_type") == "default":
            rest.pop("rope_type")
        if rest:
            row["rope"] = rest

    # A rule for each type of layers

    def find_layers(self):
        row = self.row
        layers = {label: row.get("layers", {}).get(label, {}) for label in self.plain}
        empty = {label: {"rope_type": "default"} for label in self.plain}
        try:
            config, _ = build(self.found, {**self.given, "rope_parameters": empty})
            assumed = {k: v.get("rope_theta") for k, v in config.rope_parameters.items() if isinstance(v, dict)}
        except Exception:
            assumed = {}
        for label in self.plain:
            if isinstance(assumed.get(label), (int, float)):
                layers[label]["base"] = assumed[label]
        for key in BASE_KEYS:
            result = self.run({key: BASE})
            if not isinstance(result, Exception):
                for label in result:
                    if not near(result[label][0], self.plain[label][0]):
                        layers[label].setdefault("baseKey", key)
        row["layers"] = layers
        full = self.pairs({"rope_parameters": {label: dict(PLAIN) for label in self.plain}})
        smaller = self.pairs({"rope_parameters": {label: {**PLAIN, "partial_rotary_factor": 0.25} for label in self.plain}})
        if full and smaller and any(smaller[label] < full[label] for label in full):
            row["shareRead"] = True
        by_rule = self.pairs({"rope_parameters": {label: {**LINEAR, "rope_theta": BASE} for label in self.plain}})
        first = next(iter(self.plain))
        if full and by_rule and full[first] < by_rule[first]:
            row["plainShare"] = self.dictionary[first].get("partial_rotary_factor")
        row["scaling"] = self.taken({"rope_scaling": dict(LINEAR)})
        row["flat"] = self.taken({"rope_parameters": {**LINEAR, "rope_theta": BASE}})
        rest = {}
        for label, rule in self.dictionary.items():
            if isinstance(rule, dict):
                rule = {k: v for k, v in rule.items() if (k, v) != ("rope_type", "default")}
                if rule.get("rope_theta") == layers.get(label, {}).get("base"):
                    rule.pop("rope_theta", None)
                if rule:
                    rest[label] = rule
        if rest:
            row["rope"] = rest

    def taken(self, given):
        """Types of layers whose frequencies a dictionary for all layers divides, or the error."""
        result = self.run(given)
        if isinstance(result, Exception):
            return message(result)
        divided = lambda label: result[label][0][0] * FACTOR == self.plain[label][0][0]
        return [label for label in result if divided(label)]

    def find_read_again(self):
        """A class may refuse the file that it writes itself."""
        try:
            build(self.found, json.loads(self.config.to_json_string()))
        except Exception as error:
            text = " ".join(str(error).split())
            if "for field '" in text:
                self.row["numbers"] = text.split("for field '")[1].split("'")[0]

    def find(self):
        row = self.row
        base = None if self.layered or not isinstance(self.dictionary, dict) else self.dictionary.get("rope_theta")
        rule = isinstance(self.dictionary, dict) and self.dictionary.get("rope_type", "default")
        table = next(iter(self.plain.values()))[0]
        odd = base and rule == "default" and not any(plain_table(table, base, 2 * len(table) - o) for o in (0, 1))
        if odd or re.search("vision(?!.*text)", row["type"].lower()) or not self.one_axis():
            return {"type": row["type"], "axes": True}
        found = pairing(self.found) or "unknown"
        if found.endswith("backwards"):
            row["backwards"] = True
        elif found != "half":
            row["pairing"] = found
        head = self.find_head()
        for name, key in (("max_position_embeddings", "positions"), ("original_max_position_embeddings", "original")):
            if self.value(name) is not None:
                row[key] = self.value(name)
        if self.layered:
            self.find_layers()
        else:
            self.find_base()
            if head:
                self.find_share(head)
            self.find_default_dictionary()
            self.find_rules(head)
            if row["base"] == 10000:
                del row["base"]
        if "rope" in row:
            self.find_nulls()
        self.find_in_source()
        self.find_read_again()
        return row
