"""Ropes of pictures and video, scales of queries, and given angles, held to tests/golden/vision and tests/golden/rope."""

import json
import pathlib
import unittest

import numpy

import ropewalk

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"


def golden(name):
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


def options_of(case):
    """Options that say what a case says of each pair."""
    pairs, partner = len(case["channels_of_pair"]), case["channels_of_pair"][0][1]
    axis_of_pair = case["axis_of_pair"]
    sections = [axis_of_pair.count(axis) for axis in range(case["axes"])]
    by_section = partner not in (1, pairs)
    return {
        "head_dim": case["shape"][2],
        "rotary_dim": 2 * pairs,
        "pairing": "interleaved" if partner == 1 else "half",
        "frequencies": {"type": "custom", "frequencies": case["frequencies"]},
        "axes": {"sections": sections, "pair_within": "section"} if by_section else {"order": axis_of_pair},
    }


class VisionTest(unittest.TestCase):
    def near(self, found, expected):
        expected = numpy.asarray(expected, float).reshape(found.shape)
        numpy.testing.assert_allclose(found, expected, rtol=0, atol=5e-7 * abs(expected).max())

    def test_rotates_as_the_libraries_do(self):
        cases = golden("vision/vision.json")["cases"]
        self.assertEqual(len(cases), 9)
        for case in cases:
            with self.subTest(case["name"]):
                tokens, heads, head_dim = case["shape"]
                x = numpy.array(case["x"], numpy.float32).reshape(1, tokens, heads, head_dim)
                positions = numpy.array(case["positions"], float).reshape(tokens, case["axes"]).T
                self.near(ropewalk.Rope(**options_of(case)).rotate(x, positions), case["y"])

    def test_rotates_by_given_angles(self):
        cases = golden("vision/rope-2.json")["given_angles"]
        self.assertGreater(len(cases), 1)
        for case in cases:
            with self.subTest(case["name"]):
                x, grad_y = (numpy.array(case[name], numpy.float32).reshape(case["shape"]) for name in ("x", "grad_y"))
                batch, sequence = case["shape"][:2]
                angles = numpy.array(case["angles"]).reshape(batch, sequence, -1, case["pairs"])
                y = ropewalk.rotate_by(x, angles, pairing=case["pairing"])
                self.near(y, case["y"])
                grad_x, grad_angles = ropewalk.rotate_by_gradient(x, angles, grad_y, pairing=case["pairing"])
                self.near(grad_x, case["grad_x"])
                self.near(grad_angles, case["grad_angles"])
                in_place = x.copy()
                self.assertIs(ropewalk.rotate_by(in_place, angles, pairing=case["pairing"], out=in_place), in_place)
                numpy.testing.assert_array_equal(in_place, y)

    def test_refuses_other_shapes(self):
        x, angles = numpy.zeros((1, 2, 3, 4), numpy.float32), numpy.zeros((1, 2, 1, 2))
        for call, words in (
            (lambda: ropewalk.rotate_by(x[0], angles), "`x` has shape"),
            (lambda: ropewalk.rotate_by(x.astype(float), angles), "`x` has shape"),
            (lambda: ropewalk.rotate_by(x, angles[0]), "`angles` has shape"),
            (lambda: ropewalk.rotate_by(x, numpy.zeros((1, 2, 2, 2))), "`angles` has shape"),
            (lambda: ropewalk.rotate_by(x, numpy.zeros((1, 2, 1, 3))), "rotate_by: `pairs`"),
            (lambda: ropewalk.rotate_by(x, angles + numpy.inf), "rotate_by: `angles"),
            (lambda: ropewalk.rotate_by(x, angles, pairing="both"), "`pairing` is 'both'"),
            (lambda: ropewalk.rotate_by_gradient(x, angles, x[:, :1]), "`grad_y` has shape"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                call()

    def test_scales_queries(self):
        cases = golden("vision/rope-2.json")["query_scales"]
        self.assertGreater(len(cases), 1)
        for case in cases:
            with self.subTest(case["name"]):
                llama = "floor_scale" in case
                scale = {
                    "scale": case["attn_scale"] if llama else case["llama_4_scaling_beta"],
                    "length": case["floor_scale"] if llama else case["original_max_position_embeddings"],
                    "offset": 1 if llama else 0,
                }
                rope = ropewalk.Rope(head_dim=4, query_scale=scale)
                positions = numpy.array(case["positions"], float)
                x = numpy.ones((1, len(positions), 1, 4), numpy.float32)
                lengths = numpy.linalg.norm(rope.rotate(x, positions).astype(float), axis=-1).ravel() / 2
                self.near(lengths, case["scales"])
                numpy.testing.assert_allclose(
                    numpy.linalg.norm(rope.rotate(x, positions, role="key").astype(float), axis=-1), 2, rtol=5e-7)


if __name__ == "__main__":
    unittest.main()
