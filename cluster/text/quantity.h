// Quantities in the notation of Kubernetes: a decimal number with an optional
// suffix (n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent e3/E3), see the
// Kubernetes API documentation, resource.Quantity. Exact: no floating point.
//
// The parsers throw std::invalid_argument for bad syntax, negative values and
// overflow of 64 bits; its message quotes the text and gives the syntax
// expected. Values are rounded up to the unit, as Kubernetes does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

std::int64_t ParseCpuMilli(std::string_view text);  // "250m", "2", "1.5"
std::int64_t ParseQuantity(std::string_view text);  // "4Gi", "128974848", "1e3"

std::string FormatCpu(std::int64_t milli);    // "250m", "2"
std::string FormatBytes(std::int64_t bytes);  // "4Gi", "1500M", "17"

}  // namespace fluxnetes::cluster
