// Who answers for what groups use: accounts, in a tree, with weights for fair
// shares (fair_share.h) and quotas (quotas.h). A group belongs to the account
// that names it most closely:
//
//   label      the groups whose pods have the label fluxnetes.account=LABEL
//   namespace  the groups of a namespace
//   queue      the groups of a scheduling queue
//
// An account may name several of these, and then wants all of them; one that
// names none has only what its children have. Of several that match, a label
// goes before a namespace and this before a queue. Groups that none matches
// belong to the root. Where an account names neither a label nor a namespace,
// each namespace in it is an account of its own, of weight 1 and without a
// quota: namespaces share equally until somebody says otherwise.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::workers {

struct Account {
  std::string name;
  std::string parent = {};  // empty: below the root, which has no row
  std::optional<std::string> label = {};
  std::optional<std::string> namespace_name = {};
  std::optional<std::string> queue = {};
  double weight = 1;  // above 0
  // By resource (cpu in thousandths, memory in bytes, pods, nvidia.com/gpu).
  std::map<std::string, std::int64_t> quota = {};
  bool borrows = false;  // may use more than its quota
  bool operator==(const Account&) const = default;
};

// What of a group decides to which account it belongs.
struct Payer {
  std::string queue;
  std::string namespace_name;
  std::string label;
  auto operator<=>(const Payer&) const = default;
};

// What the groups of a payer have used of the cluster, decayed, in seconds of
// all of it.
struct AccountUse {
  Payer payer;
  double used = 0;
};

// What the groups of a payer hold, by resource and in units as in quotas.
struct AccountHolds {
  Payer payer;
  std::map<std::string, std::int64_t> amounts;
  bool operator==(const AccountHolds&) const = default;
};

struct UsedByAccounts {
  std::vector<AccountUse> uses;
  std::int64_t at = 0;  // as of then, in seconds since the epoch
};

// Of an amount as in pods, of which the syntax was checked: "500m" cpu are 500,
// "2Gi" memory are bytes. What is beyond 64 bits is more than there can be.
std::int64_t AmountOf(const std::string& resource, const std::string& text);

using PayerId = int;
using AccountId = int;

class AccountTree {
 public:
  // The accounts on the way to a payer's, from below the root down to its own.
  using Path = std::vector<AccountId>;

  PayerId Intern(const Payer& payer);
  const Payer& payer(PayerId payer) const { return payers_[Index(payer)]; }
  std::size_t payers() const { return payers_.size(); }

  // All accounts, in place of those before: paths and ids are others then. One
  // whose parent is not known, or is below itself, is put below the root: who
  // writes accounts has to see to it.
  void Set(std::vector<Account> accounts);
  // Whether anybody has said anything about accounts.
  bool HasAccounts() const { return named_ > 0; }

  const Path& PathOf(PayerId payer);
  Path PathTo(AccountId account) const;
  const Account& at(AccountId account) const {
    return accounts_[Index(account)];
  }
  std::size_t size() const { return accounts_.size(); }

 private:
  static std::size_t Index(int id) { return static_cast<std::size_t>(id); }
  // Nothing: the root.
  std::optional<AccountId> Closest(const Payer& payer) const;
  AccountId OfNamespace(std::optional<AccountId> parent,
                        const std::string& namespace_name);

  std::vector<Payer> payers_;
  std::map<Payer, PayerId> ids_;
  std::vector<Account> accounts_;  // those of namespaces behind the others
  std::vector<std::optional<AccountId>> parents_;
  std::size_t named_ = 0;
  std::map<std::pair<std::optional<AccountId>, std::string>, AccountId>
      of_namespaces_;
  std::vector<Path> paths_;  // of payers; empty: not looked for yet
};

}  // namespace fluxnetes::workers
