// Accounts: the tree by which the use of groups is charged, with weights for
// fair shares (fair_share.h) and quotas (quotas.h). A group belongs to the
// account that selects it most closely:
//
//   label      the groups whose pods have the label fluxnetes.account=LABEL
//   namespace  the groups of a namespace
//   queue      the groups of a scheduling queue
//
// An account may name several of these; it then selects the groups that match
// all of them. One that names none has only the groups of its children. Where
// several accounts match, a label takes precedence over a namespace, and a
// namespace over a queue. Groups that no account matches belong to the root. In
// an account that names neither a label nor a namespace, each namespace is an
// account of its own, of weight 1 and without a quota: by default namespaces
// share equally.
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

// The three fields of a group that select its account.
struct Payer {
  std::string queue;
  std::string namespace_name;
  std::string label;
  auto operator<=>(const Payer&) const = default;
};

// The decayed use of a payer's groups, in seconds of the whole cluster.
struct AccountUse {
  Payer payer;
  double used = 0;
};

// The amounts that a payer's groups hold, by resource and in the units of
// quotas.
struct AccountHolds {
  Payer payer;
  std::map<std::string, std::int64_t> amounts;
  bool operator==(const AccountHolds&) const = default;
};

struct UsedByAccounts {
  std::vector<AccountUse> uses;
  std::int64_t at = 0;  // when it was recorded, in seconds since 1970
};

// Parses an amount as pods write it, whose syntax has been checked: "500m" cpu
// gives 500, "2Gi" memory gives bytes. Amounts beyond 64 bits are clamped.
std::int64_t AmountOf(const std::string& resource, const std::string& text);

using PayerId = int;
using AccountId = int;

class AccountTree {
 public:
  // The accounts from just below the root down to a payer's own.
  using Path = std::vector<AccountId>;

  PayerId Intern(const Payer& payer);
  const Payer& payer(PayerId payer) const { return payers_[Index(payer)]; }
  std::size_t payers() const { return payers_.size(); }

  // Replaces all accounts; paths and account ids change. An account whose
  // parent is unknown, or is below the account itself, is put below the root:
  // writers of accounts must prevent that.
  void Set(std::vector<Account> accounts);
  // True if any account is configured.
  bool HasAccounts() const { return named_ > 0; }

  const Path& PathOf(PayerId payer);
  Path PathTo(AccountId account) const;
  const Account& at(AccountId account) const {
    return accounts_[Index(account)];
  }
  std::size_t size() const { return accounts_.size(); }

 private:
  static std::size_t Index(int id) { return static_cast<std::size_t>(id); }
  // Returns nothing for the root.
  std::optional<AccountId> Closest(const Payer& payer) const;
  AccountId OfNamespace(std::optional<AccountId> parent,
                        const std::string& namespace_name);

  std::vector<Payer> payers_;
  std::map<Payer, PayerId> ids_;
  std::vector<Account> accounts_;  // those of namespaces come last
  std::vector<std::optional<AccountId>> parents_;
  std::size_t named_ = 0;
  std::map<std::pair<std::optional<AccountId>, std::string>, AccountId>
      of_namespaces_;
  std::vector<Path> paths_;  // by payer; empty: not computed yet
};

}  // namespace fluxnetes::workers
