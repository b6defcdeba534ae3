// Values of labels that name, size or charge a group, checked. Each function
// says why a value cannot be used, in a text for people, empty if it can;
// `place` is what holds the value: "label fluxnetes.group-name".
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::workers {

// "label <name>".
std::string LabelCalled(const char* name);

// "<place> is "<value>": <wrong>; it must be <right>".
std::string Refusal(const std::string& place, const std::string& value,
                    std::string_view wrong, std::string_view right);

// Kubernetes: "Labels and Selectors", syntax of values.
std::string WhyNoLabelValue(const std::string& place, const std::string& name);

std::string WhyNoQueue(const std::string& name);

// Sets the size if it can be used.
std::string ReadSize(const std::string& place, const std::string& text,
                     std::optional<std::int32_t>& size);

}  // namespace fluxnetes::workers
