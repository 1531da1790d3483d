"""The Python package: python3 -m unittest discover tests/python, with ROPEWALK_LIBRARY and PYTHONPATH set by CTest."""

import copy
import gc
import json
import pathlib
import pickle
import re
import sys
import threading
import unittest

import numpy

import ropewalk

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "conformance" / "python"))
sys.path.insert(0, str(ROOT / "conformance" / "python" / "adapters"))


def rotated_by_hand(x, theta, positions, pairing, magnitude=1.0):
    """[batch, sequence, heads, d] in float64 NumPy."""
    angle = numpy.asarray(positions, float)[None, :, None, None] * theta
    cos, sin, half = magnitude * numpy.cos(angle), magnitude * numpy.sin(angle), len(theta)
    y = numpy.empty(x.shape)
    first, second = (slice(0, half), slice(half, None)) if pairing == "half" else (slice(0, None, 2), slice(1, None, 2))
    a, b = x[..., first].astype(float), x[..., second].astype(float)
    y[..., first], y[..., second] = a * cos - b * sin, a * sin + b * cos
    return y


class ObjectTest(unittest.TestCase):
    """Copies, pickles and second lives of one handle."""

    def setUp(self):
        self.rope = ropewalk.Rope(head_dim=16, frequencies={"type": "linear", "factor": 4})
        self.x = numpy.ones((1, 2, 1, 16), numpy.float32)

    def test_is_copied_and_pickled(self):
        expected = self.rope.rotate(self.x, 5)
        for made in (copy.copy(self.rope), copy.deepcopy([self.rope])[0], pickle.loads(pickle.dumps(self.rope))):
            numpy.testing.assert_array_equal(made.rotate(self.x, 5), expected)
            del made
            gc.collect()
            numpy.testing.assert_array_equal(self.rope.rotate(self.x, 5), expected)

    def test_is_made_anew_or_left(self):
        self.rope.__init__(head_dim=8)
        self.assertEqual(self.rope.head_dim, 8)
        with self.assertRaises(ropewalk.RopewalkError):
            self.rope.__init__(head_dim=7)
        self.assertEqual(self.rope.head_dim, 8)

    def test_without_a_handle_is_an_error(self):
        self.rope.__del__()
        for rope in (self.rope, ropewalk.Rope.__new__(ropewalk.Rope)):
            for use in (lambda: rope.head_dim, lambda: rope.options, lambda: rope.rotate(self.x)):
                self.assertRaises(AttributeError, use)

    def test_takes_numbers_alone(self):
        for wrong in (["1"], True, [True], None, [1j]):
            self.assertRaisesRegex(TypeError, "`positions` has elements of", self.rope.table, wrong)
            self.assertRaisesRegex(TypeError, "`positions` has elements of", self.rope.rotate, self.x, wrong)
        given = {"type": "custom", "frequencies": numpy.array([1.0, 0.5])}
        self.assertEqual(ropewalk.Rope(head_dim=numpy.int64(4), frequencies=given).frequencies.tolist(), [1.0, 0.5])
        self.assertRaisesRegex(TypeError, "an option holds", ropewalk.Rope, head_dim={4})


class RopeTest(unittest.TestCase):
    def setUp(self):
        self.x = numpy.random.default_rng(1).standard_normal((2, 5, 3, 16)).astype(numpy.float32)

    def test_rotates_as_numpy_does(self):
        for pairing in ("half", "interleaved"):
            rope = ropewalk.Rope(head_dim=16, pairing=pairing)
            expected = rotated_by_hand(self.x, rope.frequencies, range(1000, 1005), pairing)
            numpy.testing.assert_allclose(rope.rotate(self.x, 1000), expected, atol=2e-6)
            numpy.testing.assert_allclose(rope.rotate(self.x, numpy.arange(1000, 1005)), expected, atol=2e-6)
            swapped = rope.rotate(self.x.transpose(0, 2, 1, 3), 1000, layout="bhsd")
            numpy.testing.assert_allclose(swapped.transpose(0, 2, 1, 3), expected, atol=2e-6)

    def test_unrotates_and_rerotates(self):
        rope = ropewalk.Rope(head_dim=16, frequencies={"type": "yarn", "factor": 4, "original_max_positions": 64})
        y = rope.rotate(self.x, 7)
        numpy.testing.assert_allclose(rope.unrotate(y, 7), self.x, atol=2e-6)
        numpy.testing.assert_allclose(rope.rerotate(y, 7, to_positions=99), rope.rotate(self.x, 99), atol=4e-6)
        other = ropewalk.Rope(head_dim=16)
        moved = rope.rerotate(y, 7, to_positions=numpy.arange(5), to_rope=other)
        numpy.testing.assert_allclose(moved, other.rotate(self.x, 0), atol=4e-6)

    def test_rotates_queries_and_keys(self):
        rope = ropewalk.Rope(head_dim=16, pairing="half")
        k = self.x[:, :, :1].copy()
        rotated_q, rotated_k = rope.rotate_qk(self.x, k, 3)
        numpy.testing.assert_array_equal(rotated_q, rope.rotate(self.x, 3))
        numpy.testing.assert_array_equal(rotated_k, rope.rotate(k, 3))
        with self.assertRaisesRegex(ValueError, "`k` has shape"):
            rope.rotate_qk(self.x, k[:, :4].copy())

    def test_writes_where_it_is_told(self):
        rope = ropewalk.Rope(head_dim=16)
        expected, x = rope.rotate(self.x, 2), self.x.copy()
        self.assertIs(rope.rotate(x, 2, out=x), x)
        numpy.testing.assert_array_equal(x, expected)
        wide = numpy.zeros((2, 5, 3, 20), numpy.float32)
        view = wide[..., 2:18]
        view[...] = self.x
        rope.rotate(view, 2, out=view)
        numpy.testing.assert_array_equal(view, expected)
        self.assertEqual(float(abs(wide[..., :2]).sum() + abs(wide[..., 18:]).sum()), 0)
        memory = numpy.zeros(self.x.size + 8, numpy.float32)
        before, after = (memory[i : i + self.x.size].reshape(self.x.shape) for i in (0, 8))
        with self.assertRaisesRegex(ValueError, "`out` overlaps"):
            rope.rotate(before, out=after)
        frozen = self.x.copy()
        frozen.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "read-only"):
            rope.rotate(self.x, out=frozen)

    def test_takes_sixteen_bits(self):
        rope = ropewalk.Rope(head_dim=16, pairing="half")
        expected = rope.rotate(self.x, 11)
        made = rope.rotate(self.x.astype(numpy.float16), 11)
        self.assertEqual(made.dtype, numpy.float16)
        numpy.testing.assert_allclose(made, expected, atol=4e-3)
        patterns = (self.x.view(numpy.uint32) >> 16).astype(numpy.uint16)
        made = rope.rotate(patterns, 11, dtype="bfloat16")
        numpy.testing.assert_allclose((made.astype(numpy.uint32) << 16).view(numpy.float32), expected, atol=6e-2)
        for wrong in (self.x.astype(float), patterns, self.x.astype(">f4")):
            with self.assertRaises(TypeError):
                rope.rotate(wrong)

    def test_packs_sequences(self):
        rope = ropewalk.Rope(head_dim=16)
        packed = self.x.reshape(10, 3, 16)
        made = rope.rotate(packed, layout="thd", cumulative_lengths=[0, 4, 10])
        numpy.testing.assert_array_equal(made[4:], rope.rotate(packed[4:], layout="thd", cumulative_lengths=[0, 6]))

    def test_shows_its_table_and_options(self):
        rope = ropewalk.Rope(head_dim=16, rotary_dim=8, rotary_offset=4, pairing="half")
        cos, sin = rope.table([0, 10])
        numpy.testing.assert_allclose(cos[1], numpy.cos(10 * rope.frequencies), atol=1e-7)
        numpy.testing.assert_allclose(sin[1], numpy.sin(10 * rope.frequencies), atol=1e-7)
        self.assertEqual((rope.head_dim, rope.rotary_dim, rope.rotary_offset, rope.pairing), (16, 8, 4, "half"))
        self.assertEqual((rope.axes, rope.magnitude), (1, 1.0))
        self.assertEqual(ropewalk.Rope(**rope.options).options, rope.options)
        self.assertIn("rotary_offset=4", repr(rope))

    def test_reads_configurations(self):
        config = {"model_type": "llama", "head_dim": 64, "rope_theta": 500000.0, "max_position_embeddings": 131072,
                  "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                   "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}}
        rope = ropewalk.from_config(config)
        self.assertEqual(rope.options["frequencies"]["type"], "llama3")
        numpy.testing.assert_array_equal(rope.frequencies, ropewalk.from_config(json.dumps(config)).frequencies)
        self.assertIn("8192", ropewalk.explain(config, context=131072))
        config["rope_scaling"]["facto"] = 1
        with self.assertRaises(ropewalk.RopewalkError) as caught:
            ropewalk.from_config(config)
        self.assertEqual(caught.exception.code, "type")

    def test_says_what_it_refuses(self):
        with self.assertRaises(ropewalk.RopewalkError) as caught:
            ropewalk.Rope(head_dim=7)
        error = caught.exception
        self.assertEqual((error.code, error.function, error.argument, error.value), ("range", "rope", "head_dim", "7"))
        self.assertIn("an even number", error.allowed)
        rope = ropewalk.Rope(head_dim=16)
        with self.assertRaisesRegex(ropewalk.RopewalkError, "^rotate: `positions"):
            rope.rotate(self.x, numpy.nan)
        with self.assertRaisesRegex(ValueError, "`x` has 3 axes"):
            rope.rotate(self.x[0])
        with self.assertRaisesRegex(ValueError, "`layout` is 'sbhd'"):
            rope.rotate(self.x, layout="sbhd")
        for layout in (5, None, [], b"thd"):
            with self.assertRaisesRegex(ValueError, "`layout` is .*; allowed: 'bshd'"):
                rope.rotate(self.x[0], layout=layout)
            with self.assertRaisesRegex(ValueError, "`layout` is .*; allowed: 'bshd'"):
                rope.rotate_qk(self.x[0], self.x[0], layout=layout)
        with self.assertRaisesRegex(TypeError, "`to_rope` is str; allowed: a Rope"):
            rope.rerotate(self.x, to_positions=3, to_rope="other")
        for wrong in ("many", True, [4]):
            with self.assertRaisesRegex(TypeError, "`context` is .*; allowed: a number"):
                rope.explain(wrong)
            with self.assertRaisesRegex(TypeError, "`sequence_length` is .*; allowed: a number"):
                ropewalk.from_config({"head_dim": 8}, wrong)
        self.assertEqual(rope.explain(numpy.float32(64)), rope.explain(64))
        with self.assertRaisesRegex(TypeError, "`x` is list"):
            rope.rotate([1.0])

    def test_converts_weights(self):
        weight = numpy.arange(2 * 8 * 3, dtype=numpy.float32).reshape(16, 3)
        made = ropewalk.convert_pairing(weight, source="half", target="interleaved", heads=2, head_dim=8)
        expected = weight.reshape(2, 2, 4, 3).swapaxes(1, 2).reshape(16, 3)
        numpy.testing.assert_array_equal(made, expected)
        back = ropewalk.convert_pairing(made, source="interleaved", target="half", heads=2, head_dim=8)
        numpy.testing.assert_array_equal(back, weight)

    def test_is_shared_by_threads_and_freed(self):
        rope = ropewalk.Rope(head_dim=16)
        expected, wrong = rope.rotate(self.x, 5), []

        def work():
            for _ in range(50):
                if not numpy.array_equal(rope.rotate(self.x, 5), expected):
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        for _ in range(1000):
            ropewalk.Rope(head_dim=16)


class ConformanceTest(unittest.TestCase):
    def test_holds_the_vectors(self):
        import run

        import ropewalk_adapter

        for precision, values in (("float32-output", 150000), ("float32", 40000)):
            lines = []
            namespace = ropewalk_adapter.adapter(precision)
            self.assertTrue(run.run(namespace, lines.append), "\n".join(lines))
            missing = [line for line in lines if "not supported" in line]
            self.assertEqual(missing, [])
            compared = sum(int(count) for line in lines for count in re.findall(r"\((\d+)\)", line))
            self.assertGreater(compared, values)


if __name__ == "__main__":
    unittest.main()
