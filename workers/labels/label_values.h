// Checks values of labels that give a group its name, size or account. Each
// function returns why a value cannot be used, in a text for people, or an
// empty text; `place` is the holder of the value: "label fluxnetes.group-name".
//
// Pure.
// Tests: tests/workers/pods/group_labels_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::workers {

inline constexpr const char* kQueueLabel = "fluxnetes.queue";

// "label <name>".
std::string LabelCalled(const char* name);

// "<place> is "<value>": <wrong>; it must be <right>".
std::string Refusal(const std::string& place, const std::string& value,
                    std::string_view wrong, std::string_view right);

// Kubernetes: "Labels and Selectors", syntax of values.
std::string WhyNoLabelValue(const std::string& place, const std::string& name);

std::string WhyNoQueue(const std::string& name);

// Sets `size` if the value is valid.
std::string ReadSize(const std::string& place, const std::string& text,
                     std::optional<std::int32_t>& size);

}  // namespace fluxnetes::workers
