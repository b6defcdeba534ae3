// The settings of an account (a row of `accounts`) on the command line; see
// row_settings.h.
// Tests: tests/services/editing/account_command_pgtest.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::services {

// Returns an object of columns and values for the query edit_account, as JSON
// text. "parent=" alone sets the column to null; "quota=cpu=40,memory=100Gi" is
// an object. Throws Failure (kUsage) for an unknown key, an invalid value or a
// key given twice. The database checks amounts and that a weight is above 0.
std::string ParseAccountSettings(const std::vector<std::string>& settings);

// Returns the valid values of a key, for error messages.
std::string_view RightAccountSetting(std::string_view key);

}  // namespace fluxnetes::services
