#include "sql/values/parameter.h"

#include <fmt/format.h>
#include <strings.h>

namespace fluxnetes::sql {
namespace {

bool NeedsQuotes(const std::string& text) {
  if (text.empty()) return true;
  if (text.size() == 4 && strcasecmp(text.c_str(), "null") == 0) return true;
  return text.find_first_of("{}\",\\ \t\n\r\v\f") != std::string::npos;
}

}  // namespace

Parameter::Parameter(double value) : text_(fmt::format("{}", value)) {}

Parameter::Parameter(Timestamp value) {
  using std::chrono::floor;
  const auto day = floor<std::chrono::days>(value);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(value - day);
  const int year = static_cast<int>(date.year());
  text_ = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}+00{}",
                      year > 0 ? year : 1 - year,
                      static_cast<unsigned>(date.month()),
                      static_cast<unsigned>(date.day()), time.hours().count(),
                      time.minutes().count(), time.seconds().count(),
                      time.subseconds().count(), year > 0 ? "" : " BC");
}

void Parameter::AppendElement(const Parameter& element) {
  if (text_->size() > 1) text_->push_back(',');
  if (!element.text_) {
    *text_ += "NULL";
  } else if (!NeedsQuotes(*element.text_)) {
    *text_ += *element.text_;
  } else {
    text_->push_back('"');
    for (const char c : *element.text_) {
      if (c == '"' || c == '\\') text_->push_back('\\');
      text_->push_back(c);
    }
    text_->push_back('"');
  }
}

}  // namespace fluxnetes::sql
