// The data of the paraphrases: what can happen, and the ways to say it.
#pragma once

#include <string_view>

namespace ropewalk::train {

extern const std::string_view paraphrase_frames, paraphrase_senses, paraphrase_synonyms;

}  // namespace ropewalk::train
