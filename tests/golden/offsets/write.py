#!/usr/bin/env python3
"""Writes ten small tokenizers of all kinds, and the tokens and offsets that the package `tokenizers` 0.23.3 gives for some texts.

Needs `sentencepiece` 0.2 besides, which makes the table of the `Precompiled` step.
"""
import base64
import json
import os
import tempfile

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = os.path.dirname(os.path.abspath(__file__))

CORPUS = [
    "The captain gave the rope to the sailor, who tied a knot in it.",
    "Anna Berg wrote to Tom from Riga; Tom wrote back on 12 May 2024.",
    "Der Kapitän wünscht größere Schiffe. Le café est très cher à la fête.",
    "``Quoted'' words, 3.14 numbers & symbols: don't, they're, it's!",
    "船が港を出た。 선장은 배를 떠났다. Корабль вышел из порта.",
] * 4

TEXTS = [
    "The captain gave the rope to the sailor.",
    "  two  spaces,\ttabs\nand lines \r\n ",
    "Der Kapitän wünscht größere Schiffe.",
    "cafe\u0301 fe\u0302te Kapita\u0308n",
    "u\u0323\u0308 x\u0308\u0323y",
    "a \U0001f600 smile \U0001f468\u200d\U0001f469\u200d\U0001f467 family \U0001f1e9\U0001f1ea flag",
    "船が港を出た。rope船rope",
    "선장은 \u1109\u1165\u11ab장 배",
    "Корабль вышел из порта",
    "\ufb01sh \uff21\uff22\uff23 x\u00b2 \u2460 \u2126 \u00bd",
    "\u0130stanbul \u00c9COLE STRASSE \u1e9e \u0391\u03a3",
    "``Quoted'' words -- don't, they're it's!",
    "3.14 and 2024-05-12, 1,000,000",
    "the [MASK] gave <mask> to  <mask>  Tom<mask>.",
    "a\u0000b\u0007c\ufffdd\u200be\u00adf",
    "no\u00a0break\u3000wide\u2003space",
    "\U0001d54f rare \U0001d54f letters\U0001d54f",
    "\U00020000\U00020001",
    "नमस्ते สวัสดี שָׁלוֹם مرحبا",
    "qzxqzx \u2603\u2604 unknown \u2606",
    "wordwordword" * 9,
    "\u2581 under \u2581score\u2581",
    " ",
    "",
    "x",
]
PAIRS = [["who gave the rope?", "The Kapita\u0308n, \U0001f600 of Riga"], ["a", "  b"]]

MASK = AddedToken("<mask>", lstrip=True, special=True, normalized=False)


def trained(tokenizer, trainer):
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def framed(tokenizer, first, last):
    ids = [(each, tokenizer.token_to_id(each)) for each in (first, last)]
    return processors.TemplateProcessing(single=f"{first} $A {last}", pair=f"{first} $A {last} $B:1 {last}:1", special_tokens=ids)


def word_piece(lower):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=60))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained(tokenizer, trainers.WordPieceTrainer(vocab_size=220, special_tokens=special, show_progress=False))
    tokenizer.post_processor = framed(tokenizer, "[CLS]", "[SEP]")
    return tokenizer


def byte_level(special, **options):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(**options)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return trained(tokenizer, trainers.BpeTrainer(vocab_size=330, special_tokens=special, initial_alphabet=alphabet, show_progress=False))


def gpt2():
    tokenizer = byte_level(["<|endoftext|>"], add_prefix_space=False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def roberta():
    tokenizer = byte_level(["<s>", "</s>"], add_prefix_space=True)
    tokenizer.add_special_tokens([MASK])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0), trim_offsets=True, add_prefix_space=True)
    return tokenizer


QWEN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def qwen():
    tokenizer = byte_level(["<|begin|>", "<|end|>"], add_prefix_space=False)
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN), behavior="isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), framed(tokenizer, "<|begin|>", "<|end|>")])
    return tokenizer


def clip():
    tokenizer = Tokenizer(models.BPE(unk_token="<|end|>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    split = Regex(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(split, behavior="removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trained(tokenizer, trainers.BpeTrainer(
        vocab_size=600, special_tokens=["<|start|>", "<|end|>"], initial_alphabet=alphabet, end_of_word_suffix="</w>", show_progress=False))
    # The trainer makes the ends of words only of letters that it saw there.
    state = json.loads(tokenizer.to_str())
    for letter in sorted(alphabet):
        state["model"]["vocab"].setdefault(f"{letter}</w>", len(state["model"]["vocab"]))
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.post_processor = processors.RobertaProcessing(("<|end|>", 1), ("<|start|>", 0), trim_offsets=False, add_prefix_space=False)
    return tokenizer


def llama():
    special = ["<unk>", "<s>", "</s>"]
    byte_tokens = [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    # Words, so that the trainer does not merge whole sentences.
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trained(tokenizer, trainers.BpeTrainer(vocab_size=430, special_tokens=special + byte_tokens, show_progress=False))
    tokenizer.pre_tokenizer = None
    state = json.loads(tokenizer.to_str())
    state["added_tokens"] = [each for each in state["added_tokens"] if each["content"] in special]
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    return tokenizer


def unigram(normalizer, scheme, special):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme)
    trained(tokenizer, trainers.UnigramTrainer(vocab_size=200, special_tokens=special, unk_token="<unk>", show_progress=False))
    return tokenizer


def albert():
    steps = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    tokenizer = unigram(normalizers.Sequence(steps), "always", ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = framed(tokenizer, "[CLS]", "[SEP]")
    return tokenizer


def table():
    """SentencePiece's table for the characters of the texts, since that of all Unicode has 240 KB."""
    import unicodedata
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2

    rules = {}
    parts = [letter + mark for letter in "aeou" for mark in "\u0301\u0302\u0308"] + ["\u1109\u1165\u11ab"]
    for part in [*parts, *set("".join(TEXTS))]:
        other = unicodedata.normalize("NFKC", part)
        if part.isspace() or part in "\u200b\u200d\u2581\ufffd":
            other = " "
        if part == "\u0007":
            other = ""
        if other != part and part != "\u0000":
            rules[part] = other
    with tempfile.TemporaryDirectory() as folder:
        tsv, corpus = os.path.join(folder, "rules.tsv"), os.path.join(folder, "corpus.txt")
        code = lambda letters: " ".join(f"{ord(letter):x}" for letter in letters)
        with open(tsv, "w") as file:
            file.writelines(f"{code(each)}\t{code(other)}\n" for each, other in sorted(rules.items()))
        with open(corpus, "w") as file:
            file.write("\n".join(CORPUS))
        sentencepiece.SentencePieceTrainer.train(
            input=corpus, model_prefix=os.path.join(folder, "m"), model_type="char", vocab_size=95, hard_vocab_limit=False, normalization_rule_tsv=tsv, minloglevel=2)
        proto = sentencepiece_model_pb2.ModelProto()
        with open(os.path.join(folder, "m.model"), "rb") as file:
            proto.ParseFromString(file.read())
    return proto.normalizer_spec.precompiled_charsmap


def xlm_roberta():
    steps = [normalizers.Precompiled(table()), normalizers.Replace(Regex(" {2,}"), " ")]
    tokenizer = unigram(normalizers.Sequence(steps), "always", ["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.add_special_tokens([MASK])
    tokenizer.post_processor = framed(tokenizer, "<s>", "</s>")
    return tokenizer


def deberta():
    steps = [normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    tokenizer = unigram(normalizers.Sequence(steps), "first", ["[PAD]", "[CLS]", "[SEP]", "<unk>", "[MASK]"])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Punctuation(behavior="isolated"), pre_tokenizers.Metaspace(prepend_scheme="always")])
    tokenizer.post_processor = framed(tokenizer, "[CLS]", "[SEP]")
    return tokenizer


def utf16(text):
    """The index among UTF-16 code units of each code point, and the end."""
    ends = [0]
    for letter in text:
        ends.append(ends[-1] + (2 if ord(letter) > 0xFFFF else 1))
    return ends


def encoded(tokenizer, text, pair=None):
    found = tokenizer.encode(text) if pair is None else tokenizer.encode(text, pair)
    units = [utf16(text), utf16(pair or "")]
    offsets = [
        [0, 0] if of is None else [units[of][start], units[of][end]] for of, (start, end) in zip(found.sequence_ids, found.offsets)]
    return {"ids": found.ids, "offsets": offsets}


MAKERS = {
    "wordpiece-uncased": lambda: word_piece(True), "wordpiece-cased": lambda: word_piece(False), "gpt2": gpt2, "roberta": roberta,
    "qwen": qwen, "clip": clip, "llama": llama, "albert": albert, "xlm-roberta": xlm_roberta, "deberta": deberta,
}

for name, make in MAKERS.items():
    tokenizer = make()
    with open(os.path.join(HERE, f"{name}.json"), "w") as file:
        json.dump({
            "tokenizer": json.loads(tokenizer.to_str()),
            "texts": [{"text": text, **encoded(tokenizer, text)} for text in TEXTS],
            "pairs": [{"pair": pair, **encoded(tokenizer, *pair)} for pair in PAIRS],
        }, file, separators=(",", ":"))
        file.write("\n")
