// A cache as bytes: a header that says whose it is, then tokens, runs, the stored keys and values of each layer,
// dense, and the states of layers that have one. Little-endian, as all machines are that this runs on; the last eight
// bytes are a checksum.

#include <bit>
#include <cstring>

#include "base/text.hpp"
#include "decoder/state.hpp"
#include "rope/options_from_json.hpp"
#include "rope/options_to_json.hpp"

namespace ropewalk::decoder {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t magic = 0x32306b6c61777072u;  // "rpwalk02"

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t value = 0xcbf29ce484222325u;
  for (const std::byte each : bytes) value = (value ^ static_cast<std::uint8_t>(each)) * 0x100000001b3u;
  return value;
}

class Writer {
 public:
  void bytes(const void* data, std::size_t size) {
    const auto* const first = static_cast<const std::byte*>(data);
    out.insert(out.end(), first, first + size);
  }
  void number(std::uint64_t value) { bytes(&value, sizeof(value)); }
  void text(const std::string& value) {
    number(value.size());
    bytes(value.data(), value.size());
  }
  std::vector<std::byte> out;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool bytes(void* data, std::size_t size) {
    if (size > rest_.size()) return ok = false;
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_ = rest_.subspan(size);
    return true;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    bytes(&value, sizeof(value));
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (!ok || size > rest_.size()) return ok = false, std::string();
    std::string value(static_cast<std::size_t>(size), '\0');
    bytes(value.data(), value.size());
    return value;
  }
  std::size_t left() const { return rest_.size(); }
  bool ok = true;

 private:
  std::span<const std::byte> rest_;
};

/// Bytes of the keys, values and states of all layers.
std::size_t bytes_of(const Layout& layout, std::size_t tokens) {
  std::size_t rows = 0;
  for (std::size_t l = 0; l < layout.layers(); ++l) rows += layout.row(l);
  return (rows * tokens * 2 + (tokens == 0 ? 0 : layout.states.back())) * sizeof(float);
}

Status damaged() { return wrong_type("restore", "bytes", "damaged", "bytes that `save` returned"); }

}  // namespace

Result<std::vector<std::byte>> save(const Cache& cache, Decoder::State& decoder) {
  const Layout& layout = cache.layout();
  const std::size_t tokens = cache.length(), widest = layout.widest_row(), data = bytes_of(layout, tokens);
  ROPEWALK_TRY(check_memory(data + (std::size_t{1} << 16) + tokens * 32, "save"));
  Buffer<float> memory;
  ROPEWALK_TRY(memory.allocate(2 * nn::cache_block * widest, "save"));
  Writer writer;
  writer.out.reserve(data + (std::size_t{1} << 15));
  for (const std::uint64_t each :
       {magic, decoder.hash(), static_cast<std::uint64_t>(decoder.precision),
        static_cast<std::uint64_t>(cache.stored()), static_cast<std::uint64_t>(cache.type()),
        std::uint64_t{tokens}, std::uint64_t{cache.turns()}, std::uint64_t{cache.drops()},
        std::uint64_t{cache.unrotated()}, std::uint64_t{cache.appended()},
        std::uint64_t{cache.ropes()->options().size()}, std::uint64_t{cache.runs().all().size()}}) {
    writer.number(each);
  }
  for (std::size_t r = 0; r < cache.ropes()->size(); ++r) {
    writer.text(rope_options_to_json(cache.ropes()->options()[r]));
  }
  writer.number(std::bit_cast<std::uint64_t>(cache.ropes()->length()));
  for (const Run& run : cache.runs().all()) {
    writer.number(run.end);
    writer.number(static_cast<std::uint64_t>(run.shift));
  }
  writer.bytes(cache.tokens().data(), tokens * sizeof(std::int32_t));
  for (std::size_t l = 0; l < layout.layers(); ++l) {
    for (std::size_t at = 0; at < tokens; at += nn::cache_block) {
      const std::size_t count = std::min(nn::cache_block, tokens - at), row = layout.row(l);
      float *const k = memory.data(), *const v = k + nn::cache_block * widest;
      cache.read(l, at, count, k, v);
      writer.bytes(k, count * row * sizeof(float));
      writer.bytes(v, count * row * sizeof(float));
    }
  }
  if (cache.states() != nullptr) writer.bytes(cache.states()->data(), layout.states.back() * sizeof(float));
  writer.number(checksum(writer.out));
  return std::move(writer.out);
}

/// Positions beyond it are of no cache: angles would not be exact.
constexpr std::int64_t farthest = std::int64_t{1} << 40;

/// True if keys that one rotated can be rotated further by the other.
bool rotates_alike(const RopeOptions& a, const RopeOptions& b) {
  return a.head_dim == b.head_dim && a.rotary_dim.value_or(a.head_dim) == b.rotary_dim.value_or(b.head_dim) &&
         a.rotary_offset == b.rotary_offset && a.pairing == b.pairing;
}

Result<Cache> restore(std::span<const std::byte> bytes, Decoder::State& decoder) {
  const Layout& layout = *decoder.layout;
  if (bytes.size() < 16) return damaged();
  Reader end(bytes.last(8)), reader(bytes.first(bytes.size() - 8));
  if (reader.number() != magic || end.number() != checksum(bytes.first(bytes.size() - 8))) return damaged();
  const std::uint64_t hash = reader.number();
  if (reader.number() != static_cast<std::uint64_t>(decoder.precision))
    return out_of_range("restore", "bytes", "of another precision", "those of the precision of this model");
  if (hash != decoder.hash())
    return out_of_range("restore", "bytes", "of another model", "those that this model saved");
  const std::uint64_t stored = reader.number(), type = reader.number(), tokens = reader.number();
  const std::uint64_t turns = reader.number(), drops = reader.number(), unrotated = reader.number(),
                      appended = reader.number();
  const std::uint64_t ropes = reader.number(), runs = reader.number();
  if (!reader.ok || stored > 1 || type > 2 || ropes != decoder.ropes.size() || runs > tokens)
    return damaged();
  if (tokens > layout.context) {
    return out_of_range("restore", "bytes", sentence({static_cast<double>(tokens), " tokens"}),
                        sentence({"up to `context` = ", layout.context, " tokens"}));
  }
  std::vector<RopeOptions> options;
  for (std::size_t r = 0; r < ropes; ++r) {
    Result<RopeOptions> read = rope_options_from_json(reader.text());
    if (!reader.ok || !read.ok() || !rotates_alike(read.value(), decoder.ropes[r])) return damaged();
    options.push_back(std::move(read).value());
  }
  const auto length = std::bit_cast<double>(reader.number());
  if (!(length >= 0 && length <= static_cast<double>(farthest))) return damaged();
  Result<RopesPtr> made =
      Ropes::make(std::move(options), length, model::position_encoding::sense_of(decoder.model.spec()));
  if (!made.ok()) return damaged();
  Cache cache(decoder.layout, static_cast<StoredKeys>(stored), static_cast<CacheType>(type), made.value());
  Runs history;
  for (std::size_t r = 0; r < runs; ++r) {
    const std::uint64_t run_end = reader.number();
    const auto shift = static_cast<std::int64_t>(reader.number());
    if (run_end <= history.length() || run_end > tokens) return damaged();
    if (shift > farthest || shift < -farthest) return damaged();
    history.extend(static_cast<std::size_t>(run_end) - history.length(), shift);
  }
  if (history.length() != tokens) return damaged();
  std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens));
  reader.bytes(ids.data(), ids.size() * sizeof(std::int32_t));
  const std::size_t widest = layout.widest_row();
  if (!reader.ok || reader.left() != bytes_of(layout, ids.size())) return damaged();
  if (tokens > 0) {
    if (Status status = decoder.check_ids(ids, "restore"); !status.ok()) return damaged();
    ROPEWALK_TRY(cache.own(0, ids.size()));
  }
  Buffer<float> memory;
  ROPEWALK_TRY(memory.allocate(2 * nn::cache_block * widest, "restore"));
  for (std::size_t l = 0; l < layout.layers(); ++l) {
    for (std::size_t at = 0; at < ids.size(); at += nn::cache_block) {
      const std::size_t count = std::min(nn::cache_block, ids.size() - at), row = layout.row(l);
      float *const k = memory.data(), *const v = k + nn::cache_block * widest;
      reader.bytes(k, count * row * sizeof(float));
      reader.bytes(v, count * row * sizeof(float));
      cache.write(l, at, count, k, v);
    }
  }
  if (!ids.empty() && layout.has_states()) {
    auto states = std::make_shared<Buffer<float>>();
    ROPEWALK_TRY(states->allocate(layout.states.back(), "restore"));
    reader.bytes(states->data(), states->size() * sizeof(float));
    cache.exchange_states(states);
  }
  cache.set_history(std::move(history), std::move(ids), static_cast<std::size_t>(turns),
                    static_cast<std::size_t>(drops), static_cast<std::size_t>(unrotated),
                    static_cast<std::size_t>(appended));
  return cache;
}

}  // namespace ropewalk::decoder
