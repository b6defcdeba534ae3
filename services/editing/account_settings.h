// What can be said of an account (a row of `accounts`) on the command line, see
// row_settings.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::services {

// An object of columns and values for the query edit_account, as JSON text.
// "parent=" alone takes a value away; "quota=cpu=40,memory=100Gi" is an object.
// Throws Failure (kUsage) for an unknown key, a value that cannot be or a key
// given twice. Whether an amount is one, and a weight above 0, the database
// says.
std::string ParseAccountSettings(const std::vector<std::string>& settings);

// What would be right for a key, for people.
std::string_view RightAccountSetting(std::string_view key);

}  // namespace fluxnetes::services
