"""Vectors of the Python package, searched by the JavaScript package: docs/at-scale.md, "Embed natively, search in the page"."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

import ropewalk

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODEL = ROOT / "web" / "public" / "embedder"
PACKAGE = ROOT / "dist" / "node.js"
TEXTS = ["the captain gave the rope to the sailor", "the painter painted a boat at the harbour",
         "the king sold the castle to the merchant", "the cook baked bread in the kitchen"]


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "docs" / "at-scale.md").read_text(), re.S | re.M)


@unittest.skipUnless(PACKAGE.exists() and shutil.which("node"), "the npm package has not been built")
class SearchTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        corpus = self.folder / "corpus.jsonl"
        corpus.write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(TEXTS)))
        program = self.folder / "write_index.py"
        program.write_text(next(each for each in blocks("python") if each.startswith("# write_index.py")))
        self.index = self.folder / "corpus.index"
        subprocess.run([sys.executable, program, MODEL, corpus, self.index], check=True)

    def node(self, *arguments):
        ran = subprocess.run(["node", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        return ran.stdout

    def test_both_packages_have_the_same_bits(self):
        model = ropewalk.Encoder(MODEL, precision="int8", threads=2)
        queries = [*TEXTS, "a rope for the captain", "who baked bread ?"]
        found = json.loads(self.node(ROOT / "tests/python/search.mjs", MODEL, self.index, *queries))
        for query, each in zip(queries, found):
            vector = model.embed(query)
            self.assertEqual(each["vector"], vector.tobytes().hex(), query)
            # Scores are float64 sums in the same order, so that their bits are the same as well.
            ranked = model.rank(query, TEXTS, top_k=2)
            self.assertEqual([(hit["id"], hit["score"]) for hit in each["hits"]],
                             [(str(document), score) for document, score in ranked])
            pair = model.rank(query, [TEXTS[0], "the painter painted a boat"])
            self.assertEqual([(hit["index"], hit["score"]) for hit in each["ranked"]], [tuple(one) for one in pair])
        for i, each in enumerate(found[: len(TEXTS)]):
            self.assertEqual((each["hits"][0]["id"], each["hits"][0]["fields"]), (str(i), {"text": TEXTS[i]}))
            self.assertAlmostEqual(each["hits"][0]["score"], 1, places=12)

    def test_the_program_of_the_document(self):
        modules = self.folder / "node_modules"
        modules.mkdir()
        (modules / "ropewalk").symlink_to(ROOT, target_is_directory=True)
        shutil.copytree(MODEL, self.folder / "models" / "minilm")
        program = self.folder / "search.mjs"
        program.write_text(blocks("js")[0])
        lines = self.node(program).splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines:
            number, score, text = line.split(" ", 2)
            self.assertEqual(text, TEXTS[int(number)])
            self.assertRegex(score, r"^-?\d\.\d{3}$")


if __name__ == "__main__":
    unittest.main()
