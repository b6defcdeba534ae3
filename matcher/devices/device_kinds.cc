#include "matcher/devices/device_kinds.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::matcher {
namespace {

constexpr int kMostUnusedProbes = 256;

class ContentHash {
 public:
  ContentHash& Add(std::size_t value) {
    hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15;
    hash_ ^= hash_ >> 29;
    return *this;
  }
  ContentHash& Add(const std::string& text) {
    return Add(std::hash<std::string>()(text));
  }
  ContentHash& Add(const DeviceVersion& version) { return Add(version.text); }
  ContentHash& Add(std::int64_t value) {
    return Add(static_cast<std::size_t>(value));
  }
  ContentHash& Add(bool value) { return Add(std::size_t{value ? 1U : 2U}); }
  std::size_t value() const { return hash_; }

 private:
  std::size_t hash_ = 1;
};

std::size_t HashOfContent(const std::string& driver, const Device& device) {
  ContentHash hash;
  hash.Add(driver);
  for (const auto& [name, value] : device.attributes) {
    hash.Add(name);
    std::visit([&](const auto& each) { hash.Add(each); }, value);
  }
  for (const auto& [name, amount] : device.capacity) {
    hash.Add(name).Add(static_cast<std::int64_t>(amount.nano / 1'000'000'000));
  }
  for (const CounterUse& use : device.uses) hash.Add(use.set);
  for (const DeviceTaint& taint : device.taints) hash.Add(taint.key);
  return hash.value();
}

Device WithoutName(Device device) {
  device.name.clear();
  device.nodes.reset();
  return device;
}

}  // namespace

ContentId DeviceKinds::TakeContent(const std::string& driver,
                                   const Device& device) {
  const std::size_t hash = HashOfContent(driver, device);
  Device bare = WithoutName(device);
  const auto [first, last] = content_index_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    Content& known = contents_[at->second];
    if (known.driver != driver || !(known.device == bare)) continue;
    ++known.uses;
    return at->second;
  }
  ContentId id = contents();
  if (free_contents_.empty()) {
    contents_.emplace_back();
    for (Selector& each : selectors_) each.verdicts += '?';
  } else {
    id = free_contents_.back();
    free_contents_.pop_back();
    for (Selector& each : selectors_) {
      if (!each.verdicts.empty()) each.verdicts[id] = '?';
    }
  }
  contents_[id] = {driver, std::move(bare), 1, kNone, {}};
  content_index_.emplace(hash, id);
  for (AttributeId a = 0; a < attributes(); ++a) SetValue(contents_[id], a);
  Sort(id);
  return id;
}

void DeviceKinds::GiveContent(ContentId content) {
  Content& given = contents_[content];
  if (--given.uses > 0) return;
  const auto [first, last] =
      content_index_.equal_range(HashOfContent(given.driver, given.device));
  content_index_.erase(std::find_if(
      first, last, [&](const auto& each) { return each.second == content; }));
  given = {};
  free_contents_.push_back(content);
}

int DeviceKinds::TakeSelector(const std::string& text) {
  const auto known = selector_index_.find(text);
  if (known != selector_index_.end()) {
    ++selectors_[known->second].uses;
    return known->second;
  }
  DeviceSelector compiled(text);
  auto unused = std::ranges::find(selectors_, 0, &Selector::uses);
  if (unused == selectors_.end()) {
    unused = selectors_.insert(selectors_.end(), Selector());
  }
  *unused = {text, std::move(compiled), 1, std::string(contents_.size(), '?')};
  const int id = static_cast<int>(unused - selectors_.begin());
  selector_index_.emplace(text, id);
  return id;
}

DeviceKinds::Verdict DeviceKinds::VerdictOf(int selector, ContentId content) {
  Selector& asked = selectors_[selector];
  char& known = asked.verdicts[content];
  if (known == '?') {
    const Content& of = contents_[content];
    const auto verdict = asked.compiled->Evaluate(of.driver, of.device);
    known = !verdict.error.empty() ? 'e' : verdict.matches ? 'y' : 'n';
  }
  return static_cast<Verdict>(known);
}

DeviceKinds::Verdict DeviceKinds::VerdictOf(const Probe& probe,
                                            ContentId content) {
  for (const int selector : probe.selectors) {
    const Verdict verdict = VerdictOf(selector, content);
    if (verdict != Verdict::kYes) return verdict;
  }
  return Verdict::kYes;
}

DeviceKinds::Reason DeviceKinds::ReasonOf(ContentId content, ProbeId probe) {
  const std::vector<int>& all = probes_[probe].selectors;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Verdict verdict = VerdictOf(all[i], content);
    if (verdict == Verdict::kYes) continue;
    Reason reason{static_cast<int>(i), {}};
    if (verdict == Verdict::kError) {
      const Content& of = contents_[content];
      reason.error =
          selectors_[all[i]].compiled->Evaluate(of.driver, of.device).error;
    }
    return reason;
  }
  return {};
}

void DeviceKinds::GiveSelectors(const std::vector<int>& selectors) {
  for (const int id : selectors) {
    Selector& selector = selectors_[id];
    if (--selector.uses > 0) continue;
    selector_index_.erase(selector.text);
    selector = {};
  }
}

ProbeId DeviceKinds::TakeProbe(const std::vector<std::string>& texts) {
  std::vector<int> selectors;
  try {
    for (const std::string& text : texts) {
      selectors.push_back(TakeSelector(text));
    }
  } catch (const SelectorError&) {
    GiveSelectors(selectors);
    throw;
  }
  const auto found = probe_index_.find(selectors);
  if (found != probe_index_.end()) {
    GiveSelectors(selectors);
    if (probes_[found->second].uses++ == 0) --unused_probes_;
    return found->second;
  }
  auto unused = std::ranges::find(probes_, false, &Probe::known);
  if (unused == probes_.end()) unused = probes_.insert(probes_.end(), Probe());
  *unused = {selectors, 1, true};
  const auto id = static_cast<ProbeId>(unused - probes_.begin());
  probe_index_.emplace(std::move(selectors), id);
  Divide(id);
  return id;
}

void DeviceKinds::GiveProbe(ProbeId probe) {
  if (--probes_[probe].uses > 0) return;
  if (++unused_probes_ > kMostUnusedProbes) ForgetProbes();
}

// Sets the verdicts of a new probe; a kind whose contents differ divides.
void DeviceKinds::Divide(ProbeId probe) {
  for (Kind& kind : kinds_) {
    kind.verdicts.resize(probes_.size(), '?');
    kind.verdicts[probe] = '?';
  }
  std::map<std::pair<KindId, char>, KindId> parts;
  for (ContentId id = 0; id < contents(); ++id) {
    Content& content = contents_[id];
    if (content.uses == 0) continue;
    const char verdict = static_cast<char>(VerdictOf(probes_[probe], id));
    const KindId whole = content.kind;
    if (kinds_[whole].verdicts[probe] == '?') {
      kinds_[whole].verdicts[probe] = verdict;
    }
    if (kinds_[whole].verdicts[probe] == verdict) continue;
    const auto [part, added] =
        parts.try_emplace({whole, verdict}, static_cast<KindId>(kinds_.size()));
    if (added) {
      kinds_.push_back(kinds_[whole]);
      kinds_.back().verdicts[probe] = verdict;
    }
    content.kind = part->second;
  }
  if (!parts.empty()) ++epoch_;
  kind_index_.clear();
  for (KindId id = 0; id < static_cast<KindId>(kinds_.size()); ++id) {
    const Kind& kind = kinds_[id];
    kind_index_.emplace(std::to_string(kind.traits) + kind.verdicts, id);
  }
}

int DeviceKinds::TraitsOf(const Content& content) {
  Device bare = content.device;
  bare.attributes.clear();
  const std::size_t hash = HashOfContent(content.driver, bare);
  const auto [first, last] = trait_index_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (trait_drivers_[at->second] == content.driver &&
        traits_[at->second] == bare) {
      return at->second;
    }
  }
  const int id = static_cast<int>(traits_.size());
  traits_.push_back(std::move(bare));
  trait_drivers_.push_back(content.driver);
  trait_index_.emplace(hash, id);
  return id;
}

void DeviceKinds::Sort(ContentId content) {
  Kind kind{TraitsOf(contents_[content]), {}};
  for (const Probe& probe : probes_) {
    kind.verdicts +=
        probe.known ? static_cast<char>(VerdictOf(probe, content)) : '?';
  }
  const auto [at, added] =
      kind_index_.try_emplace(std::to_string(kind.traits) + kind.verdicts,
                              static_cast<KindId>(kinds_.size()));
  if (added) kinds_.push_back(std::move(kind));
  contents_[content].kind = at->second;
}

void DeviceKinds::ForgetProbes() {
  for (Probe& probe : probes_) {
    if (!probe.known || probe.uses > 0) continue;
    probe_index_.erase(probe.selectors);
    GiveSelectors(probe.selectors);
    probe = {};
  }
  unused_probes_ = 0;
  kinds_.clear();
  kind_index_.clear();
  traits_.clear();
  trait_drivers_.clear();
  trait_index_.clear();
  ++epoch_;
  ++forgets_;
  for (ContentId id = 0; id < contents(); ++id) {
    if (contents_[id].uses > 0) Sort(id);
  }
}

void DeviceKinds::SetValue(Content& content, AttributeId attribute) {
  Attribute& of = attributes_[attribute];
  content.values.resize(attributes_.size(), kNone);
  const auto value = content.device.attributes.find(of.name);
  if (value == content.device.attributes.end()) return;
  const auto number = static_cast<std::int32_t>(of.values.size());
  content.values[attribute] =
      of.values.try_emplace(value->second, number).first->second;
}

AttributeId DeviceKinds::TakeAttribute(const std::string& name) {
  const auto [known, added] = attribute_index_.try_emplace(name, attributes());
  if (!added) return known->second;
  attributes_.push_back({name, {}});
  for (Content& content : contents_) SetValue(content, known->second);
  ++epoch_;
  return known->second;
}

}  // namespace fluxnetes::matcher
