"""Encoders and decoders of the Python package, held to tests/golden and to the hashes of tests/pins."""

import copy
import gc
import json
import multiprocessing
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy

import ropewalk

try:
    import tokenizers
except ImportError:
    tokenizers = None

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
PINS = GOLDEN.parent / "pins"
ENCODERS = ("bert-minilm", "bert-labse", "modernbert", "nomic-v1_5", "embeddinggemma", "eurobert", "xlm-roberta-e5")
DECODERS = ("llama", "qwen3", "gemma3", "llama3", "gpt-neox")


def read(path):
    return json.loads(path.read_text())


def fnv(values):
    """FNV-1a of 64 bits, as tests/cpp/hash.hpp has it."""
    state = 0xCBF29CE484222325
    for byte in numpy.ascontiguousarray(values, numpy.float32).tobytes():
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return f"{state:016x}"


def ids_of(vocabulary):
    return [7 * i % vocabulary for i in range(24)]


WORDS = "a the rope ship sailor ties knot sea is on and who has it ? . , un ##s ##ed ##ing".split()


def word_tokenizer(size=53):
    """That of vocabulary() in tests/ts/model-folder.ts: "[CLS] the rope [SEP]" is 2 6 7 3."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    words += [f"word{i}" for i in range(len(words), size)]
    made = Tokenizer(models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return made


def letter_tokenizer(size=61):
    """Ids to letters, for decoders: each word of a text is one token."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    made = Tokenizer(models.WordLevel({f"w{i}": i for i in range(size)}, unk_token="w0"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.decoder = decoders.WordPiece(prefix="##", cleanup=False)
    return made


class EncoderTest(unittest.TestCase):
    def test_equals_the_reference(self):
        for name in ENCODERS:
            model = ropewalk.Encoder(GOLDEN / "encoders" / name)
            for case in read(GOLDEN / "encoders" / name / "expected.json")["cases"]:
                with self.subTest(name, shape=case["shape"]):
                    ids, mask = (numpy.array(case[key]).reshape(case["shape"]) for key in ("input_ids", "attention_mask"))
                    types = case.get("token_type_ids")
                    found = model.forward(ids, types and numpy.array(types).reshape(case["shape"]), mask,
                                          outputs=["hidden_states"])
                    states = found["last_hidden_state"]
                    expected = numpy.array(case["last_hidden_state"]).reshape(states.shape)
                    numpy.testing.assert_allclose(states * mask[..., None], expected * mask[..., None], atol=2e-5)
                    self.assertGreater(len(found["hidden_states"]), 2)

    def test_has_the_bits_of_every_build_in_8_bits(self):
        pins, checked = read(PINS / "int8.json"), 0
        for folder in sorted((GOLDEN / "encoders").iterdir()):
            if folder.name not in pins or not (folder / "config.json").exists():
                continue
            model = ropewalk.Encoder(folder, precision="int8")
            vocabulary = read(folder / "config.json")["vocab_size"]
            self.assertEqual(fnv(model.forward(ids_of(vocabulary))["last_hidden_state"]), pins[folder.name], folder.name)
            checked += 1
        self.assertGreater(checked, 25)

    def test_names_what_it_refuses(self):
        folder = GOLDEN / "encoders" / "bert-minilm"
        for wrong, message in (({"precision": "int4"}, "`precision` is 'int4'; allowed: 'float32' or 'int8'"),
                               ({"threads": 0}, "`threads` is 0; allowed: a whole number of at least 1"),
                               ({"threads": True}, "`threads` is True")):
            self.assertRaisesRegex(ValueError, message, ropewalk.Encoder, folder, **wrong)
        self.assertRaises(ropewalk.RopewalkError, ropewalk.Encoder, folder, threads=1000)
        self.assertRaises(TypeError, ropewalk.Encoder, folder, thread=2)
        self.assertRaisesRegex(FileNotFoundError, "there is no", ropewalk.Encoder, folder / "nowhere")
        self.assertRaisesRegex(FileNotFoundError, "config.json", ropewalk.Encoder, GOLDEN)
        self.assertRaisesRegex(ValueError, "a model's folder", ropewalk.Encoder, folder / "config.json")
        model = ropewalk.Encoder(folder)
        with self.assertRaises(ropewalk.RopewalkError) as caught:
            model.forward([1, 2, 53])
        self.assertEqual((caught.exception.code, caught.exception.argument), ("range", "input_ids[2]"))
        self.assertRaisesRegex(TypeError, "whole numbers", model.forward, [1.5])
        self.assertRaisesRegex(ValueError, "32 bits", model.forward, [2**40])
        self.assertRaisesRegex(ValueError, "attention_mask.shape", model.forward, [1, 2], attention_mask=[1])
        self.assertRaisesRegex(ValueError, "`outputs` is 'logit'", model.forward, [1], outputs=["logit"])
        self.assertRaisesRegex(ValueError, "no tokenizer.json", model.embed, ["a"])
        with tempfile.TemporaryDirectory() as place:
            cut = pathlib.Path(place)
            shutil.copy(folder / "config.json", cut)
            self.assertRaisesRegex(FileNotFoundError, "neither model.safetensors", ropewalk.Encoder, cut)
            (cut / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:-4])
            with self.assertRaises(ropewalk.RopewalkError) as caught:
                ropewalk.Encoder(cut)
            self.assertEqual(caught.exception.code, "malformed")
            (cut / "modules.json").write_text('[{"type": "x.Transformer", "path": "../x"}, {"type": "x.Pooling", "path": "1"}]')
            self.assertRaisesRegex(ValueError, "not within the folder", ropewalk.Encoder, cut)
            (cut / "modules.json").unlink()
            (cut / "model.safetensors").unlink()
            for name in ("../model.safetensors", "/model.safetensors", 1):
                index = {"weight_map": {"a": name}}
                (cut / "model.safetensors.index.json").write_text(json.dumps(index))
                self.assertRaisesRegex(ValueError, "not within the folder", ropewalk.Encoder, cut)
            (cut / "model.safetensors.index.json").write_text('{"a":' * 100_000)
            self.assertRaisesRegex(ValueError, "nested too deeply", ropewalk.Encoder, cut)


class WideTest(unittest.TestCase):
    """A model that is wide enough for its products to be divided among threads."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name)
        config = {"model_type": "bert", "architectures": ["BertModel"], "vocab_size": 64, "hidden_size": 128,
                  "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 512, "hidden_act": "gelu",
                  "max_position_embeddings": 64, "type_vocab_size": 2, "layer_norm_eps": 1e-12}
        (cls.folder / "config.json").write_text(json.dumps(config))
        write_safetensors(cls.folder / "model.safetensors", bert_tensors(config))
        cls.ids = numpy.random.default_rng(2).integers(0, 64, (8, 48))

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def states(self, **options):
        return ropewalk.Encoder(self.folder, **options).forward(self.ids)["last_hidden_state"]

    def test_bits_do_not_depend_on_threads(self):
        for precision in ("float32", "int8"):
            expected = self.states(precision=precision)
            for threads in (2, 3, 8):
                numpy.testing.assert_array_equal(self.states(precision=precision, threads=threads), expected)

    def test_bits_in_8_bits_do_not_depend_on_the_architecture(self):
        before, found = ropewalk.architecture(), {}
        try:
            for name in ("avx512", "avx2", "sse2", "neon"):
                try:
                    ropewalk.use_architecture(name)
                except ropewalk.RopewalkError:
                    continue
                found[name] = fnv(self.states(precision="int8", threads=2))
        finally:
            ropewalk.use_architecture(before)
        self.assertEqual(len(set(found.values())), 1, found)

    def test_threads_of_the_program_may_share_it(self):
        model = ropewalk.Encoder(self.folder, threads=2)
        expected, wrong = model.forward(self.ids)["last_hidden_state"], []

        def work():
            for _ in range(5):
                if not numpy.array_equal(model.forward(self.ids)["last_hidden_state"], expected):
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_forked_process_has_it_still(self):
        model = ropewalk.Encoder(self.folder, threads=2)
        expected = fnv(model.forward(self.ids)["last_hidden_state"])
        context = multiprocessing.get_context("fork")
        receive, send = context.Pipe(False)

        def work():
            nonlocal model
            send.send(fnv(model.forward(self.ids)["last_hidden_state"]))
            del model
            gc.collect()
            send.send("gone")

        child = context.Process(target=work)
        child.start()
        self.assertTrue(receive.poll(60))
        self.assertEqual((receive.recv(), receive.poll(60) and receive.recv()), (expected, "gone"))
        child.join(60)
        self.assertEqual(child.exitcode, 0)

    def test_is_pickled_as_its_path(self):
        model = ropewalk.Encoder(self.folder, precision="int8", threads=2)
        made = pickle.loads(pickle.dumps(model))
        self.assertEqual(repr(made), repr(model))
        numpy.testing.assert_array_equal(made.forward(self.ids)["last_hidden_state"], self.states(precision="int8"))
        self.assertEqual(repr(copy.copy(model)), repr(model))

    @unittest.skipUnless(sys.platform == "linux", "counts the kilobytes of Linux")
    def test_memory_stands_still(self):
        import resource

        def used():
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        for _ in range(5):
            self.states(threads=2)
        before = used()
        for _ in range(40):
            self.states(threads=2)
        self.assertLess(used() - before, 32 << 10)


def bert_tensors(config):
    random, size, inner = numpy.random.default_rng(1), config["hidden_size"], config["intermediate_size"]

    def weight(*shape):
        return (random.standard_normal(shape) * 0.08).astype(numpy.float32)

    def norm(name):
        return {f"{name}.LayerNorm.weight": numpy.ones(size, numpy.float32), f"{name}.LayerNorm.bias": weight(size)}

    def linear(name, outputs, inputs):
        return {f"{name}.weight": weight(outputs, inputs), f"{name}.bias": weight(outputs)}

    tensors = {"embeddings.word_embeddings.weight": weight(config["vocab_size"], size),
               "embeddings.position_embeddings.weight": weight(config["max_position_embeddings"], size),
               "embeddings.token_type_embeddings.weight": weight(2, size), **norm("embeddings")}
    for i in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{i}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            tensors.update(linear(f"{layer}.attention.{part}", size, size))
        tensors.update({**norm(f"{layer}.attention.output"), **norm(f"{layer}.output"),
                        **linear(f"{layer}.intermediate.dense", inner, size),
                        **linear(f"{layer}.output.dense", size, inner)})
    return tensors


def write_safetensors(path, tensors):
    at, header = 0, {}
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(each.tobytes() for each in tensors.values()))


@unittest.skipIf(tokenizers is None, "no package `tokenizers` here")
class TextTest(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def model(self, name, prompts=None, **options):
        """A golden encoder with a tokenizer.json beside it."""
        folder = pathlib.Path(self.place.name) / f"{name}-{len(os.listdir(self.place.name))}"
        shutil.copytree(GOLDEN / "encoders" / name, folder)
        word_tokenizer().save(str(folder / "tokenizer.json"))
        if prompts is not None:
            (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
        return ropewalk.Encoder(folder, **options)

    def test_embeds_as_every_build_does(self):
        model = self.model("bert-labse", precision="int8", threads=2)
        self.assertEqual(model.encode("The rope"), [2, 6, 7, 3])
        self.assertEqual(fnv(model.embed("the rope")), read(PINS / "int8.json")["the rope"])
        self.assertEqual(model.decode([2, 6, 7, 3]), "the rope")

    def test_bits_do_not_depend_on_the_company(self):
        model = self.model("bert-minilm")
        texts = ["the rope", "a sailor ties a knot", "the ship", "sea", "who has it?", "the sea is on the ship"] * 9
        vectors = model.embed(texts)
        self.assertEqual((vectors.shape, vectors.dtype), ((54, 32), numpy.float32))
        for text, vector in zip(texts[:6], vectors):
            numpy.testing.assert_array_equal(model.embed(text), vector)
            self.assertAlmostEqual(float(numpy.linalg.norm(vector)), 1, places=5)
        self.assertEqual(model.embed([]).shape, (0, 32))

    def test_embeds_as_it_is_told(self):
        model = self.model("bert-minilm", prompts={"query": "a knot ", "passage": "the sea "})
        states = model.forward([2, 6, 7, 3])["last_hidden_state"][0]
        for pooling, expected in (("cls", states[0]), ("mean", states.mean(0)), ("max", states.max(0)), ("last", states[-1])):
            found = model.embed("the rope", pooling=pooling, normalize=False)
            numpy.testing.assert_allclose(found, expected, atol=1e-5)
        found = model.embed("the rope", normalize=True, dimensions=5)
        self.assertEqual(found.shape, (5,))
        self.assertAlmostEqual(float(numpy.linalg.norm(found)), 1, places=5)
        numpy.testing.assert_array_equal(model.embed("rope", prompt="query"), model.embed("a knot rope"))
        numpy.testing.assert_array_equal(model.embed("rope", prefix="the sea "), model.embed("the sea rope"))
        for wrong, message in (({"prompt": "document"}, "`prompt` is 'document'; allowed: 'query', 'passage'"),
                               ({"prompt": "query", "prefix": ""}, "allowed: one of them"),
                               ({"pooling": "median"}, "`pooling` is 'median'"), ({"dimensions": 33}, "1 to 32"),
                               ({"dimensions": 0}, "at least 1")):
            self.assertRaisesRegex(ValueError, message, model.embed, ["rope"], **wrong)
        self.assertRaisesRegex(TypeError, r"`texts\[1\]` is 7", model.embed, ["rope", 7])
        self.assertRaisesRegex(TypeError, "`texts` is int", model.embed, 7)

    def test_cuts_what_is_too_long(self):
        model = self.model("bert-minilm")
        self.assertEqual(model.max_tokens, 40)
        ids = model.encode(" ".join(["rope"] * 100))
        self.assertEqual((len(ids), ids[0], ids[-1]), (40, 2, 3))
        numpy.testing.assert_array_equal(model.embed("rope " * 100), model.embed("rope " * 38))
        self.assertEqual(len(model.encode("rope")), 3)

    def test_ranks_by_cosine_with_its_prompts(self):
        model = self.model("bert-minilm", prompts={"query": "a knot ", "passage": "the sea "})
        documents = ["the ship", "who has it?", "the rope", "the ship"]
        ranked = model.rank("rope", documents)
        query = model.embed("a knot rope").astype(float)
        rows = model.embed([f"the sea {each}" for each in documents]).astype(float)
        cosines = rows @ query / numpy.linalg.norm(rows, axis=1) / numpy.linalg.norm(query)
        for index, score in ranked:
            self.assertAlmostEqual(score, cosines[index], places=12)
        self.assertEqual([each.index for each in ranked], sorted(range(4), key=lambda i: (-ranked_of(ranked, i), i)))
        self.assertEqual(model.rank("rope", documents, top_k=2), ranked[:2])
        self.assertEqual(model.rank("rope", []), [])

    def test_ranks_by_a_cross_encoder(self):
        model = self.model("bert-reranker")
        self.assertIn("relevance", model.gives)
        documents = ["the ship is on the sea", "rope", "a knot and a rope"]
        ranked = model.rank("who ties a rope?", documents)
        for index, score in ranked:
            ids = model.encode("who ties a rope?", documents[index])
            first = ids.index(3) + 1
            types = [0] * first + [1] * (len(ids) - first)
            self.assertEqual(score, float(model.forward(ids, types)["relevance"].item()))
        self.assertEqual([score for _, score in ranked], sorted((score for _, score in ranked), reverse=True))
        self.assertRaisesRegex(ValueError, "it needs a model that gives", self.model("bert-tokens").rank, "a", ["b"])

    def test_takes_a_tokenizer(self):
        given = word_tokenizer()
        given.enable_truncation(3)
        model = ropewalk.Encoder(GOLDEN / "encoders" / "bert-labse", precision="int8", tokenizer=given)
        self.assertEqual(fnv(model.embed("the rope")), read(PINS / "int8.json")["the rope"])
        self.assertEqual(len(given.encode("the rope").ids), 3)
        self.assertRaisesRegex(TypeError, "tokenizers.Tokenizer", ropewalk.Encoder, GOLDEN / "encoders" / "bert-labse", tokenizer=7)

    def test_generates_text(self):
        model = ropewalk.Decoder(GOLDEN / "decoders" / "llama", tokenizer=letter_tokenizer())
        golden = read(GOLDEN / "decoders" / "llama" / "expected.json")["greedy"]
        prompt = " ".join(f"w{i}" for i in golden["prompt"])
        expected = "".join(f" w{i}" for i in golden["tokens"])
        generation = model.generate(prompt, max_tokens=20)
        self.assertEqual((generation.text(), generation.finish_reason), (expected, "length"))
        stopped = model.generate(prompt, max_tokens=20, stop=["w34 w6", "w99"])
        self.assertEqual((stopped.text(), stopped.finish_reason), (expected[: expected.index("w34")], "stop"))
        # A beginning of a text that ends it is held back, and given out when nothing follows.
        held = model.generate(prompt, max_tokens=2, stop=["w15 w99"])
        self.assertEqual((held.text(), held.finish_reason), (" w15 w15", "length"))
        self.assertRaisesRegex(ValueError, "not empty", model.generate, prompt, stop=[""])


def ranked_of(ranked, index):
    return next(score for i, score in ranked if i == index)


class DecoderTest(unittest.TestCase):
    def test_equals_the_reference(self):
        for name in DECODERS:
            with self.subTest(name):
                model = ropewalk.Decoder(GOLDEN / "decoders" / name, context=64)
                golden = read(GOLDEN / "decoders" / name / "expected.json")
                expected = numpy.array(golden["logits"]).reshape(len(golden["ids"]), -1)
                cache = model.cache()
                numpy.testing.assert_allclose(cache.feed(golden["ids"], all=True), expected, atol=1e-4)
                self.assertEqual((len(cache), cache.tokens.tolist()), (30, golden["ids"]))
                cache.trim(10)
                numpy.testing.assert_allclose(cache.feed(golden["ids"][10:]), expected[-1], atol=1e-4)
                greedy = golden["greedy"]
                generation = model.generate(greedy["prompt"], max_tokens=20)
                found = [token.id for token in generation]
                stops = golden["greedy"].get("stops_after", 20)
                self.assertEqual(found[:stops], greedy["tokens"][:stops])

    def test_has_the_bits_of_every_build_in_8_bits(self):
        pins, checked = read(PINS / "int8-decoders.json"), 0
        folders = [each for each in sorted((GOLDEN / "decoders").iterdir()) if each.name in pins]
        for path in [*folders, *(GOLDEN / "gguf").glob("*.gguf")]:
            if path.name not in pins:
                continue
            model = ropewalk.Decoder(path, precision="int8", context=64, threads=1 + checked % 2)
            cache, ids = model.cache(), ids_of(model.vocabulary)
            cache.feed(ids[:23])
            self.assertEqual(fnv(cache.feed(ids[23:])), pins[path.name], path.name)
            checked += 1
        self.assertGreater(checked, 15)

    def test_samples_as_the_reference_keeps(self):
        model = ropewalk.Decoder(GOLDEN / "decoders" / "qwen3", context=64)
        cache = model.cache()
        logits = cache.feed([3, 1, 4])
        wide = logits.astype(float)
        share = wide - wide.max() - numpy.log(numpy.exp(wide - wide.max()).sum())
        seen = set()
        for drawn in range(200):
            token, log_probability = cache.sample(temperature=1, top_k=3, seed=5, drawn=drawn)
            seen.add(token)
            self.assertAlmostEqual(log_probability, share[token], places=6)
        self.assertEqual(seen, set(numpy.argsort(-wide)[:3].tolist()))
        self.assertEqual(cache.sample()[0], int(wide.argmax()))
        draws = [[token.id for token in model.generate([3, 1, 4], max_tokens=12, temperature=1.5, seed=seed)] for seed in (1, 1, 2)]
        self.assertEqual(draws[0], draws[1])
        self.assertNotEqual(draws[0], draws[2])
        for wrong in ({"top_p": 2}, {"temperature": -1}, {"min_p": 2}):
            self.assertRaises(ropewalk.RopewalkError, cache.sample, **wrong)
        self.assertRaises(ValueError, cache.sample, seed=-1)
        self.assertRaises(TypeError, cache.sample, temperature="1")

    def test_caches_are_cut_copied_and_saved(self):
        model = ropewalk.Decoder(GOLDEN / "decoders" / "llama", context=64)
        for step in read(GOLDEN / "decoders" / "llama" / "expected.json")["scripts"]["drop"]:
            if step["op"] == "feed" and "cache" not in locals():
                cache = model.cache()
            if step["op"] == "feed":
                logits = cache.feed(step["ids"], all=step.get("rows") == "all")
                numpy.testing.assert_allclose(logits.ravel(), step["logits"], atol=1e-4)
            elif step["op"] == "drop":
                cache.drop(step["from"], step["to"])
            else:
                self.fail(step["op"])
            self.assertEqual(len(cache), step["length_after"])
        copied, restored = cache.fork(), model.restore(cache.save())
        expected = cache.feed([5])
        del model
        gc.collect()
        for other in (copied, restored):
            numpy.testing.assert_array_equal(other.feed([5]), expected)
        with self.assertRaises(ropewalk.RopewalkError) as caught:
            cache.feed([61])
        self.assertEqual(caught.exception.code, "range")
        self.assertEqual(len(cache), len(copied))

    def test_ends_where_it_should(self):
        folder = GOLDEN / "decoders" / "llama3"
        golden = read(folder / "expected.json")["greedy"]
        model = ropewalk.Decoder(folder, context=64)
        self.assertEqual(model.eos, frozenset(read(folder / "generation_config.json")["eos_token_id"]))
        generation = model.generate(golden["prompt"], max_tokens=20)
        tokens = [token.id for token in generation]
        self.assertEqual(generation.finish_reason, "eos")
        self.assertIn(tokens[-1], model.eos)
        small = ropewalk.Decoder(GOLDEN / "decoders" / "llama", context=10)
        cache = small.cache(dtype="float16")
        generation = small.generate([1, 2, 3], cache=cache)
        self.assertEqual(len(list(generation)), 8)
        self.assertEqual((generation.finish_reason, len(cache)), ("context", 10))
        none = small.generate([1, 2], max_tokens=0)
        self.assertEqual((list(none), none.finish_reason), ([], "length"))
        self.assertRaisesRegex(ValueError, "allowed: at most `context` = 10", small.generate, [1], cache=cache)
        self.assertRaisesRegex(TypeError, "a cache of this decoder", small.generate, [1], cache=model.cache())
        self.assertRaisesRegex(ValueError, "no tokenizer.json", small.generate, "a text")

    def test_is_pickled_as_its_path(self):
        model = ropewalk.Decoder(GOLDEN / "gguf" / "llama-q8_0.gguf", context=32)
        made = pickle.loads(pickle.dumps(model))
        numpy.testing.assert_array_equal(made.cache().feed([1, 2]), model.cache().feed([1, 2]))


class DocumentTest(unittest.TestCase):
    @unittest.skipIf(tokenizers is None, "no package `tokenizers` here")
    def test_the_programs_of_the_document(self):
        site = GOLDEN.parent.parent / "web" / "public"
        document = (GOLDEN.parent.parent / "docs" / "c-and-python.md").read_text()
        programs = re.findall(r"^```python\n(.*?)^```", document, re.S | re.M)
        self.assertEqual(len(programs), 4)
        with tempfile.TemporaryDirectory() as place:
            for name, folder in (("minilm", "embedder"), ("smollm2", "decoder")):
                shutil.copytree(site / folder, pathlib.Path(place) / "models" / name)
            ran = subprocess.run([sys.executable, "-c", "\n".join(programs)], cwd=place, capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertRegex(ran.stdout, r"^[01] \d\.\d+\n[01] -?\d\.\d+\n.+(eos|stop|length|context)\n")


class IndexTest(unittest.TestCase):
    """The JavaScript package reads the file: test_search.py."""

    def test_refuses_what_no_index_can_hold(self):
        with tempfile.TemporaryDirectory() as place:
            path = pathlib.Path(place) / "docs.index"
            rows = numpy.ones((2, 3))
            for wrong, message in (((numpy.ones(3), ["a"]), "vectors.shape"), ((rows, ["a"]), "`ids` has 1"),
                                   ((rows, ["a", "a"]), "different"), ((rows * numpy.nan, ["a", "b"]), "not finite"),
                                   ((rows, ["a", "b"], [{}]), "len\\(fields\\)")):
                self.assertRaisesRegex(ValueError, message, ropewalk.write_index, path, *wrong)
            self.assertEqual(os.listdir(place), [])
            self.assertRaisesRegex(TypeError, "`model` is 5", ropewalk.write_index, path, rows, ["a", "b"], model=5)
            ropewalk.write_index(path, rows, ["a", "ä"], [{"title": "One"}, {}], model="minilm")
            self.assertEqual(os.listdir(place), ["docs.index"])
            data = path.read_bytes()
            size = int.from_bytes(data[8:12], "little")
            header = json.loads(data[12 : 12 + size])
            self.assertEqual((header["ids"], header["model"]), (["a", "ä"], "minilm"))
            numpy.testing.assert_array_equal(numpy.frombuffer(data[-24:], "<f4").reshape(2, 3), rows)


if __name__ == "__main__":
    unittest.main()
