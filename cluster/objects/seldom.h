// A part of a value that few of many have: where it is as it is made by
// default, it takes no more than a pointer. Copies share it until one of them
// is changed.
//
// A value: as thread-safe as one.
#pragma once

#include <memory>

namespace fluxnetes::cluster {

template <typename Part>
class Seldom {
 public:
  const Part& operator*() const {
    static const Part kDefault;
    return part_ == nullptr ? kDefault : *part_;
  }
  const Part* operator->() const { return &**this; }

  // Whether it may differ from what is made by default.
  bool Any() const { return part_ != nullptr; }

  // To be changed.
  Part& Own() {
    if (part_ == nullptr) {
      part_ = std::make_shared<Part>();
    } else if (part_.use_count() > 1) {
      part_ = std::make_shared<Part>(*part_);
    }
    return *part_;
  }

  bool operator==(const Seldom& other) const {
    return part_ == other.part_ || **this == *other;
  }

 private:
  std::shared_ptr<Part> part_;  // shared by copies, which never change it
};

}  // namespace fluxnetes::cluster
