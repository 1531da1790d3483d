"""The rotary classes of an installed Transformers: finding them, and running one on a configuration."""
import copy
import importlib
import inspect
import os
import re
import typing
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
warnings.filterwarnings("ignore")
import torch
import transformers
from transformers import PreTrainedConfig

torch.set_num_threads(1)
transformers.logging.set_verbosity(transformers.logging.CRITICAL)
MODELS = os.path.join(os.path.dirname(transformers.__file__), "models")


class Found(typing.NamedTuple):
    """One rotary class and the class of its configuration."""
    module: object
    text: str
    rotary: type
    config: type


def config_class(cls, module):
    """The configuration that the constructor's annotation names, or None."""
    try:
        hint = typing.get_type_hints(cls.__init__).get("config")
    except Exception:
        hint = None
    if inspect.isclass(hint) and issubclass(hint, PreTrainedConfig):
        return hint
    annotation = next((p.annotation for k, p in inspect.signature(cls.__init__).parameters.items() if k == "config"), None)
    if isinstance(annotation, str):
        annotation = getattr(module, annotation, None)
    return annotation if inspect.isclass(annotation) and issubclass(annotation, PreTrainedConfig) else None


def modeling_files():
    for folder in sorted(os.listdir(MODELS)):
        path = os.path.join(MODELS, folder)
        if not os.path.isdir(path):
            continue
        for name in sorted(os.listdir(path)):
            if name.startswith("modeling_") and name.endswith(".py"):
                with open(os.path.join(path, name), encoding="utf8") as file:
                    yield f"transformers.models.{folder}.{name[:-3]}", file.read()


def rotary_classes():
    """Every class whose name speaks of rotary positions and whose constructor takes a configuration."""
    for name, text in modeling_files():
        found = re.findall(r"^class (\w*(?:Rotary|RoPE|Rope|RoPe)\w*)\b", text, re.M)
        if not found:
            continue
        module = importlib.import_module(name)
        for each in found:
            cls = getattr(module, each)
            if inspect.isclass(cls) and issubclass(cls, torch.nn.Module):
                config = config_class(cls, module)
                if config is not None and config is not PreTrainedConfig:
                    yield from alternatives(Found(module, text, cls, config))


def alternatives(found):
    """The class with its configuration, or with each part of it where the annotation names the whole model's."""
    try:
        build(found, {})
        yield found
    except Exception:
        parts = [getattr(each, "config_class", each) for each in (getattr(found.config, "sub_configs", None) or {}).values()]
        parts = [each for each in parts if inspect.isclass(each) and issubclass(each, PreTrainedConfig) and each is not PreTrainedConfig]
        working = []
        for part in dict.fromkeys(parts):
            each = found._replace(config=part)
            if "vision" not in part.__name__.lower() and not isinstance(run(each, {}), Exception):
                working.append(each)
        yield from working or [found]


def build(found, given):
    """The configuration and the module that a file makes; raises what the library raises."""
    config = found.config.from_dict(copy.deepcopy({"model_type": found.config.model_type, **given}))
    parameters = inspect.signature(found.rotary.__init__).parameters
    return config, (found.rotary(config=config) if "config" in parameters else found.rotary(config))


def labels(module):
    """Types of layers with frequencies of their own; [None] where all layers rotate alike."""
    names = [n[: -len("_inv_freq")] for n, _ in module.named_buffers() if n.endswith("_inv_freq") and "original" not in n]
    return names or [None]


def run(found, given, at=None):
    """{layer type or None: (inv_freq, attention scaling)} after a call at position `at`, or an exception."""
    try:
        config, module = build(found, given)
        if at is not None:
            positions = torch.tensor([[at]])
            for label in labels(module):
                layered = {"layer_type": label} if label is not None and "layer_type" in inspect.signature(module.forward).parameters else {}
                try:
                    module(torch.zeros(1, 1, 8), positions, **layered)
                except Exception:
                    module(torch.zeros(1, 1, 8), positions[None].expand(3, 1, 1), **layered)
        result = {}
        buffers = dict(module.named_buffers())
        for label in labels(module):
            prefix = "" if label is None else label + "_"
            table = buffers.get(prefix + "inv_freq")
            if table is None:
                return ValueError("no buffer of frequencies")
            result[label] = ([float(v) for v in table.flatten()], float(getattr(module, prefix + "attention_scaling", 1.0)))
        return result
    except Exception as error:
        return error


def classify(matrix):
    """The pairing of a matrix whose row i is what unit vector i becomes: partners share the channels that they fill."""
    filled = (matrix.abs() > 1e-12).float()
    shared = filled @ filled.T
    partner = {}
    for i in range(matrix.shape[0]):
        others = [j for j in range(matrix.shape[0]) if j != i and shared[i, j] > 0]
        if len(others) == 1:
            partner[i] = others[0]
    rotated = sorted(partner)
    half = len(rotated) // 2
    if half < 2:
        return None
    apart = {partner[i] - i for i in rotated if partner[i] > i}
    if apart == {1}:
        return "interleaved"
    # The slowest pairs may not rotate at all; their partners lie as far apart.
    if apart not in ({half}, {matrix.shape[0] // 2}):
        return None
    first = rotated[0]
    return "half" if float(matrix[first, partner[first]]) > 0 else "half, backwards"


def apply_functions(found):
    """Functions that rotate, those that the attention beside this rotary class calls first. An indexer's do not count."""
    prefix = re.split("Rotary|RoPE|Rope|RoPe", found.rotary.__name__)[0]
    bodies = re.findall(r"^class (\w*(?:Attention|MLA)\w*)\b(.*?)(?=^class |^def |^@|\Z)", found.text, re.M | re.S)
    own = [body for name, body in bodies if name.startswith(prefix)] or [body for _, body in bodies]
    names = re.findall(r"\b(apply_\w*rot\w*)\(", "".join(own)) + ["apply_rotary_pos_emb", "apply_rotary_emb"]
    return [n for n in dict.fromkeys(names) if hasattr(found.module, n) and "vision" not in n]


def sections(pairs):
    """A dictionary that shares so many pairs out among three axes."""
    third = pairs // 3
    return {"rope_type": "default", "mrope_section": [pairs - 2 * third, third, third]}


def pairing(found, given=None):
    """"half" or "interleaved", by rotating unit vectors with the module's own function; None where that cannot be run."""
    try:
        config, module = build(found, given or {})
        label = labels(module)[0]
        pairs = len(dict(module.named_buffers())["inv_freq" if label is None else f"{label}_inv_freq"].flatten())
    except Exception:
        return None
    names = apply_functions(found)
    if getattr(config, "rope_interleave", None) is not None:
        names.sort(key=lambda n: ("interleave" in n) != bool(config.rope_interleave))
    layered = {"layer_type": label} if label is not None else {}
    for positions in (torch.tensor([[0, 1, 2]]), torch.tensor([[[0, 1, 2]]]).expand(3, 1, 3)):
        try:
            out = module(torch.zeros(1, 3, 8), positions, **layered)
        except Exception:
            continue
        for name in names:
            found_one = pairing_by(getattr(found.module, name), out)
            if found_one:
                return found_one
    if given is None and "mrope_section" in found.text and label is None:
        # The class's own sections do not add up to its own pairs.
        return pairing(found, {"rope_parameters": sections(pairs)})
    return None


def pairing_by(apply, out):
    tables = out if isinstance(out, tuple) else (out,)
    if not torch.is_tensor(tables[0]):
        return None
    width = tables[0].shape[-1]
    for size in (width, 2 * width):
        units = torch.eye(size).view(1, size, 1, size).expand(1, size, 3, size).contiguous()
        for arguments, axis in (((units, units), 1), ((units,), 1), ((units.transpose(1, 2).contiguous(),) * 2, 2)):
            try:
                turned = apply(*arguments, *tables)
            except Exception:
                continue
            turned = turned[0] if isinstance(turned, tuple) else turned
            if turned.ndim != 4:
                continue
            found = classify(turned[0, :, 1, :] if axis == 1 else turned[0, 1])
            if found:
                return found
    return None
