#include "tokenizer.hpp"

#include <span>

#include "decoder_ids.hpp"
#include "formats/json/value.hpp"
#include "tasks/english/token_ids.hpp"

namespace ropewalk::train {
using namespace trainer::english;

namespace {

constexpr std::string_view splitting = R"(  "normalizer": {
    "type": "BertNormalizer",
    "clean_text": true,
    "handle_chinese_chars": true,
    "strip_accents": null,
    "lowercase": true
  },
  "pre_tokenizer": { "type": "BertPreTokenizer" },
)";

constexpr std::string_view bert_frame = R"(  "post_processor": {
    "type": "TemplateProcessing",
    "single": [
      { "SpecialToken": { "id": "[CLS]", "type_id": 0 } },
      { "Sequence": { "id": "A", "type_id": 0 } },
      { "SpecialToken": { "id": "[SEP]", "type_id": 0 } }
    ],
    "pair": [
      { "SpecialToken": { "id": "[CLS]", "type_id": 0 } },
      { "Sequence": { "id": "A", "type_id": 0 } },
      { "SpecialToken": { "id": "[SEP]", "type_id": 0 } },
      { "Sequence": { "id": "B", "type_id": 1 } },
      { "SpecialToken": { "id": "[SEP]", "type_id": 1 } }
    ],
    "special_tokens": {
      "[CLS]": { "id": "[CLS]", "ids": [2], "tokens": ["[CLS]"] },
      "[SEP]": { "id": "[SEP]", "ids": [3], "tokens": ["[SEP]"] }
    }
  },
)";

constexpr std::string_view decoder_frame = R"(  "post_processor": {
    "type": "TemplateProcessing",
    "single": [
      { "SpecialToken": { "id": "<|endoftext|>", "type_id": 0 } },
      { "Sequence": { "id": "A", "type_id": 0 } }
    ],
    "pair": [
      { "SpecialToken": { "id": "<|endoftext|>", "type_id": 0 } },
      { "Sequence": { "id": "A", "type_id": 0 } },
      { "SpecialToken": { "id": "<|endoftext|>", "type_id": 1 } },
      { "Sequence": { "id": "B", "type_id": 1 } }
    ],
    "special_tokens": {
      "<|endoftext|>": { "id": "<|endoftext|>", "ids": [0], "tokens": ["<|endoftext|>"] }
    }
  },
)";

std::string added_token(std::size_t id, std::string_view token) {
  return "    { \"id\": " + std::to_string(id) + ", \"content\": " + json::quoted(token) +
         ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false, "
         "\"special\": true }";
}

// `special`: the tokens in front of the words.
std::string tokenizer_of(std::span<const std::string_view> words, std::span<const std::string_view> special,
                         std::string_view unknown, std::string_view frame) {
  std::string text = "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n";
  text += "  \"added_tokens\": [\n";
  for (std::size_t id = 0; id < special.size(); ++id) {
    text += added_token(id, special[id]) + (id + 1 < special.size() ? ",\n" : "\n");
  }
  text += "  ],\n";
  text += splitting;
  text += frame;
  text +=
      "  \"decoder\": { \"type\": \"WordPiece\", \"prefix\": \"##\", \"cleanup\": true },\n"
      "  \"model\": {\n    \"type\": \"WordPiece\",\n    \"unk_token\": ";
  text +=
      json::quoted(unknown) +
      ",\n    \"continuing_subword_prefix\": \"##\",\n    \"max_input_chars_per_word\": 100,\n    \"vocab\": "
      "{\n";
  const std::size_t size = special.size() + words.size();
  for (std::size_t id = 0; id < size; ++id) {
    const std::string_view token = id < special.size() ? special[id] : words[id - special.size()];
    text += "      " + json::quoted(token) + ": " + std::to_string(id) + (id + 1 < size ? ",\n" : "\n");
  }
  return text + "    }\n  }\n}\n";
}

}  // namespace

std::string tokenizer_json(std::span<const std::string_view> words) {
  return tokenizer_of(words, special_tokens, special_tokens[unknown_id], bert_frame);
}

std::string decoder_tokenizer_json(const trainer::English& english) {
  return tokenizer_of(english.words(), decoder_special_tokens, decoder_special_tokens[decoder_unknown_id],
                      decoder_frame);
}

}  // namespace ropewalk::train
