#include "matcher/gangs/node_scan.h"

#include <algorithm>
#include <bit>

namespace fluxnetes::matcher {
namespace {

constexpr int kBlockBits = NodeOrder::kBlock;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// With more combinations of preferences than this, each node is looked at.
constexpr std::size_t kMaxChoices = 64;
constexpr std::size_t kMaxParts = 5;

}  // namespace

const std::uint64_t* NodeScan::Bits(NodeBits& bits) const {
  return bits.At(basis_->order.by_id, nodes_.orders());
}

void NodeScan::Begin(const PlanBasis& basis, const std::vector<Need>& needs,
                     const BookedRules* rules,
                     const std::vector<NodeMask::Word>* within) {
  basis_ = &basis;
  order_ = &nodes_.Order(basis.order.by_id);
  rules_ = rules;
  within_ = within;
  passed_.clear();
  rereads_ = rules != nullptr && !rules->Alone();
  if (rereads_) passed_.resize(nodes_.orders().blocks());
  levels_.clear();
  limit_ = basis.limits == nullptr || needs.empty()
               ? nullptr
               : &basis.limits->Of(basis.view, needs);
  ReadRules();
  ReadPreferences();
  MakeLevels();
  Restart();
}

void NodeScan::Restart() {
  level_ = 0;
  step_ = -1;
  block_ = -1;
  word_ = 0;
  place_ = -1;
  changes_ = Changes();
}

bool NodeScan::StartsSeries() const {
  if (rules_ == nullptr || rules_->needs.empty() || !rules_->may_start) {
    return false;
  }
  return std::ranges::all_of(rules_->needs, [&](TrackerId id) {
    return nodes_.book().At(id).At(basis_->present).total() == 0;
  });
}

void NodeScan::AddIn(const std::uint64_t* words) {
  if (words == nullptr) {
    nowhere_ = true;
  } else {
    in_.push_back(words);
  }
}

void NodeScan::AddIn(KeyId key, DomainSet& domains) {
  if (used_any_ == any_.size()) any_.emplace_back();
  Sets& any = any_[used_any_];
  any.clear();
  domains.Read(basis_->order.by_id, key, nodes_.book().space(), any);
  if (any.size() > 1) {
    ++used_any_;
  } else {
    AddIn(any.empty() ? nullptr : any[0]);
  }
}

void NodeScan::ReadRules() {
  in_.clear();
  used_any_ = 0;
  out_.clear();
  nowhere_ = false;
  AddIn(Bits(limit_ == nullptr ? nodes_.open() : limit_->room));
  if (rules_ == nullptr) return;
  TaskBook& book = nodes_.book();
  const bool by_id = basis_->order.by_id;
  AddIn(Bits(book.shapes()[rules_->shape].allowed));
  for (const TrackerId id : rules_->blocked_by) {
    Tracker& tracker = book.At(id);
    tracker.At(basis_->blocking)
        .nodes()
        .Read(by_id, tracker.key, book.space(), out_);
  }
  const bool empty = basis_->present == Stage::kEmpty;
  const bool starts = StartsSeries();
  for (const TrackerId id : rules_->needs) {
    if (empty && !rules_->may_start) break;
    Tracker& tracker = book.At(id);
    if (starts) {
      AddIn(Bits(nodes_.labels().Having(tracker.key)));
    } else {
      AddIn(tracker.key, tracker.At(basis_->present).nodes());
    }
  }
  for (const SpreadId id : rules_->spreads) {
    if (empty) break;
    Spread& spread = book.SpreadAt(id);
    AddIn(Bits(nodes_.labels().Having(spread.key)));
    spread.At(basis_->present)
        .over()
        .Read(by_id, spread.key, book.space(), out_);
  }
}

void NodeScan::ReadPreferences() {
  preferred_.clear();
  if (rules_ == nullptr || basis_->present == Stage::kEmpty) return;
  TaskBook& book = nodes_.book();
  for (const auto& [id, weight] : rules_->preferred) {
    Tracker& tracker = book.At(id);
    preferred_.push_back({{}, {}, weight});
    tracker.At(basis_->present)
        .nodes()
        .Read(basis_->order.by_id, tracker.key, book.space(),
              preferred_.back().in);
  }
  for (const SpreadId id : rules_->soft_spreads) {
    Spread& spread = book.SpreadAt(id);
    preferred_.push_back({{}, {}, kPreferencePoints});
    Part& part = preferred_.back();
    const std::uint64_t* having = Bits(nodes_.labels().Having(spread.key));
    if (having != nullptr) part.in.push_back(having);
    spread.At(basis_->present)
        .over()
        .Read(basis_->order.by_id, spread.key, book.space(), part.out);
  }
}

void NodeScan::MakeLevels() {
  if (rules_ == nullptr) {
    levels_.push_back({0, {{}}});
    return;
  }
  auto& classes = nodes_.book().shapes()[rules_->shape].by_points;
  if (preferred_.size() > kMaxParts ||
      (classes.size() << preferred_.size()) > kMaxChoices) {
    passed_.resize(nodes_.orders().blocks());
    return;
  }
  std::map<int, std::vector<Choice>, std::greater<>> by_points;
  for (auto& [points, bits] : classes) {
    const std::uint64_t* in = classes.size() == 1 ? nullptr : Bits(bits);
    for (std::uint32_t parts = 0; parts >> preferred_.size() == 0; ++parts) {
      int sum = points;
      for (std::size_t i = 0; i < preferred_.size(); ++i) {
        if ((parts >> i & 1) != 0) sum += preferred_[i].weight;
      }
      by_points[sum].push_back({in, parts});
    }
  }
  for (auto& [points, choices] : by_points) {
    levels_.push_back({points, std::move(choices)});
  }
  if (levels_.empty()) levels_.push_back({0, {{}}});
}

// Returns a number that differs after a change by which a node that was passed
// by may have become better or free.
std::uint64_t NodeScan::Changes() const {
  if (!rereads_) return 0;
  TaskBook& book = nodes_.book();
  std::uint64_t changes = 0;
  for (const SpreadId id : rules_->spreads) {
    changes += book.SpreadAt(id).At(basis_->present).lifts();
  }
  for (const SpreadId id : rules_->soft_spreads) {
    changes += book.SpreadAt(id).At(basis_->present).changes();
  }
  for (const auto& [id, weight] : rules_->preferred) {
    changes += book.At(id).At(basis_->present).changes();
  }
  return changes;
}

std::uint64_t NodeScan::Allowed(int block) const {
  std::uint64_t word = kAll;
  for (const std::uint64_t* in : in_) word &= in[block];
  for (std::size_t i = 0; i < used_any_; ++i) {
    std::uint64_t any = 0;
    for (const std::uint64_t* in : any_[i]) any |= in[block];
    word &= any;
  }
  for (const std::uint64_t* out : out_) word &= ~out[block];
  if (!passed_.empty()) word &= ~passed_[block];
  return word;
}

std::uint64_t NodeScan::Member(const Part& part, int block) const {
  std::uint64_t word = 0;
  for (const std::uint64_t* in : part.in) word |= in[block];
  for (const std::uint64_t* out : part.out) word &= ~out[block];
  return word;
}

std::uint64_t NodeScan::InLevel(int block) const {
  const Level& level = levels_[level_];
  if (preferred_.empty() && level.choices[0].in == nullptr) return kAll;
  std::uint64_t any = 0;
  for (const Choice& choice : level.choices) {
    std::uint64_t word = choice.in == nullptr ? kAll : choice.in[block];
    for (std::size_t i = 0; i < preferred_.size(); ++i) {
      const std::uint64_t member = Member(preferred_[i], block);
      word &= (choice.parts >> i & 1) != 0 ? member : ~member;
    }
    any |= word;
  }
  return any;
}

int NodeScan::blocks() const {
  return within_ == nullptr ? nodes_.orders().blocks()
                            : static_cast<int>(within_->size());
}

int NodeScan::BlockAt(int step) const {
  const int at = basis_->order.descending ? blocks() - 1 - step : step;
  return within_ == nullptr ? at : (*within_)[at].block;
}

// Returns the allowed nodes of a block.
std::uint64_t NodeScan::WordAt(int step) const {
  const std::uint64_t allowed = Allowed(BlockAt(step));
  if (within_ == nullptr) return allowed;
  const int at = basis_->order.descending ? blocks() - 1 - step : step;
  return allowed & (*within_)[at].bits;
}

bool NodeScan::NextBlock() {
  for (;;) {
    if (++step_ >= blocks()) {
      if (++level_ >= levels_.size()) return false;
      step_ = -1;
      continue;
    }
    block_ = BlockAt(step_);
    word_ = Allowed(block_) & InLevel(block_);
    if (within_ != nullptr) {
      const int at = basis_->order.descending ? blocks() - 1 - step_ : step_;
      word_ &= (*within_)[at].bits;
    }
    if (word_ != 0) return true;
  }
}

int NodeScan::FirstPlace(std::uint64_t word) const {
  return block_ * kBlockBits + (basis_->order.descending
                                    ? kBlockBits - 1 - std::countl_zero(word)
                                    : std::countr_zero(word));
}

NodeIndex NodeScan::Next() {
  if (nowhere_) return -1;
  if (levels_.empty()) return FindBest();
  while (word_ == 0) {
    if (level_ >= levels_.size() || !NextBlock()) return -1;
  }
  place_ = FirstPlace(word_);
  return order_->At(place_);
}

void NodeScan::Pass() {
  const std::uint64_t bit = std::uint64_t{1} << (place_ % kBlockBits);
  word_ &= ~bit;
  if (!passed_.empty()) passed_[place_ / kBlockBits] |= bit;
}

void NodeScan::Placed() {
  if (!rereads_) return;
  ReadRules();
  ReadPreferences();
  if (levels_.empty()) return;
  if (changes_ != Changes()) {
    Restart();
    return;
  }
  if (!nowhere_) word_ &= Allowed(block_);
}

void NodeScan::LeaveOut(KeyId key, DomainId domain) {
  NodeMask& mask = nodes_.labels().Mask(key, domain);
  for (const auto& part : mask.At(basis_->order.by_id, nodes_.orders())) {
    passed_[part.block] |= part.bits;
  }
  ReadRules();
  ReadPreferences();
  Restart();
}

void NodeScan::StayIn(KeyId key, DomainId domain) {
  passed_.assign(passed_.size(), kAll);
  NodeMask& mask = nodes_.labels().Mask(key, domain);
  for (const auto& part : mask.At(basis_->order.by_id, nodes_.orders())) {
    passed_[part.block] &= ~part.bits;
  }
  ReadRules();
  ReadPreferences();
  Restart();
}

int NodeScan::PointsAt(int block, int bit, NodeIndex node) const {
  int points = nodes_.book().shapes().Points(rules_->shape, node);
  for (const Part& part : preferred_) {
    if ((Member(part, block) >> bit & 1) != 0) points += part.weight;
  }
  return points;
}

NodeIndex NodeScan::FindBest() {
  int best = -1;
  int most = 0;
  for (int step = 0; step < blocks(); ++step) {
    block_ = BlockAt(step);
    std::uint64_t word = WordAt(step);
    while (word != 0) {
      const int place = FirstPlace(word);
      word &= ~(std::uint64_t{1} << (place % kBlockBits));
      const int points =
          PointsAt(block_, place % kBlockBits, order_->At(place));
      if (best >= 0 && points <= most) continue;
      best = place;
      most = points;
    }
  }
  place_ = best;
  return best < 0 ? -1 : order_->At(best);
}

void NodeScan::Gather(std::vector<NodeIndex>& nodes) {
  nodes.clear();
  if (nowhere_) return;
  if (levels_.empty()) return GatherBest(nodes);
  for (; nodes.empty() && level_ < levels_.size(); ++level_) {
    for (int step = 0; step < blocks(); ++step) {
      block_ = BlockAt(step);
      std::uint64_t word = WordAt(step);
      if (word != 0) word &= InLevel(block_);
      while (word != 0) {
        const int place = FirstPlace(word);
        word &= ~(std::uint64_t{1} << (place % kBlockBits));
        nodes.push_back(order_->At(place));
      }
    }
  }
}

void NodeScan::GatherBest(std::vector<NodeIndex>& nodes) {
  int most = 0;
  for (int step = 0; step < blocks(); ++step) {
    block_ = BlockAt(step);
    std::uint64_t word = WordAt(step);
    while (word != 0) {
      const int place = FirstPlace(word);
      word &= ~(std::uint64_t{1} << (place % kBlockBits));
      const NodeIndex node = order_->At(place);
      const int points = PointsAt(block_, place % kBlockBits, node);
      if (!nodes.empty() && points < most) continue;
      if (points > most || nodes.empty()) nodes.clear();
      most = points;
      nodes.push_back(node);
    }
  }
}

void NodeScan::PassAll(const std::vector<NodeIndex>& nodes) {
  if (passed_.empty()) return;
  for (const NodeIndex node : nodes) {
    const int place = order_->PositionOf(node);
    passed_[place / kBlockBits] |= std::uint64_t{1} << (place % kBlockBits);
  }
}

void NodeScan::PlacedOne() {
  if (!rereads_) return;
  ReadRules();
  ReadPreferences();
  Restart();
}

}  // namespace fluxnetes::matcher
