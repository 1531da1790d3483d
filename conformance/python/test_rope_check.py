"""Holds rope_check.py to tests/golden/readers and readers-2: python3 -m unittest conformance/python/test_rope_check.py"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
FILE = ROOT / "bindings" / "python" / "ropewalk" / "rope_check.py"
sys.path.insert(0, str(FILE.parent))
import rope_check  # noqa: E402


def golden(name, folder="readers"):
    return json.loads((ROOT / "tests" / "golden" / folder / f"{name}.json").read_text())


class Readings(unittest.TestCase):
    def test_every_configuration(self):
        configs = {each["name"]: each["config"] for each in golden("configs")["configs"]}
        for report in golden("reports")["reports"]:
            with self.subTest(report["config"], context=report["context"], layer=report["layerType"]):
                known = [name for name in {**report["readings"], **report["refused"]} if name in rope_check.READERS]
                found, refused, absent = rope_check.readings(
                    configs[report["config"]], known, report["context"], report["layerType"])
                wanted = {name: each for name, each in report["readings"].items() if name in rope_check.READERS}
                self.assertEqual({each["reader"] for each in found}, set(wanted))
                self.assertEqual({each for each, _ in refused + absent}, set(known) - set(wanted))
                for each in found:
                    golden_reading = wanted[each["reader"]]
                    self.assertEqual((each["rule"], each["base"]), (golden_reading["rule"], golden_reading["base"]))
                    self.assertAlmostEqual(each["magnitude"], golden_reading["magnitude"], delta=1e-12)
                    self.assertEqual(len(each["frequencies"]), len(golden_reading["frequencies"]))
                    for a, b in zip(each["frequencies"], golden_reading["frequencies"]):
                        self.assertLessEqual(abs(a - b), 1e-12 * abs(b))
                apart = rope_check.differences(found, report["context"])
                expected = [each for each in report["differences"] if each["a"] in wanted and each["b"] in wanted]
                self.assertEqual({(a, b): first for a, b, _, first, _ in apart},
                                 {(each["a"], each["b"]): each["firstPair"] for each in expected})


class Tables(unittest.TestCase):
    def test_every_table(self):
        for table in golden("tables")["tables"]:
            with self.subTest(table["name"]):
                found = rope_check.readings(table["config"], [table["reader"]])[0] if table["config"] else []
                if "row" in table:
                    code, sentence = rope_check.check_row(**table["row"], found=found)
                else:
                    code, sentence = rope_check.check_table([float(each) for each in table["inverseFrequencies"]], found)
                self.assertEqual(code, table["expected"]["code"], sentence)


class Libraries(unittest.TestCase):
    """tests/golden/readers-2: what the libraries' own code made of published and of broken configurations."""

    def test_every_reading(self):
        compared = 0
        for each in golden("configs", "readers-2")["configs"]:
            for reader, recorded in each["recorded"].items():
                for layer, wanted in (recorded.get("layers") or {None: None}).items():
                    if layer and layer.startswith("cpu:"):
                        continue
                    with self.subTest(each["name"], reader=reader, layer=layer):
                        layer_type = None if layer is None or layer.startswith("all") else layer
                        context = 1000 if layer == "all:short" else None
                        found, refused, absent = rope_check.readings(each["config"], [reader], context, layer_type)
                        if wanted is None:
                            self.assertEqual(found, [])
                            self.assertTrue(refused or absent if "error" in recorded else absent)
                            continue
                        frequencies = wanted.get("inv_freq_at_context", wanted["inv_freq"])
                        self.assertEqual(len(found[0]["frequencies"]), len(frequencies))
                        for a, b in zip(found[0]["frequencies"], frequencies):
                            self.assertLessEqual(abs(a - b), 2e-5 * abs(b))
                        self.assertAlmostEqual(found[0]["magnitude"], wanted["attention_factor"], delta=2e-5)
                        compared += 1
        self.assertGreater(compared, 250)

    def test_every_verdict(self):
        configs = {each["name"]: each["config"] for each in golden("configs", "readers-2")["configs"]}
        for wanted in golden("verdicts", "readers-2")["verdicts"]:
            with self.subTest(wanted["config"]):
                subject = wanted.get("subject") or {"config": configs[wanted["config"]]}
                readers = [*wanted.get("readers", []), *wanted.get("refuse", {})] or None
                report = rope_check.check(
                    subject["config"], inverse_frequencies=subject.get("inverseFrequencies"), readers=readers)
                code = 6 if wanted["answer"] == "refused" else wanted["exit"]
                self.assertEqual(report["code"], code, report["verdict"])
                for word in wanted.get("mentions", []):
                    self.assertIn(word, report["verdict"])
                if "subject" in wanted:
                    continue
                if wanted.get("key"):
                    self.assertIn(wanted["key"], [key for key, _, _ in report["problems"]])
                differing = {each["reader"]: each for each in wanted.get("differ", [])}
                self.assertEqual({each["reader"] for each in report["outliers"]}, set(differing))
                for outlier in report["outliers"]:
                    self.assertEqual(outlier["key"], differing[outlier["reader"]].get("key", outlier["key"]))
                    for each in outlier["layers"]:
                        golden_layer = differing[outlier["reader"]]["layers"][each["layer"] or "all"]
                        self.assertEqual((each["first_pair"], each["from_token"]),
                                         (golden_layer.get("firstPair", -1), golden_layer.get("fromToken", float("inf"))))

    def test_broken_files(self):
        """tests/fixtures/broken-ropes.json: whether Transformers reads them, the code, and the key to change."""
        for each in json.loads((ROOT / "tests" / "fixtures" / "broken-ropes.json").read_text())["configs"]:
            with self.subTest(each["name"]):
                report = rope_check.check(each["config"])
                self.assertEqual(report["code"], each["code"], report["verdict"])
                readers = [reading["reader"] for reading in report["readings"]]
                for reader in ("transformers-4", "transformers-5"):
                    if reader in each:
                        self.assertEqual(reader in readers, each[reader] == "reads", reader)
                if "key" in each:
                    self.assertIn(each["key"], [key for key, _, _ in report["problems"]])

    def test_a_key_that_stands_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "config.json"
            file.write_text('{"model_type": "llama", "head_dim": 64, "rope_theta": 1e4, "rope_theta": 1e5}')
            ended = subprocess.run([sys.executable, "-B", FILE, file], capture_output=True, text=True, check=False)
            self.assertEqual((ended.returncode, ended.stderr.count("`rope_theta` stands twice")), (0, 1))

    def test_green_by_default(self):
        configs = {each["name"]: each["config"] for each in golden("configs", "readers-2")["configs"]}
        for name in ("llama-3.1-8b", "qwen2.5-7b", "gemma-3-1b", "smollm2-135m"):
            self.assertEqual(rope_check.check(configs[name])["code"], 0)

    def test_five_digits_are_what_pytorch_prints(self):
        config = {"model_type": "llama", "head_dim": 128, "max_position_embeddings": 8192, "rope_theta": 500000.0}
        table = [float(f"{500000.0 ** (-2 * j / 128):.5g}") for j in range(64)]
        self.assertEqual(rope_check.check(config, inverse_frequencies=table)["code"], 0)
        report = rope_check.check({**config, "rope_theta": 10000.0}, inverse_frequencies=table)
        self.assertEqual(report["code"], 4)
        self.assertIn('"rope_theta": 500000', report["verdict"])

    def test_what_a_number_cannot_be_is_refused(self):
        rule = {"rope_type": "linear", "factor": "8.0"}
        config = {"model_type": "llama", "head_dim": 128, "max_position_embeddings": 8192, "rope_scaling": rule}
        report = rope_check.check(config)
        self.assertEqual(report["code"], 6)
        self.assertIn('Write "factor": 8.0', report["verdict"])

    def test_a_size_of_any_number_is_answered(self):
        for size in (2 ** 31, 1e300):
            report = rope_check.check({"model_type": "llama", "head_dim": size})
            self.assertEqual(report["code"], 6)
            self.assertIn("`head_dim`: it is", report["verdict"])


class Still(unittest.TestCase):
    def test_models_that_do_not_rotate(self):
        for config, words in [({"model_type": "mpt"}, "ALiBi"), ({"model_type": "jamba"}, "recurrent layers"),
                              ({"model_type": "esm"}, "learned positions"), ({"model_type": "falcon", "alibi": True}, "ALiBi"),
                              ({"model_type": "bert", "position_embedding_type": "alibi"}, "ALiBi"),
                              ({"model_type": "bert", "position_embedding_type": "relative_key"}, "learned relative keys"),
                              ({"model_type": "granitemoehybrid", "position_embedding_type": "nope"}, "recurrent layers")]:
            with self.subTest(config):
                report = rope_check.check({"hidden_size": 384, "num_attention_heads": 12, **config})
                self.assertEqual((report["code"], report["readings"]), (0, []))
                self.assertIn("Nothing rotates", report["verdict"])
                self.assertIn(words, report["verdict"])
        self.assertNotEqual(rope_check.check({"model_type": "falcon", "hidden_size": 384, "num_attention_heads": 12})["readings"], [])


class Types(unittest.TestCase):
    """tests/golden/transformers-ropes: every rotary class of Transformers, and variants of their files."""

    def near(self, made, wanted):
        self.assertLessEqual(len(made), len(wanted))
        # The pairs that stand still behind the others may be left out.
        for a, b in zip([*made, *[0.0] * (len(wanted) - len(made))], wanted):
            self.assertLessEqual(abs(abs(a) - abs(b)), max(2e-6 * abs(b), 1e-37))

    def test_each_is_read_as_the_class_does_or_refused(self):
        equal = refused = 0
        for each in golden("types", "transformers-ropes")["types"] + golden("variants", "transformers-ropes")["types"]:
            kind = rope_check.kind_of(rope_check.text_of(each["config"]))
            with self.subTest(each["model_type"], variant=each.get("variant")):
                found, why, absent = rope_check.readings(each["config"], ["transformers-5"])
                if kind and kind not in rope_check.KNOWN or each.get("axes") and kind == each["model_type"]:
                    self.assertEqual(found, [])
                    self.assertIn(json.dumps(kind), absent[0][1])
                elif each.get("axes") or each.get("error", "").startswith("AmbiguousGlobalPerLayerAttributeError"):
                    continue  # The text model is read; the script that made the file asked for a head of all layers.
                if why or not found:
                    refused += 1
                    continue
                self.assertNotIn("error", each)
                equal += 1
                for name, wanted in each["inv_freq"].items():
                    layer = None if name == "inv_freq" else name.replace("_inv_freq", "")
                    reading = next(one for one in found if one["layer"] == layer)
                    self.near(reading["frequencies"], wanted)
                    scaling = each.get("attention_scaling", {}).get(name.replace("inv_freq", "attention_scaling"), 1)
                    self.assertAlmostEqual(reading["magnitude"], scaling, delta=2e-6)
                    pairing = each.get("behaviour", {}).get("pairing")
                    # The function that was run first in this class is that of its indexer.
                    if pairing in ("half", "interleaved") and kind != "deepseek_v32":
                        self.assertEqual(reading["pairing"], pairing)
        self.assertGreater(equal, 700)
        self.assertGreater(refused, 100)

    def test_what_nobody_here_knows_is_refused_by_name(self):
        sizes = {"hidden_size": 768, "num_attention_heads": 12, "rope_theta": 10000.0}
        for name in ("gemma4_vision", "ernie4_5_vl_moe_text", "moonvit", "bailing_moe_linear", "llama_of_tomorrow"):
            for config in ({"model_type": name, **sizes}, {"model_type": "x", "text_config": {"model_type": name, **sizes}}):
                report = rope_check.check(config)
                self.assertEqual((report["code"], report["readings"]), (6, []))
                self.assertIn(json.dumps(name), report["verdict"])
        report = rope_check.check({"_class_name": "MochiTransformer3DModel", **sizes})
        self.assertEqual(report["code"], 6)
        self.assertIn('"MochiTransformer3DModel"', report["verdict"])
        for name in ({"_class_name": "ZImageTransformer2DModel"}, {}):
            report = rope_check.check({"dim": 3840, "n_heads": 30, "rope_theta": 256.0, "axes_dims": [32, 48, 48], **name})
            self.assertEqual((report["code"], report["readings"]), (6, []))
        self.assertEqual(rope_check.check({"model_type": "qwen2_vl", **sizes})["code"], 0)
        with self.assertRaisesRegex(AssertionError, "moonvit"):
            rope_check.assert_inverse_frequencies({"model_type": "moonvit", **sizes}, [1.0, 0.5])


class Command(unittest.TestCase):
    def run_with(self, *args):
        return subprocess.run([sys.executable, FILE, *args], capture_output=True, text=True, check=False)

    def test_exit_codes(self):
        configs = {each["name"]: each["config"] for each in golden("configs")["configs"]}
        tables = {each["name"]: each for each in golden("tables")["tables"]}
        with tempfile.TemporaryDirectory() as folder:
            config, numbers = pathlib.Path(folder, "config.json"), pathlib.Path(folder, "inv_freq.txt")
            config.write_text(json.dumps(configs["llama3-v5"]))
            self.assertEqual(self.run_with(config).returncode, 3)
            self.assertEqual(self.run_with(config, "--readers", "transformers-5,llama.cpp").returncode, 0)
            self.assertEqual(self.run_with(config, "--readers", "transformers-4,transformers-5").returncode, 3)
            for name, code in (("default-float32", 0), ("wrong-base", 4), ("zeros", 5)):
                config.write_text(json.dumps(tables[name]["config"]))
                numbers.write_text(f"tensor({tables[name]['inverseFrequencies']})")
                ended = self.run_with(config, "--inv-freq", numbers, "--readers", "transformers-5")
                self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
            config.write_text("{")
            self.assertEqual(self.run_with(config).returncode, 1)
            self.assertEqual(self.run_with(config, "--readers", "x").returncode, 2)

    def test_assertion(self):
        config = {"model_type": "llama", "head_dim": 4, "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}
        rope_check.assert_inverse_frequencies(config, [1.0, 0.01])
        with self.assertRaisesRegex(AssertionError, "base"):
            rope_check.assert_inverse_frequencies(config, [1.0, 0.02])


if __name__ == "__main__":
    unittest.main()
