"""The programs of docs/at-scale.md: at_scale.py DOCUMENT MODEL FOLDER. Embeds a corpus with Ray Data on a local cluster of two
processes, with one worker, with two, and with two of which one is killed in the middle, and compares every bit."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import numpy
import pyarrow.parquet
import ray
import ropewalk

TEXTS = 900
document, model, folder = (pathlib.Path(each).resolve() for each in sys.argv[1:])
words = [word for word in json.loads((model / "tokenizer.json").read_text())["model"]["vocab"] if word.isalpha()]


def make_corpus(path):
    """Texts of 1 to 30 words, in the order of their ids."""
    random = numpy.random.default_rng(3)
    texts = [" ".join(random.choice(words, random.integers(1, 31))) for _ in range(TEXTS)]
    # Several files, so that there are blocks for several workers.
    for part in range(6):
        lines = [json.dumps({"id": f"{i:06}", "text": texts[i]}) for i in range(part * 150, part * 150 + 150)]
        (path / f"part-{part}.jsonl").write_text("\n".join(lines) + "\n")
    return texts


def read(out):
    table = pyarrow.parquet.read_table(out)
    return table["id"].to_pylist(), numpy.stack(table["vector"].to_numpy())


class Dying:
    """Embed, whose process is killed while it has its second batch, once."""

    def __init__(self, path):
        from embed_corpus import Embed

        self.inner, self.calls = Embed(path), 0

    def __call__(self, batch):
        self.calls += 1
        if self.calls == 2:
            try:
                os.close(os.open(folder / "died", os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass
        return self.inner(batch)


def main():
    source = next(each for each in re.findall(r"^```python\n(.*?)^```", document.read_text(), re.S | re.M)
                  if each.startswith("# embed_corpus.py"))
    (folder / "embed_corpus.py").write_text(source)
    corpus = folder / "corpus"
    corpus.mkdir()
    texts = make_corpus(corpus)
    expected = ropewalk.Encoder(model, precision="int8").embed(texts)
    ids = [f"{i:06}" for i in range(TEXTS)]

    def check(what, out):
        found, vectors = read(out)
        assert found == ids, f"{what}: the rows are {len(found)}, not {TEXTS} in their order"
        assert vectors.dtype == numpy.float32 and (vectors == expected).all(), f"{what}: other bits"
        print(f"{what}: {TEXTS} vectors, in order, the bits of one process", flush=True)

    env = {**os.environ, "RAY_DEDUP_LOGS": "0", "PYTHONPATH": str(folder)}
    command = [sys.executable, str(folder / "embed_corpus.py"), str(model), str(corpus), str(folder / "one"), "1"]
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    check("one worker, as a command", folder / "one")

    # One more than the workers, for reading and writing.
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, configure_logging=False,
             runtime_env={"env_vars": {"PYTHONPATH": str(folder)}})
    sys.path.insert(0, str(folder))
    from embed_corpus import embed_corpus

    embed_corpus(str(model), str(corpus), str(folder / "two"), 2)
    check("two workers", folder / "two")
    embed_corpus(str(model), str(corpus), str(folder / "killed"), 2, embed=Dying)
    assert (folder / "died").exists(), "no worker was killed"
    check("two workers, one killed", folder / "killed")
    ray.shutdown()


main()
