#include "matcher/cel/functions.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>

#include "matcher/cel/syntax.h"

namespace fluxnetes::matcher::cel {
namespace {

// A signature is "operands > result"; one that begins with a dot has a target.
struct Row {
  const char* function;
  const char* id;
  const char* signature;
};

constexpr auto kRows = std::to_array<Row>({
    {names::kAnd, "logical_and", "bool; bool > bool"},
    {names::kOr, "logical_or", "bool; bool > bool"},
    {names::kChoice, "conditional", "bool; A; A > A"},
    {names::kNot, "logical_not", "bool > bool"},
    {names::kNotFalse, "not_strictly_false", "bool > bool"},
    {names::kEqual, "equals", "A; A > bool"},
    {names::kNotEqual, "not_equals", "A; A > bool"},
    {names::kAdd, "add_double", "double; double > double"},
    {names::kAdd, "add_int64", "int; int > int"},
    {names::kAdd, "add_list", "list(A); list(A) > list(A)"},
    {names::kAdd, "add_string", "string; string > string"},
    {names::kAdd, "add_uint64", "uint; uint > uint"},
    {"_/_", "divide_double", "double; double > double"},
    {"_/_", "divide_int64", "int; int > int"},
    {"_/_", "divide_uint64", "uint; uint > uint"},
    {"_%_", "modulo_int64", "int; int > int"},
    {"_%_", "modulo_uint64", "uint; uint > uint"},
    {"_*_", "multiply_double", "double; double > double"},
    {"_*_", "multiply_int64", "int; int > int"},
    {"_*_", "multiply_uint64", "uint; uint > uint"},
    {names::kNegate, "negate_double", "double > double"},
    {names::kNegate, "negate_int64", "int > int"},
    {"_-_", "subtract_double", "double; double > double"},
    {"_-_", "subtract_int64", "int; int > int"},
    {"_-_", "subtract_uint64", "uint; uint > uint"},
    {names::kIndex, "index_list", "list(A); int > A"},
    {names::kIndex, "index_map", "map(A, B); A > B"},
    {names::kIndex, "optional_list_index_int",
     "optional(list(A)); int > optional(A)"},
    {names::kIndex, "optional_map_index_value",
     "optional(map(A, B)); A > optional(B)"},
    {names::kOptionalIndex, "list_optindex_optional_int",
     "list(A); int > optional(A)"},
    {names::kOptionalIndex, "optional_list_optindex_optional_int",
     "optional(list(A)); int > optional(A)"},
    {names::kOptionalIndex, "map_optindex_optional_value",
     "map(A, B); A > optional(B)"},
    {names::kOptionalIndex, "optional_map_optindex_optional_value",
     "optional(map(A, B)); A > optional(B)"},
    {names::kIn, "in_list", "A; list(A) > bool"},
    {names::kIn, "in_map", "A; map(A, B) > bool"},
    {"size", "size_list", "list(A) > int"},
    {"size", "list_size", ".list(A) > int"},
    {"size", "size_map", "map(A, B) > int"},
    {"size", "map_size", ".map(A, B) > int"},
    {"size", "size_string", "string > int"},
    {"size", "string_size", ".string > int"},
    {"type", "type", "A > type(A)"},
    {"bool", "bool_to_bool", "bool > bool"},
    {"bool", "string_to_bool", "string > bool"},
    {"double", "double_to_double", "double > double"},
    {"double", "int64_to_double", "int > double"},
    {"double", "string_to_double", "string > double"},
    {"double", "uint64_to_double", "uint > double"},
    {"dyn", "to_dyn", "A > dyn"},
    {"int", "int64_to_int64", "int > int"},
    {"int", "double_to_int64", "double > int"},
    {"int", "string_to_int64", "string > int"},
    {"int", "uint64_to_int64", "uint > int"},
    {"string", "string_to_string", "string > string"},
    {"string", "bool_to_string", "bool > string"},
    {"string", "double_to_string", "double > string"},
    {"string", "int64_to_string", "int > string"},
    {"string", "uint64_to_string", "uint > string"},
    {"uint", "uint64_to_uint64", "uint > uint"},
    {"uint", "double_to_uint64", "double > uint"},
    {"uint", "int64_to_uint64", "int > uint"},
    {"uint", "string_to_uint64", "string > uint"},
    {"contains", "contains_string", ".string; string > bool"},
    {"endsWith", "ends_with_string", ".string; string > bool"},
    {"startsWith", "starts_with_string", ".string; string > bool"},
    {"matches", "matches", "string; string > bool"},
    {"matches", "matches_string", ".string; string > bool"},
    {"charAt", "string_char_at_int", ".string; int > string"},
    {"indexOf", "string_index_of_string", ".string; string > int"},
    {"indexOf", "string_index_of_string_int", ".string; string; int > int"},
    {"indexOf", "list_a_index_of_int", ".list(A); A > int"},
    {"lastIndexOf", "string_last_index_of_string", ".string; string > int"},
    {"lastIndexOf", "string_last_index_of_string_int",
     ".string; string; int > int"},
    {"lastIndexOf", "list_a_last_index_of_int", ".list(A); A > int"},
    {"lowerAscii", "string_lower_ascii", ".string > string"},
    {"upperAscii", "string_upper_ascii", ".string > string"},
    {"replace", "string_replace_string_string",
     ".string; string; string > string"},
    {"replace", "string_replace_string_string_int",
     ".string; string; string; int > string"},
    {"split", "string_split_string", ".string; string > list(string)"},
    {"split", "string_split_string_int", ".string; string; int > list(string)"},
    {"substring", "string_substring_int", ".string; int > string"},
    {"substring", "string_substring_int_int", ".string; int; int > string"},
    {"trim", "string_trim", ".string > string"},
    {"join", "list_join", ".list(string) > string"},
    {"join", "list_join_string", ".list(string); string > string"},
    {"find", "string_find_string", ".string; string > string"},
    {"findAll", "string_find_all_string", ".string; string > list(string)"},
    {"findAll", "string_find_all_string_int",
     ".string; string; int > list(string)"},
    {"first", "list_first", ".list(A) > optional(A)"},
    {"last", "list_last", ".list(A) > optional(A)"},
    {"optional.of", "optional_of", "A > optional(A)"},
    {"optional.ofNonZeroValue", "optional_ofNonZeroValue", "A > optional(A)"},
    {"optional.none", "optional_none", " > optional(A)"},
    {"optional.unwrap", "optional_unwrap", "list(optional(A)) > list(A)"},
    {"unwrapOpt", "optional_unwrapOpt", ".list(optional(A)) > list(A)"},
    {"value", "optional_value", ".optional(A) > A"},
    {"hasValue", "optional_hasValue", ".optional(A) > bool"},
    {"or", "optional_or_optional", ".optional(A); optional(A) > optional(A)"},
    {"orValue", "optional_orValue_value", ".optional(A); A > A"},
    {"quantity", "string_to_quantity", "string > kubernetes.Quantity"},
    {"isQuantity", "is_quantity_string", "string > bool"},
    {"sign", "quantity_sign", "kubernetes.Quantity > int"},
    {"isGreaterThan", "quantity_is_greater_than",
     ".kubernetes.Quantity; kubernetes.Quantity > bool"},
    {"isGreaterThan", "semver_is_greater_than",
     ".kubernetes.Semver; kubernetes.Semver > bool"},
    {"isLessThan", "quantity_is_less_than",
     ".kubernetes.Quantity; kubernetes.Quantity > bool"},
    {"isLessThan", "semver_is_less_than",
     ".kubernetes.Semver; kubernetes.Semver > bool"},
    {"compareTo", "quantity_compare_to",
     ".kubernetes.Quantity; kubernetes.Quantity > int"},
    {"compareTo", "semver_compare_to",
     ".kubernetes.Semver; kubernetes.Semver > int"},
    {"asApproximateFloat", "quantity_get_float",
     ".kubernetes.Quantity > double"},
    {"asInteger", "quantity_get_int", ".kubernetes.Quantity > int"},
    {"isInteger", "quantity_is_integer", ".kubernetes.Quantity > bool"},
    {"add", "quantity_add",
     ".kubernetes.Quantity; kubernetes.Quantity > kubernetes.Quantity"},
    {"add", "quantity_add_int",
     ".kubernetes.Quantity; int > kubernetes.Quantity"},
    {"sub", "quantity_sub",
     ".kubernetes.Quantity; kubernetes.Quantity > kubernetes.Quantity"},
    {"sub", "quantity_sub_int",
     ".kubernetes.Quantity; int > kubernetes.Quantity"},
    {"semver", "string_to_semver", "string > kubernetes.Semver"},
    {"semver", "string_bool_to_semver", "string; bool > kubernetes.Semver"},
    {"isSemver", "is_semver_string", "string > bool"},
    {"isSemver", "is_semver_string_bool", "string; bool > bool"},
    {"major", "semver_major", ".kubernetes.Semver > int"},
    {"minor", "semver_minor", ".kubernetes.Semver > int"},
    {"patch", "semver_patch", ".kubernetes.Semver > int"},
    {"sum", "list_int_sum_int", ".list(int) > int"},
    {"sum", "list_uint_sum_uint", ".list(uint) > uint"},
    {"sum", "list_double_sum_double", ".list(double) > double"},
});

constexpr auto kUnsupported = std::to_array<std::string_view>({
    "bytes",
    "duration",
    "timestamp",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getSeconds",
    "format",
    "strings.quote",
    "url",
    "isURL",
    "getScheme",
    "getHost",
    "getHostname",
    "getPort",
    "getEscapedPath",
    "getQuery",
    "ip",
    "isIP",
    "ip.isCanonical",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
    "cidr",
    "isCIDR",
    "containsIP",
    "containsCIDR",
    "masked",
    "prefixLength",
    "format.named",
    "validate",
    "path",
    "group",
    "serviceAccount",
    "resource",
    "subresource",
    "namespace",
    "name",
    "check",
    "allowed",
    "reason",
    "errored",
    "error",
    "fieldSelector",
    "labelSelector",
    "sets.contains",
    "sets.equivalent",
    "sets.intersects",
    "slice",
    "flatten",
    "range",
    "lists.range",
    "distinct",
    "reverse",
    "sort",
    "includes",
});

using Table = std::map<std::string, std::vector<Overload>, std::less<>>;

Overload ReadSignature(const std::string& id, std::string_view text,
                       TypePool& pool) {
  Overload overload{id};
  if (text.starts_with('.')) {
    overload.has_target = true;
    text.remove_prefix(1);
  }
  const std::size_t arrow = text.find(" > ");
  assert(arrow != std::string_view::npos);
  overload.result = pool.FromText(text.substr(arrow + 3));
  text = text.substr(0, arrow);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("; "), text.size());
    overload.operands.push_back(pool.FromText(text.substr(0, end)));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return overload;
}

void AddComparison(const char* function, const std::string& id, Table& table,
                   TypePool& pool) {
  const auto add = [&](const char* suffix, const char* signature) {
    table[function].push_back(ReadSignature(id + suffix, signature, pool));
  };
  add("_bool", "bool; bool > bool");
  add("_int64", "int; int > bool");
  add("_int64_double", "int; double > bool");
  add("_int64_uint64", "int; uint > bool");
  add("_uint64", "uint; uint > bool");
  add("_uint64_double", "uint; double > bool");
  add("_uint64_int64", "uint; int > bool");
  add("_double", "double; double > bool");
  add("_double_int64", "double; int > bool");
  add("_double_uint64", "double; uint > bool");
  add("_string", "string; string > bool");
}

void AddListComparisons(Table& table, TypePool& pool) {
  for (const std::string type : {"int", "uint", "double", "bool", "string"}) {
    const std::string list = ".list(" + type + ") > ";
    table["isSorted"].push_back(
        ReadSignature("list_" + type + "_is_sorted_bool", list + "bool", pool));
    for (const std::string function : {"max", "min"}) {
      std::string id = "list_";
      id += type + "_" + function + "_" + type;
      table[function].push_back(ReadSignature(id, list + type, pool));
    }
  }
}

const Table& Functions() {
  static TypePool pool;
  static const Table table = [] {
    Table made;
    for (const Row& row : kRows) {
      made[row.function].push_back(ReadSignature(row.id, row.signature, pool));
    }
    AddComparison("_<_", "less", made, pool);
    AddComparison("_<=_", "less_equals", made, pool);
    AddComparison("_>_", "greater", made, pool);
    AddComparison("_>=_", "greater_equals", made, pool);
    AddListComparisons(made, pool);
    return made;
  }();
  return table;
}

}  // namespace

const std::vector<Overload>* FindFunction(std::string_view name) {
  const auto found = Functions().find(name);
  return found == Functions().end() ? nullptr : &found->second;
}

bool IsUnsupportedFunction(std::string_view name) {
  return std::ranges::find(kUnsupported, name) != kUnsupported.end();
}

}  // namespace fluxnetes::matcher::cel
