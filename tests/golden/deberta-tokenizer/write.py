#!/usr/bin/env python3
"""Writes tokenizer.json as Transformers 4 and 5 make it of DeBERTa v2's, of made-up words, and the ids by the package `tokenizers`."""
import json
import os

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = "a the rope ship sailor ties knot sea is on and who has it this example about".split()
PIECES = [("[PAD]", 0.0), ("[CLS]", 0.0), ("[SEP]", 0.0), ("[UNK]", 0.0)]
PIECES += [(f"\u2581{word}", -3.0 - i / 16) for i, word in enumerate(WORDS)]
PIECES += [(piece, -5.0 - i / 16) for i, piece in enumerate(["\u2581", "s", "ed", "ing", "r", "o", "p", "e", ".", ",", "?", "!", "\u00e9"])]
PIECES += [(f"\u2581word{i}", -9.0) for i in range(52 - len(PIECES))]
TEXTS = ["the rope", "  The   rope ties\tthe knot.  ", "the sailor, who has it?", "cafe\u0301 rop\u00e9!", "ropes", "", "a\nship on [SEP] sea", "qqq rope", "the ship\u2581sea", "word3 word30", "on[MASK]sea"]
PAIRS = [["the rope ties", "this example is about rope."], ["", "sea"]]


def made(form, punctuation):
    tokenizer = Tokenizer(models.Unigram(PIECES, unk_id=3, byte_fallback=False))
    if form == 4:
        steps = [normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    else:
        steps = [normalizers.Replace(Regex(r"\s{2,}|[\n\r\t]"), " "), normalizers.NFC(), normalizers.Strip(left=False, right=True)]
    tokenizer.normalizer = normalizers.Sequence(steps)
    split = [pre_tokenizers.Punctuation(behavior="isolated")] if punctuation else []
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(split + [pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")])
    tokenizer.decoder = decoders.Metaspace(replacement="\u2581", prepend_scheme="always")
    special = ["[PAD]", "[CLS]", "[SEP]"]
    tokenizer.add_special_tokens([AddedToken(each, normalized=False, special=True) for each in special])
    tokenizer.add_special_tokens([AddedToken("[UNK]", normalized=True, special=True), AddedToken("[MASK]", normalized=False, special=True)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    return tokenizer


for form, punctuation in ((4, False), (5, False), (5, True)):
    tokenizer = made(form, punctuation)
    name = os.path.join(HERE, f"transformers-{form}{'-punctuation' if punctuation else ''}")
    with open(f"{name}.json", "w") as file:
        json.dump({
            "tokenizer": json.loads(tokenizer.to_str()),
            "texts": [{"text": text, "ids": tokenizer.encode(text).ids} for text in TEXTS],
            "pairs": [{"pair": pair, "ids": tokenizer.encode(*pair).ids, "types": tokenizer.encode(*pair).type_ids} for pair in PAIRS],
        }, file, indent=1)
        file.write("\n")
