#include "cluster/protobuf/encoded_value.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "cluster/protobuf/wire_reader.h"
#include "cluster/text/utf8.h"

namespace fluxnetes::cluster {
namespace {

constexpr std::uint32_t kKey = 1;  // of an entry of a map
constexpr std::uint32_t kValue = 2;
constexpr std::uint32_t kQuantityText = 1;
constexpr std::uint32_t kRawText = 1;
constexpr std::uint32_t kSeconds = 1;  // of a Time
// Of the years 1 to 9999, which RFC 3339 can write.
constexpr std::int64_t kFirstSecond = -62'135'596'800;
constexpr std::int64_t kLastSecond = 253'402'300'799;

// Into the order of JSON, with the last value of each key.
void Order(std::vector<EncodedValue::Entry>& entries) {
  const auto key = &EncodedValue::Entry::first;
  if (std::ranges::adjacent_find(entries, std::greater_equal<>(), key) ==
      entries.end())
    return;
  std::ranges::stable_sort(entries, std::less<>(), key);
  const auto kept = std::unique(entries.rbegin(), entries.rend(),
                                [](const auto& one, const auto& other) {
                                  return one.first == other.first;
                                });
  entries.erase(entries.begin(), kept.base());
}

// Adds a member for each field that is not in the table; `inside` as there.
void NameUnknown(const MessageFields& known, std::string_view message,
                 std::uint32_t inside, nlohmann::json& json) {
  for (WireReader reader(message); reader.Next();) {
    const std::uint32_t number = reader.field();
    const bool nests =
        inside == 0 &&
        std::ranges::find(known.fields, number, &MessageField::inside) !=
            known.fields.end();
    if (nests) {
      NameUnknown(known, reader.Bytes(), number, json);
      continue;
    }
    const bool is_known =
        std::ranges::any_of(known.fields, [&](const MessageField& field) {
          return field.number == number && field.inside == inside;
        });
    if (!is_known) json["field " + std::to_string(number)] = true;
  }
}

}  // namespace

bool EncodedValue::IsNull() const {
  return form_ == Form::kNull || (form_ == Form::kJson && json_->is_null());
}

bool EncodedValue::IsObject() const {
  return form_ == Form::kMessage || form_ == Form::kMap ||
         (form_ == Form::kJson && json_->is_object());
}

EncodedValue EncodedValue::At(std::string_view key) const {
  if (form_ == Form::kJson) {
    if (!json_->is_object()) return {};
    const auto member = json_->find(key);
    if (member == json_->end()) return {};
    return {*member};
  }
  if (form_ == Form::kMessage) {
    const MessageField* const field = fields_->Find(key);
    return field == nullptr ? EncodedValue() : Member(*field);
  }
  EncodedValue found;
  if (form_ == Form::kMap) {
    for (auto& [name, value] : Entries())
      if (name == key) found = value;
  }
  return found;
}

EncodedValue EncodedValue::Member(const MessageField& field) const {
  EncodedValue found;
  WireReader reader(field.inside == 0 ? bytes_ : BytesOf(bytes_, field.inside));
  while (reader.Next()) {
    if (reader.field() != field.number) continue;
    if (field.shape != MessageField::Shape::kOne) {
      found.form_ =
          field.shape == MessageField::Shape::kList ? Form::kList : Form::kMap;
      found.field_ = &field;
      found.bytes_ = reader.FromHere();
      return found;
    }
    if (field.type == MessageField::Type::kFlag ||
        field.type == MessageField::Type::kInteger) {
      found.form_ =
          field.type == MessageField::Type::kFlag ? Form::kFlag : Form::kNumber;
      found.number_ = reader.Number();
      continue;
    }
    found = One(field, reader.Bytes());
    const bool empty =
        !field.optional &&
        (found.form_ == Form::kText || found.form_ == Form::kTime) &&
        found.bytes_.empty();
    if (empty) found = {};
  }
  return found;
}

EncodedValue EncodedValue::One(const MessageField& field,
                               std::string_view bytes) {
  if (field.type == MessageField::Type::kMessage)
    return {*field.message, bytes};
  EncodedValue value;
  value.form_ = field.type == MessageField::Type::kTime  ? Form::kTime
                : field.type == MessageField::Type::kRaw ? Form::kRaw
                                                         : Form::kText;
  value.bytes_ = field.type == MessageField::Type::kQuantity
                     ? BytesOf(bytes, kQuantityText)
                     : bytes;
  return value;
}

std::vector<EncodedValue> EncodedValue::List() const {
  std::vector<EncodedValue> all;
  if (form_ == Form::kJson && json_->is_array()) {
    all.assign(json_->begin(), json_->end());
  } else if (form_ == Form::kList) {
    for (WireReader reader(bytes_); reader.Next();) {
      if (reader.field() == field_->number)
        all.push_back(One(*field_, reader.Bytes()));
    }
  }
  return all;
}

std::vector<EncodedValue::Entry> EncodedValue::Entries() const {
  std::vector<Entry> all;
  if (form_ == Form::kJson && json_->is_object()) {
    for (const auto& [name, value] : json_->items())
      all.emplace_back(name, value);
  } else if (form_ == Form::kMap) {
    for (WireReader reader(bytes_); reader.Next();) {
      if (reader.field() != field_->number) continue;
      const std::string_view entry = reader.Bytes();
      all.emplace_back(ToUtf8(BytesOf(entry, kKey)),
                       One(*field_, BytesOf(entry, kValue)));
    }
    Order(all);
  }
  return all;
}

std::optional<std::string> EncodedValue::Text() const {
  if (form_ == Form::kText) return ToUtf8(bytes_);
  if (form_ != Form::kJson || !json_->is_string()) return std::nullopt;
  return json_->get<std::string>();
}

std::optional<std::int64_t> EncodedValue::Integer() const {
  if (form_ == Form::kNumber) return static_cast<std::int64_t>(number_);
  if (form_ != Form::kJson || !json_->is_number_integer()) return std::nullopt;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (json_->is_number_unsigned() && json_->get<std::uint64_t>() > kMost)
    return kMost;
  return json_->get<std::int64_t>();
}

bool EncodedValue::IsFlag() const {
  return form_ == Form::kFlag || (form_ == Form::kJson && json_->is_boolean());
}

bool EncodedValue::Flag() const {
  if (form_ == Form::kFlag) return number_ != 0;
  return form_ == Form::kJson && json_->is_boolean() && json_->get<bool>();
}

bool EncodedValue::IsTime() const {
  if (form_ == Form::kTime) return true;
  return form_ == Form::kJson && json_->is_string() &&
         !json_->get_ref<const std::string&>().empty();
}

std::optional<Time> EncodedValue::ReadTime() const {
  if (form_ != Form::kTime) return ParseTimestamp(Text().value_or(""));
  std::int64_t seconds = 0;
  for (WireReader reader(bytes_); reader.Next();) {
    if (reader.field() == kSeconds)
      seconds = static_cast<std::int64_t>(reader.Number());
  }
  if (seconds < kFirstSecond || seconds > kLastSecond) return std::nullopt;
  return Time(std::chrono::seconds(seconds));
}

std::string EncodedValue::Written() const {
  if (auto text = Text()) return std::move(*text);
  return form_ == Form::kJson ? json_->dump() : "";
}

const nlohmann::json& EncodedValue::Json() const {
  static const nlohmann::json kNothing;
  return form_ == Form::kJson ? *json_ : kNothing;
}

nlohmann::json EncodedValue::ToJson() const {
  nlohmann::json json;
  switch (form_) {
    case Form::kNull:
      break;
    case Form::kJson:
      json = *json_;
      break;
    case Form::kText:
      json = *Text();
      break;
    case Form::kNumber:
      json = static_cast<std::int64_t>(number_);
      break;
    case Form::kFlag:
      json = number_ != 0;
      break;
    case Form::kTime: {
      const auto time = ReadTime();
      json = time ? FormatTimestamp(*time) : "of no year";
      break;
    }
    case Form::kRaw:
      json = nlohmann::json::parse(BytesOf(bytes_, kRawText), nullptr,
                                   /*allow_exceptions=*/false);
      if (json.is_discarded()) json = nullptr;
      break;
    case Form::kMessage:
      json = MessageToJson();
      break;
    case Form::kList:
      json = nlohmann::json::array();
      for (const EncodedValue& each : List()) json.push_back(each.ToJson());
      break;
    case Form::kMap:
      json = nlohmann::json::object();
      for (const auto& [key, value] : Entries()) json[key] = value.ToJson();
      break;
  }
  return json;
}

nlohmann::json EncodedValue::MessageToJson() const {
  nlohmann::json json = nlohmann::json::object();
  for (const MessageField& field : fields_->fields) {
    const EncodedValue value = Member(field);
    if (!value.IsNull()) json[std::string(field.name)] = value.ToJson();
  }
  if (fields_->whole) NameUnknown(*fields_, bytes_, 0, json);
  return json;
}

EncodedValue At(const EncodedValue& object, std::string_view key) {
  return object.At(key);
}

std::string Text(const EncodedValue& object, std::string_view key,
                 const char* otherwise) {
  auto text = object.At(key).Text();
  return text ? std::move(*text) : otherwise;
}

bool Flag(const EncodedValue& object, std::string_view key) {
  return object.At(key).Flag();
}

std::vector<EncodedValue> List(const EncodedValue& value) {
  return value.List();
}

std::vector<std::string> Texts(const EncodedValue& list) {
  std::vector<std::string> texts;
  for (const EncodedValue& value : list.List()) {
    if (auto text = value.Text()) texts.push_back(std::move(*text));
  }
  return texts;
}

}  // namespace fluxnetes::cluster
