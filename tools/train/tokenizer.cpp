#include "tokenizer.hpp"

#include "formats/json/value.hpp"
#include "tasks/english/token_ids.hpp"

namespace ropewalk::train {
using namespace trainer::english;

namespace {

constexpr std::string_view pipeline = R"(  "normalizer": {
    "type": "BertNormalizer",
    "clean_text": true,
    "handle_chinese_chars": true,
    "strip_accents": null,
    "lowercase": true
  },
  "pre_tokenizer": { "type": "BertPreTokenizer" },
  "post_processor": {
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
  "decoder": { "type": "WordPiece", "prefix": "##", "cleanup": true },
)";

std::string added_token(std::size_t id) {
  return "    { \"id\": " + std::to_string(id) + ", \"content\": " + json::quoted(special_tokens[id]) +
         ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false, "
         "\"special\": true }";
}

}  // namespace

std::string tokenizer_json(const trainer::English& english) {
  std::string text = "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n";
  text += "  \"added_tokens\": [\n";
  for (std::size_t id = 0; id < special_tokens.size(); ++id) {
    text += added_token(id) + (id + 1 < special_tokens.size() ? ",\n" : "\n");
  }
  text += "  ],\n";
  text += pipeline;
  text +=
      "  \"model\": {\n    \"type\": \"WordPiece\",\n    \"unk_token\": \"[UNK]\",\n"
      "    \"continuing_subword_prefix\": \"##\",\n    \"max_input_chars_per_word\": 100,\n    \"vocab\": "
      "{\n";
  const auto size = static_cast<std::int32_t>(vocab_size(english));
  for (std::int32_t id = 0; id < size; ++id) {
    text += "      " + json::quoted(token_of(english, id)) + ": " + std::to_string(id) +
            (id + 1 < size ? ",\n" : "\n");
  }
  return text + "    }\n  }\n}\n";
}

}  // namespace ropewalk::train
