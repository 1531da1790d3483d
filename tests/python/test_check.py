"""`ropewalk.check`, held to tests/golden/readers."""

import json
import pathlib
import unittest

import ropewalk

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden" / "readers"


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())[name]


CONFIGS = {each["name"]: each["config"] for each in golden("configs")}


class CheckTest(unittest.TestCase):
    def test_every_configuration(self):
        for report in golden("reports"):
            with self.subTest(report["config"], context=report["context"], layer=report["layerType"]):
                known = [name for name in {**report["readings"], **report["refused"]} if name in ropewalk.READERS]
                found = ropewalk.check(
                    CONFIGS[report["config"]],
                    readers=known,
                    context=report["context"],
                    layer_type=report["layerType"],
                )
                wanted = {name: each for name, each in report["readings"].items() if name in ropewalk.READERS}
                read = {each["reader"]: (each["rule"], each["base"]) for each in found["readings"]}
                self.assertEqual(read, {name: (each["rule"], each["base"]) for name, each in wanted.items()})
                pairs = {(each["a"], each["b"]) for each in report["differences"]}
                apart = {each for each in pairs if set(each) <= set(wanted)}
                if found["code"] != 6:
                    self.assertEqual(found["code"], 3 if apart else 0, found["verdict"])

    def test_every_table(self):
        checked = 0
        for table in golden("tables"):
            with self.subTest(table["name"]):
                row = table.get("row")
                found = ropewalk.check(
                    table["config"],
                    inverse_frequencies=table.get("inverseFrequencies"),
                    row=row and (row["cos"], row["sin"], row["position"]),
                    readers=[table["reader"]] if table["config"] else None,
                )
                self.assertEqual(found["code"], table["expected"]["code"], found["verdict"])
                checked += 1
        self.assertGreater(checked, 50)

    def test_says_what_it_does_not_take(self):
        with self.assertRaisesRegex(ValueError, "nothing is given"):
            ropewalk.check()
        with self.assertRaisesRegex(ValueError, "transformers-3"):
            ropewalk.check(CONFIGS["llama3-v5"], readers=["transformers-3"])
        with self.assertRaisesRegex(ValueError, "other than 0"):
            ropewalk.check(row=([1.0], [0.0], 0))

    def test_values_that_no_reader_can_use(self):
        llama = {"model_type": "llama", "head_dim": 8}
        calls = [
            ((5,), {}, "`config` is 5"),
            (([],), {}, "`config` is \\[\\]"),
            ((llama,), {"inverse_frequencies": [None]}, "`inverse_frequencies` is \\[None\\]; allowed: numbers"),
            ((llama,), {"inverse_frequencies": 5}, "`inverse_frequencies` is 5"),
            ((llama,), {"row": ([1.0], ["x"], 1)}, "`row\\[1\\]` is"),
            (({**llama, "max_position_embeddings": float("inf")},), {}, "no reader can use: cannot convert float infinity"),
        ]
        for arguments, options, words in calls:
            with self.subTest(arguments, **options), self.assertRaisesRegex(ValueError, f"^check: .*{words}"):
                ropewalk.check(*arguments, **options)

    def test_no_reader_divides_by_no_heads(self):
        found = ropewalk.check({"model_type": "llama", "hidden_size": 8, "num_attention_heads": 0})
        self.assertEqual(found["code"], 6, found["verdict"])

    def test_sizes_that_no_table_can_have_are_refused_by_their_key(self):
        for kind, key, size in (
            ("llama", "head_dim", 2**31),
            ("llama", "head_dim", 1e300),
            ("llama", "head_dim", 131074),
            ("deepseek_v3", "qk_rope_head_dim", 2**40),
            ("gptj", "rotary_dim", 2**31),
        ):
            with self.subTest(key, size=size):
                found = ropewalk.check({"model_type": kind, "max_position_embeddings": 2048, key: size})
                self.assertEqual(found["code"], 6, found["verdict"])
                self.assertEqual([each[0] for each in found["problems"]], [key])
                self.assertIn(f"`{key}`: it is {json.dumps(size)}; allowed: at most 131072.", found["verdict"])
                self.assertIn("more than 65536 pairs", found["verdict"])
        largest = ropewalk.check({"model_type": "llama", "head_dim": 131072}, readers=["transformers-5"])
        self.assertEqual((largest["code"], len(largest["readings"][0]["frequencies"])), (0, 65536))

    def test_angles_that_differ_beyond_every_text(self):
        rule = {"type": "longrope", "short_factor": [1e300], "long_factor": [2e300]}
        lengths = {"max_position_embeddings": 8192, "original_max_position_embeddings": 4096}
        found = ropewalk.check({"model_type": "phi3", "head_dim": 2, **lengths, "rope_scaling": rule})
        self.assertEqual([each["reader"] for each in found["outliers"]], ["vllm", "mlx-lm", "llama.cpp"])
        # 0.1 / (1 / 1e300 - 1 / 2e300)
        self.assertAlmostEqual(found["outliers"][0]["layers"][0]["from_token"] / 2e299, 1, delta=1e-12)

    def test_a_verdict_names_the_readers_that_differ(self):
        found = ropewalk.check(CONFIGS["llama3-v5"])
        self.assertEqual(found["code"], 3)
        self.assertRegex(found["verdict"], "transformers-4.*turns at")


if __name__ == "__main__":
    unittest.main()
