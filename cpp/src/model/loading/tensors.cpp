#include "model/loading/tensors.hpp"

#include <algorithm>

#include "formats/json/order.hpp"
#include "formats/json/value.hpp"
#include "model/families/family.hpp"

namespace ropewalk::model {
namespace {

std::string_view root_of(std::string_view name) { return name.substr(0, name.find('.')); }

/// Begins the names of the base model in classes with a head, whatever the family; remote code and Transformers may
/// differ in it.
constexpr std::string_view prefixes[] = {"model.", "bert.",     "roberta.",   "esm.",
                                         "new.",   "roformer.", "nomic_bert."};

/// As classes with a head have it, and as BERT's files have it today.
std::string canonical(std::string_view name, const Names& names) {
  const auto of_base = [&](std::string_view own) {
    return std::ranges::any_of(names.base,
                               [&](const Name& each) { return root_of(each.name) == root_of(own); });
  };
  std::string result(name);
  if (!name.starts_with(names.prefix)) {
    std::string_view own = name;
    for (const std::string_view prefix : prefixes) {
      if (name.starts_with(prefix) && of_base(name.substr(prefix.size()))) own = name.substr(prefix.size());
    }
    if (of_base(own)) result = std::string(names.prefix) + std::string(own);
  }
  constexpr std::pair<std::string_view, std::string_view> old_names[] = {
      {"LayerNorm.gamma", "LayerNorm.weight"}, {"LayerNorm.beta", "LayerNorm.bias"}};
  for (const auto& [old_name, name_now] : old_names) {
    if (result.ends_with(old_name))
      result.replace(result.size() - old_name.size(), old_name.size(), name_now);
  }
  return result;
}

/// A head that a checkpoint may hold, by the parameters that are its own.
struct Candidate {
  const HeadKind* kind;
  parameters::Table table;  // first the word vectors, for the sake of what is tied to them

  std::span<const parameters::Parameter> own() const { return table.all().subspan(1); }

  template <class Call>
  void each_name(Call&& call) const {
    for (const parameters::Parameter& parameter : own()) call(parameter.name);
    for (const parameters::Parameter& parameter : table.all()) {
      for (const std::string& alias : parameter.aliases) call(alias);
    }
  }
  bool any_name(auto&& test) const {
    bool any = false;
    each_name([&](const std::string& name) { any = any || test(name); });
    return any;
  }
};

Candidate candidate(const Spec& spec, const HeadKind& kind) {
  Candidate result{&kind, {}};
  const Family* family = find_family(spec.family);
  std::uint32_t slots = 0;
  const std::uint64_t words = result.table.add("words", {1}, parameters::Initial::normal, true);
  Builder builder(result.table, family->names, slots);
  // A head that cannot be made says so when the model is made.
  static_cast<void>(kind.make(builder, spec, head_of(spec, kind), {.words = words}));
  return result;
}

/// True if the checkpoint holds something of the head that is not a part of the base model.
bool has_evidence(const Tensors& tensors, const Spec& spec, const Candidate& head) {
  const std::string_view prefix = find_family(spec.family)->names.prefix;
  return head.any_name([&](const std::string& name) {
    return tensors.find(name) != nullptr && (prefix.empty() || !name.starts_with(prefix));
  });
}

bool is_complete(const Tensors& tensors, const Candidate& head) {
  return std::ranges::all_of(head.own(), [&](const parameters::Parameter& parameter) {
    const Tensors::Found* found = tensors.find(parameter.name);
    for (const std::string& alias : parameter.aliases) {
      if (found == nullptr) found = tensors.find(alias);
    }
    return found != nullptr && found->tensor->shape == parameter.shape;
  });
}

bool share_names(const Candidate& one, const Candidate& two) {
  return one.any_name([&](const std::string& name) {
    return two.any_name([&](const std::string& other) { return other == name; });
  });
}

bool share_roots(const Candidate& one, const Candidate& two) {
  return one.any_name([&](const std::string& name) {
    return two.any_name([&](const std::string& other) { return root_of(other) == root_of(name); });
  });
}

}  // namespace

Tensors::Tensors(std::span<const std::span<const SafetensorsTensor>> files, const Names& names) {
  std::vector<std::string> all;
  std::vector<const SafetensorsTensor*> tensors;
  for (const std::span<const SafetensorsTensor> file : files) {
    for (const SafetensorsTensor& tensor : file) {
      all.push_back(canonical(tensor.name, names));
      tensors.push_back(&tensor);
    }
  }
  const std::vector<std::uint32_t> by_name =
      json::sorted(all.size(), [&](std::uint32_t a, std::uint32_t b) { return all[a] < all[b]; });
  for (const std::uint32_t i : by_name) found_.push_back({std::move(all[i]), tensors[i]});
}

Status Tensors::check_unique(std::string_view function) const {
  for (std::size_t i = 1; i < found_.size(); ++i) {
    if (found_[i].name != found_[i - 1].name) continue;
    return Status::range(std::string(function) + ": tensors " + json::quoted(found_[i - 1].tensor->name) +
                         " and " + json::quoted(found_[i].tensor->name) +
                         " are the same parameter; allowed: one of them");
  }
  return {};
}

Tensors::Found* Tensors::find(std::string_view name) {
  const auto at = std::lower_bound(found_.begin(), found_.end(), name,
                                   [](const Found& entry, std::string_view key) { return entry.name < key; });
  return at == found_.end() || at->name != name ? nullptr : &*at;
}

Tensors::Found* Tensors::find_scales(const SafetensorsTensor& weight, std::string_view ending) {
  const auto at =
      std::ranges::find(found_, weight.name + std::string(ending),
                        [](const Found& each) -> const std::string& { return each.tensor->name; });
  return at == found_.end() ? nullptr : &*at;
}

void add_heads(const Tensors& tensors, Spec& spec, std::string_view added) {
  std::vector<Candidate> promised, taken, others;
  for (const HeadKind& kind : head_kinds()) {
    const bool is_promised =
        std::ranges::any_of(spec.heads, [&](const HeadSpec& head) { return head.kind == kind.name; });
    // A family that predicts the next word promises it, unless the model is for its hidden states.
    if (!is_promised && (kind.name == "causal_lm" || !has_head(*find_family(spec.family), kind))) continue;
    (is_promised ? promised : others).push_back(candidate(spec, kind));
  }
  const auto take = [&](Candidate& head) {
    spec.heads.push_back(head_of(spec, *head.kind));
    taken.push_back(std::move(head));
  };
  // Complete heads first, so that what they hold tells of no other.
  for (const bool complete : {true, false}) {
    for (Candidate& head : others) {
      if (head.table.all().empty() || !has_evidence(tensors, spec, head)) continue;
      if (complete && !is_complete(tensors, head)) continue;
      if (std::ranges::any_of(promised, [&](const Candidate& other) { return share_roots(head, other); }))
        continue;
      if (std::ranges::any_of(taken, [&](const Candidate& other) { return share_names(head, other); }))
        continue;
      take(head);
      head.table = {};
    }
  }
  for (Candidate& head : others) {
    if (!head.table.all().empty() && head.kind->name == added) take(head);
  }
}

void drop_absent_head(const Tensors& tensors, Spec& spec, std::vector<std::string>& notes) {
  for (const HeadKind& kind : head_kinds()) {
    if (kind.name != "masked_lm") continue;
    const auto head = std::ranges::find(spec.heads, kind.name, &HeadSpec::kind);
    if (head == spec.heads.end() || names_of_absent_head(tensors, spec, kind).empty()) continue;
    spec.heads.erase(head);
    notes.push_back(
        "`architectures` names a masked-LM head, of which the file holds nothing: words cannot be predicted");
  }
}

std::vector<std::string> names_of_absent_head(const Tensors& tensors, const Spec& spec,
                                              const HeadKind& kind) {
  const Candidate head = candidate(spec, kind);
  std::vector<std::string> names;
  if (has_evidence(tensors, spec, head)) return names;
  for (const parameters::Parameter& parameter : head.own()) names.push_back(parameter.name);
  return names;
}

}  // namespace ropewalk::model
