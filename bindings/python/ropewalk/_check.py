"""`check`: rope_check.py as a function. It needs neither NumPy nor the shared library."""

import importlib.util
import pathlib


def _rope_check():
    """The one file: beside this one in the package, in conformance/ in the repository."""
    here = pathlib.Path(__file__).resolve().parent
    for folder in (here, here.parents[2] / "conformance" / "python"):
        if (folder / "rope_check.py").exists():
            spec = importlib.util.spec_from_file_location("ropewalk._rope_check", folder / "rope_check.py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise ImportError("rope_check.py is missing from the package")


_rules = _rope_check()
READERS = tuple(_rules.READERS)


def check(config=None, *, inverse_frequencies=None, row=None, readers=None, context=None, layer_type=None):
    """Compares how libraries read a configuration, and judges a table beside it or alone.

    config: config.json of Hugging Face, parsed.
    inverse_frequencies: theta_j as the program under test uses them, such as `module.inv_freq.tolist()`.
    row: (cos, sin, position), a row of its tables at a position other than 0.
    readers: some of READERS; all by default. context: tokens of the sequence, the model's own by default.

    Returns a dict: `code` (0 agree, 3 readers disagree, 4 the table is not what the configuration says, 5 it looks
    uninitialised), `verdict` (one sentence), `readings`, `refusals` [(reader, why)] and `differences` [(reader, reader,
    layer type, first pair, turns at the context)]. Raises ValueError where nothing is given or a reader is not known.
    """
    if config is None and inverse_frequencies is None and row is None:
        raise ValueError("check: nothing is given; allowed: config, inverse_frequencies or row, or several of them")
    unknown = [each for each in readers or () if each not in READERS]
    if unknown:
        raise ValueError(f"check: `readers` holds {unknown[0]!r}; allowed: {', '.join(READERS)}")
    found, refused, apart = [], [], []
    if config is not None:
        found, refused = _rules.readings(config, readers, context, layer_type)
        text = config.get("text_config", config)
        tokens = context or text.get("max_position_embeddings") or text.get("n_positions") or 8192
        apart = _rules.differences(found, tokens)
    code, verdict = 3 if apart else 0, "The readers agree." if found else "No reader takes the configuration."
    if apart:
        a, b, layer, first, turns = max(apart, key=lambda each: each[4])
        of_layer = f" in {layer}" if layer else ""
        verdict = f"{a} and {b} differ{of_layer} from pair {first} on, by {turns:.4g} turns at {tokens} tokens."
    tables = []
    if inverse_frequencies is not None:
        tables.append(_rules.check_table([float(each) for each in inverse_frequencies], found))
    if row is not None:
        cos, sin, position = row
        cos, sin = [float(each) for each in cos], [float(each) for each in sin]
        if len(cos) != len(sin) or not cos or position == 0:
            raise ValueError("check: `row` is (cos, sin, position) of equal lengths, at a position other than 0")
        tables.append(_rules.check_row(cos, sin, position, found))
    if tables:
        worst, sentence = max(tables, key=lambda each: each[0])
        code, verdict = (worst, sentence) if worst or not apart else (code, f"{sentence} {verdict}")
    return {"code": code, "verdict": verdict, "readings": found, "refusals": refused, "differences": apart}
