// A copy-on-write part of a value that most values do not have. A part in its
// default state takes one pointer only. Copies share the part until one of them
// changes it.
//
// As thread-safe as any value.
// Tests: tests/cluster/objects/pod_test.cc.
#pragma once

#include <memory>

namespace fluxnetes::cluster {

template <typename Part>
class CopyOnWrite {
 public:
  const Part& operator*() const {
    static const Part kDefault;
    return part_ == nullptr ? kDefault : *part_;
  }
  const Part* operator->() const { return &**this; }

  // True if the part may differ from its default state.
  bool Any() const { return part_ != nullptr; }

  // The part, for changing: unshares it.
  Part& Own() {
    if (part_ == nullptr) {
      part_ = std::make_shared<Part>();
    } else if (part_.use_count() > 1) {
      part_ = std::make_shared<Part>(*part_);
    }
    return *part_;
  }

  bool operator==(const CopyOnWrite& other) const {
    return part_ == other.part_ || **this == *other;
  }

 private:
  std::shared_ptr<Part> part_;  // shared by copies, which never change it
};

}  // namespace fluxnetes::cluster
