// What devices are, without their names: devices of one kind are equal in all
// that any request looks at. So nodes can be compared by the kinds of their
// devices, even if each device has an address or a serial number of its own.
//
// A *probe* is a list of selectors, those of a class and of a request. Each
// selector is evaluated once for each content of a device, when the first probe
// that has it is taken, or when the content is. Kinds differ in what a probe
// says of them, and in all of a device that is no attribute. So they may divide
// when a probe is taken: the epoch then grows.
//
// Constraints compare values of attributes. Within a node only their pattern
// counts, so values are no part of kinds: value() numbers them.
//
// Owned by one thread.
// Tests: tests/matcher/devices/device_kinds_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matcher/devices/device.h"
#include "matcher/devices/device_selector.h"

namespace fluxnetes::matcher {

using ContentId = std::int32_t;
using KindId = std::int32_t;
using ProbeId = std::int32_t;
using AttributeId = std::int32_t;
inline constexpr std::int32_t kNone = -1;

class DeviceKinds {
 public:
  enum class Verdict : char {
    kUnknown = '?',
    kNo = 'n',
    kYes = 'y',
    kError = 'e'
  };

  // The content of a device, whose name and nodes do not count. Kept until it
  // was given back as often as it was taken.
  ContentId TakeContent(const std::string& driver, const Device& device);
  void GiveContent(ContentId content);
  const Device& device(ContentId content) const {
    return contents_[content].device;
  }
  const std::string& driver(ContentId content) const {
    return contents_[content].driver;
  }
  KindId kind(ContentId content) const { return contents_[content].kind; }
  int contents() const { return static_cast<int>(contents_.size()); }
  bool Knows(ContentId content) const { return contents_[content].uses > 0; }

  // Throws SelectorError.
  ProbeId TakeProbe(const std::vector<std::string>& selectors);
  void GiveProbe(ProbeId probe);
  Verdict verdict(KindId kind, ProbeId probe) const {
    return static_cast<Verdict>(kinds_[kind].verdicts[probe]);
  }
  // What the selectors of the probe say of a content: the error, and the number
  // of the first that does not match.
  struct Reason {
    int selector = kNone;
    std::string error;
  };
  Reason ReasonOf(ContentId content, ProbeId probe);

  // A device of the kind, without attributes. Valid until forgets() grows.
  const Device& traits(KindId kind) const {
    return traits_[kinds_[kind].traits];
  }
  const std::string& driver_of(KindId kind) const {
    return trait_drivers_[kinds_[kind].traits];
  }

  AttributeId TakeAttribute(const std::string& name);
  const std::string& attribute_name(AttributeId attribute) const {
    return attributes_[attribute].name;
  }
  int attributes() const { return static_cast<int>(attributes_.size()); }
  // The number of the value; kNone: the device does not have the attribute.
  std::int32_t value(ContentId content, AttributeId attribute) const {
    return contents_[content].values[attribute];
  }

  // Grows when kinds of contents or attributes have changed.
  std::uint32_t epoch() const { return epoch_; }
  // Grows when the numbers of kinds have new meanings.
  std::uint32_t forgets() const { return forgets_; }

 private:
  struct Content {
    std::string driver;
    Device device;
    int uses = 0;
    KindId kind = kNone;
    std::vector<std::int32_t> values;  // by attribute
  };
  struct Selector {
    std::string text;
    std::optional<DeviceSelector> compiled;
    int uses = 0;
    std::string verdicts;  // by content
  };
  struct Probe {
    std::vector<int> selectors;
    int uses = 0;
    bool known = false;  // a probe that nobody uses is kept for a while
  };
  struct Kind {
    int traits = 0;
    std::string verdicts;  // by probe
  };
  struct Attribute {
    std::string name;
    std::map<DeviceAttribute, std::int32_t> values;
  };

  int TakeSelector(const std::string& text);
  void GiveSelectors(const std::vector<int>& selectors);
  Verdict VerdictOf(int selector, ContentId content);
  Verdict VerdictOf(const Probe& probe, ContentId content);
  void Divide(ProbeId probe);
  void Sort(ContentId content);
  int TraitsOf(const Content& content);
  void ForgetProbes();
  void SetValue(Content& content, AttributeId attribute);

  std::vector<Content> contents_;
  std::vector<ContentId> free_contents_;
  std::unordered_multimap<std::size_t, ContentId> content_index_;
  std::vector<Selector> selectors_;
  std::unordered_map<std::string, int> selector_index_;
  std::vector<Probe> probes_;
  std::map<std::vector<int>, ProbeId> probe_index_;
  int unused_probes_ = 0;
  std::vector<Kind> kinds_;
  std::unordered_map<std::string, KindId> kind_index_;
  std::deque<Device> traits_;
  std::deque<std::string> trait_drivers_;
  std::unordered_multimap<std::size_t, int> trait_index_;
  std::vector<Attribute> attributes_;
  std::unordered_map<std::string, AttributeId> attribute_index_;
  std::uint32_t epoch_ = 0;
  std::uint32_t forgets_ = 0;
};

}  // namespace fluxnetes::matcher
