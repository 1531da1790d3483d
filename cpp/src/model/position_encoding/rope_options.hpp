#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// How the heads of a model rotate: as `given`, or interleaved with theta_j = 10000^(-2j/D). range error for
/// a head dimension that is odd or not the model's, or that of the layers in question, and for positions of several axes.
/// `encoding` is named in errors.
Result<RopeOptions> rope_options(const Spec& spec, const std::optional<RopeOptions>& given,
                                 std::string_view encoding, std::optional<std::size_t> of_layers = {});

/// How a model takes its ropes, whatever their rules say.
struct Sense {
  /// True if a head rotates by minus its position.
  bool backwards = false;
  /// True if no rope changes the length of a vector, since a norm follows: the magnitude is 1.
  bool keeps_length = false;
};
Sense sense_of(const Spec& spec);

/// The rope of `options` in that sense.
Result<Rope> rope_in(Sense sense, const RopeOptions& options);

/// As rope_options, with theta = 0: nothing rotates.
Result<RopeOptions> still_options(const Spec& spec, std::string_view encoding);

}  // namespace ropewalk::model::position_encoding
