#include "sql/values/copy_row.h"

#include "sql/values/array.h"
#include "sql/values/binary_form.h"

namespace fluxnetes::sql {

void CopyRow::Integer(std::int64_t number, int bytes) {
  AppendInteger(to_, number, bytes);
  ++fields_;
}

void CopyRow::Text(std::string_view text) {
  AppendText(to_, text);
  ++fields_;
}

void CopyRow::Jsonb(std::string_view text) {
  AppendJsonb(to_, text);
  ++fields_;
}

void CopyRow::Time(Timestamp time) {
  AppendTime(to_, time);
  ++fields_;
}

void CopyRow::Texts(std::span<const std::string> texts) {
  Array array(Array::Type::kText, texts.size());
  for (const std::string& text : texts) array.Add(text);
  AppendText(to_, *array.Take().text());
  ++fields_;
}

void CopyRow::Null() {
  AppendNull(to_);
  ++fields_;
}

}  // namespace fluxnetes::sql
