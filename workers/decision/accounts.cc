#include "workers/decision/accounts.h"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <tuple>

#include "cluster/text/quantity.h"

namespace fluxnetes::workers {

std::int64_t AmountOf(const std::string& resource, const std::string& text) {
  try {
    return resource == "cpu" ? cluster::ParseCpuMilli(text)
                             : cluster::ParseQuantity(text);
  } catch (const std::invalid_argument&) {
    return std::numeric_limits<std::int64_t>::max() / 4;
  }
}

PayerId AccountTree::Intern(const Payer& payer) {
  const auto [place, added] =
      ids_.try_emplace(payer, static_cast<PayerId>(payers_.size()));
  if (added) payers_.push_back(payer);
  return place->second;
}

void AccountTree::Set(std::vector<Account> accounts) {
  accounts_ = std::move(accounts);
  named_ = accounts_.size();
  of_namespaces_.clear();
  paths_.clear();
  std::map<std::string, AccountId> by_name;
  for (std::size_t i = 0; i < named_; ++i)
    by_name.emplace(accounts_[i].name, static_cast<AccountId>(i));
  parents_.assign(named_, std::nullopt);
  for (std::size_t i = 0; i < named_; ++i) {
    const auto parent = by_name.find(accounts_[i].parent);
    if (parent != by_name.end()) parents_[i] = parent->second;
  }
  for (std::size_t i = 0; i < named_; ++i) {
    std::set<AccountId> above;
    auto up = parents_[i];
    while (up && *up != static_cast<AccountId>(i) && above.insert(*up).second)
      up = parents_[Index(*up)];
    if (up && *up == static_cast<AccountId>(i)) parents_[i].reset();
  }
}

std::optional<AccountId> AccountTree::Closest(const Payer& payer) const {
  const auto says = [](const auto& wanted, const std::string& value) {
    return !wanted || *wanted == value;
  };
  std::optional<AccountId> closest;
  std::tuple<bool, bool, bool> most;
  for (std::size_t i = 0; i < named_; ++i) {
    const Account& account = accounts_[i];
    const std::tuple<bool, bool, bool> names(account.label.has_value(),
                                             account.namespace_name.has_value(),
                                             account.queue.has_value());
    if (names <= most || !says(account.label, payer.label) ||
        !says(account.namespace_name, payer.namespace_name) ||
        !says(account.queue, payer.queue))
      continue;
    most = names;
    closest = static_cast<AccountId>(i);
  }
  return closest;
}

AccountId AccountTree::OfNamespace(std::optional<AccountId> parent,
                                   const std::string& namespace_name) {
  const auto [place, added] =
      of_namespaces_.try_emplace({parent, namespace_name}, size());
  if (added) {
    Account account;
    account.name = namespace_name;
    if (parent) account.parent = at(*parent).name;
    account.namespace_name = namespace_name;
    accounts_.push_back(std::move(account));
    parents_.push_back(parent);
  }
  return place->second;
}

AccountTree::Path AccountTree::PathTo(AccountId account) const {
  Path path{account};
  for (auto up = parents_[Index(account)]; up; up = parents_[Index(*up)])
    path.push_back(*up);
  std::reverse(path.begin(), path.end());
  return path;
}

const AccountTree::Path& AccountTree::PathOf(PayerId payer) {
  if (paths_.size() < payers_.size()) paths_.resize(payers_.size());
  Path& path = paths_[Index(payer)];
  if (!path.empty()) return path;
  const Payer& who = payers_[Index(payer)];
  const auto closest = Closest(who);
  const bool whole =
      closest && (at(*closest).label || at(*closest).namespace_name);
  path = PathTo(whole ? *closest : OfNamespace(closest, who.namespace_name));
  return path;
}

}  // namespace fluxnetes::workers
