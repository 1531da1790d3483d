"""Holds rope_check.py to tests/golden/readers: python3 -m unittest conformance/python/test_rope_check.py"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import rope_check  # noqa: E402

GOLDEN = HERE.parent.parent / "tests" / "golden" / "readers"


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


class Readings(unittest.TestCase):
    def test_every_configuration(self):
        configs = {each["name"]: each["config"] for each in golden("configs")["configs"]}
        for report in golden("reports")["reports"]:
            with self.subTest(report["config"], context=report["context"], layer=report["layerType"]):
                found, refused = rope_check.readings(configs[report["config"]], None, report["context"], report["layerType"])
                wanted = {name: each for name, each in report["readings"].items() if name in rope_check.READERS}
                self.assertEqual({each["reader"] for each in found}, set(wanted))
                self.assertEqual({each for each, _ in refused}, set(rope_check.READERS) - set(wanted))
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
            # rope_check.py has no reader of GTE's own code.
            if table["config"] and table["reader"] not in rope_check.READERS:
                continue
            with self.subTest(table["name"]):
                found = rope_check.readings(table["config"], [table["reader"]])[0] if table["config"] else []
                if "row" in table:
                    code, sentence = rope_check.check_row(**table["row"], found=found)
                else:
                    code, sentence = rope_check.check_table([float(each) for each in table["inverseFrequencies"]], found)
                self.assertEqual(code, table["expected"]["code"], sentence)


class Command(unittest.TestCase):
    def run_with(self, *args):
        return subprocess.run([sys.executable, HERE / "rope_check.py", *args], capture_output=True, text=True, check=False)

    def test_exit_codes(self):
        configs = {each["name"]: each["config"] for each in golden("configs")["configs"]}
        tables = {each["name"]: each for each in golden("tables")["tables"]}
        with tempfile.TemporaryDirectory() as folder:
            config, numbers = pathlib.Path(folder, "config.json"), pathlib.Path(folder, "inv_freq.txt")
            config.write_text(json.dumps(configs["llama3-v5"]))
            self.assertEqual(self.run_with(config).returncode, 3)
            self.assertEqual(self.run_with(config, "--readers", "transformers-5,llama.cpp").returncode, 0)
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
