#include "rope/options_to_json.hpp"

#include "options/rope.hpp"
#include "options/write.hpp"

namespace ropewalk {
namespace {

std::string axes_json(const Axes& axes) {
  options::Writer writer;
  if (!axes.sections.empty()) options::add_value(writer, "sections", axes.sections);
  const Axes::PairOrder& order = axes.order;
  writer.add("order", order.list.empty() ? options::json_of(order.word) : options::json_of(order.list));
  if (axes.pair_within != Axes::PairWithin::head) options::add_value(writer, "pair_within", axes.pair_within);
  if (axes.restart_frequencies) options::add_value(writer, "restart_frequencies", true);
  return std::move(writer).object();
}

}  // namespace

std::string rope_options_to_json(const RopeOptions& rope) {
  // The text is for people, so common defaults are left out.
  options::Writer writer;
  options::add_value(writer, "head_dim", rope.head_dim);
  options::add_value(writer, "rotary_dim", rope.rotary_dim);
  if (rope.rotary_offset != 0) options::add_value(writer, "rotary_offset", rope.rotary_offset);
  options::add_value(writer, "pairing", rope.pairing);
  options::add_value(writer, "frequencies", rope.frequencies);
  if (rope.axes) writer.add("axes", axes_json(*rope.axes));
  options::add_value(writer, "xpos", rope.xpos);
  options::add_value(writer, "query_scale", rope.query_scale);
  if (rope.angles != Angles::exact) options::add_value(writer, "angles", rope.angles);
  return std::move(writer).object();
}

}  // namespace ropewalk
