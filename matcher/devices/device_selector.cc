#include "matcher/devices/device_selector.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "matcher/cel/expression_error.h"
#include "matcher/cel_run/program.h"

namespace fluxnetes::matcher {

struct SelectorProgram {
  cel::Program program;
};

namespace {

using cel::MapValue;
using cel::Memory;
using cel::Value;

// CELSelectorExpressionMaxCost of resource.k8s.io/v1.
constexpr std::uint64_t kMostCost = 1'000'000;

constexpr char kDriver[] = "driver";
constexpr char kAttributes[] = "attributes";
constexpr char kCapacity[] = "capacity";
constexpr char kShared[] = "allowMultipleAllocations";

Value ToValue(const DeviceAttribute& attribute, Memory& memory) {
  struct Visitor {
    Memory& memory;
    Value operator()(std::int64_t value) const { return Value::Int(value); }
    Value operator()(bool value) const { return Value::Bool(value); }
    Value operator()(const std::string& value) const {
      return Value::String(value);
    }
    Value operator()(const DeviceVersion& value) const {
      const auto version = cel::ReadVersion(value.text);
      if (!version) return Value::Error("the attribute is no semantic version");
      return Value::Of(memory.Keep(*version));
    }
  };
  return std::visit(Visitor{memory}, attribute);
}

Value ToValue(const DeviceAmount& amount, Memory& memory) {
  return Value::Of(memory.Keep(cel::QuantityOfNano(amount.nano)));
}

// Returns a list of texts as values.
template <class Texts>
std::span<const Value> StringValues(const Texts& texts, Memory& memory) {
  const std::span<Value> values = memory.New<Value>(texts.size());
  std::ranges::transform(texts, values.begin(), [](std::string_view text) {
    return Value::String(text);
  });
  return values;
}

// The entries of one domain: names and what they are.
template <class Entries>
class DomainMap final : public MapValue {
 public:
  DomainMap(const Entries* entries, std::string_view domain)
      : entries_(entries), domain_(domain) {}

  std::optional<Value> Find(const Value& key, Memory& memory) const override {
    if (key.kind != Value::Kind::kString) return std::nullopt;
    if (domain_.find('/') != domain_.npos) return std::nullopt;
    const auto found = entries_->find(FullName(key.text));
    if (found == entries_->end()) return std::nullopt;
    return ToValue(found->second, memory);
  }
  bool Contains(const Value& key, Memory& memory) const override {
    return Find(key, memory).has_value();
  }
  std::size_t Size() const override { return Names().size(); }
  std::span<const Value> Keys(Memory& memory) const override {
    return StringValues(Names(), memory);
  }

 private:
  const std::string& FullName(std::string_view name) const {
    static thread_local std::string full;
    full.assign(domain_).append(1, '/').append(name);
    return full;
  }
  std::vector<std::string_view> Names() const {
    std::vector<std::string_view> names;
    if (domain_.find('/') != domain_.npos) return names;
    const std::string first = FullName("");
    for (auto entry = entries_->lower_bound(first);
         entry != entries_->end() && entry->first.starts_with(first); ++entry) {
      names.push_back(std::string_view(entry->first).substr(first.size()));
    }
    return names;
  }

  const Entries* entries_;
  std::string_view domain_;
};

// Domains and their entries. One that the device does not have is empty.
template <class Entries>
class DomainsMap final : public MapValue {
 public:
  explicit DomainsMap(const Entries* entries) : entries_(entries) {}

  std::optional<Value> Find(const Value& key, Memory& memory) const override {
    const bool text = key.kind == Value::Kind::kString;
    return Value::Map(memory.Keep(
        DomainMap<Entries>(entries_, text ? key.text : std::string_view("/"))));
  }
  bool Contains(const Value& key, Memory&) const override {
    return key.kind == Value::Kind::kString && Domains().contains(key.text);
  }
  std::size_t Size() const override { return Domains().size(); }
  std::span<const Value> Keys(Memory& memory) const override {
    return StringValues(Domains(), memory);
  }

 private:
  std::set<std::string_view> Domains() const {
    std::set<std::string_view> domains;
    for (const auto& [name, value] : *entries_) {
      domains.insert(std::string_view(name).substr(0, name.find('/')));
    }
    return domains;
  }

  const Entries* entries_;
};

class DeviceMap final : public MapValue {
 public:
  DeviceMap(const std::string& driver, const Device& device)
      : driver_(driver),
        shared_(device.shared),
        attributes_(&device.attributes),
        capacity_(&device.capacity) {}

  std::optional<Value> Find(const Value& key, Memory&) const override {
    if (key.kind != Value::Kind::kString) return std::nullopt;
    if (key.text == kAttributes) return Value::Map(&attributes_);
    if (key.text == kCapacity) return Value::Map(&capacity_);
    if (key.text == kDriver) return Value::String(driver_);
    if (key.text == kShared) return Value::Bool(shared_);
    return std::nullopt;
  }
  bool Contains(const Value& key, Memory& memory) const override {
    return Find(key, memory).has_value();
  }
  std::size_t Size() const override { return kNames.size(); }
  std::span<const Value> Keys(Memory& memory) const override {
    return StringValues(kNames, memory);
  }

 private:
  static constexpr std::array<std::string_view, 4> kNames = {
      kDriver, kShared, kAttributes, kCapacity};

  std::string_view driver_;
  bool shared_;
  DomainsMap<DeviceAttributes> attributes_;
  DomainsMap<DeviceAmounts> capacity_;
};

cel::Environment DeviceEnvironment(cel::TypePool& pool) {
  constexpr char kDevice[] = "kubernetes.DRADevice";
  cel::Environment environment;
  environment.variables["device"] = pool.FromText(kDevice);
  environment.fields[kDevice] = {
      {kDriver, pool.FromText("string")},
      {kShared, pool.FromText("bool")},
      {kAttributes, pool.FromText("map(string, map(string, any))")},
      {kCapacity,
       pool.FromText("map(string, map(string, kubernetes.Quantity))")}};
  return environment;
}

cel::Program Compile(std::string_view expression) {
  cel::TypePool pool;
  try {
    return cel::Program(expression, DeviceEnvironment(pool));
  } catch (const cel::ExpressionError& error) {
    throw SelectorError(error.what());
  }
}

}  // namespace

DeviceSelector::DeviceSelector(std::string_view expression)
    : program_(std::make_shared<const SelectorProgram>(
          SelectorProgram{Compile(expression)})) {}

DeviceSelector::Verdict DeviceSelector::Evaluate(const std::string& driver,
                                                 const Device& device) const {
  const DeviceMap map(driver, device);
  const Value value = Value::Map(&map);
  cel::Program::Result result =
      program_->program.Evaluate({&value, 1}, kMostCost);
  return {result.value, std::move(result.error), result.cost};
}

}  // namespace fluxnetes::matcher
