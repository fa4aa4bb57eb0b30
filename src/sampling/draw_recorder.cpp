#include "sampling/draw_recorder.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/cpu.h"
#include "base/math.h"

namespace kelda::sampling {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;

// The candidate with the raw logit of its id.
bool better_raw(const CandidateRecord& a, const CandidateRecord& b) {
  return better({a.id, a.logit}, {b.id, b.logit});
}

std::vector<Candidate> best_of(const Candidates& candidates, std::size_t n) {
  std::vector<Candidate> best;
  n = std::min(n, candidates.size());
  if (n == 0) return best;
  BestOf chosen(n, candidates.vocab_size(), best);
  for (const Candidate& c : candidates.all()) chosen.offer(c);
  chosen.finish(true);
  return best;
}

}  // namespace

// Into p_, which is 0 for what is not among them. Returns the entropy in bits: the mean of −log2 p, which is
// the distance to the best logit plus the log of the total.
double DrawRecorder::set_probabilities(const Candidates& left) {
  const double max = static_cast<double>(left.best().logit);
  weights_.assign(left.all(), left.best().logit);
  double distances = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Candidate& c = left.all()[i];
    const double weight = weights_.each()[i];
    p_[static_cast<std::size_t>(c.id)] = weight / weights_.total();
    if (weight > 0) distances += weight * (max - static_cast<double>(c.logit));
  }
  return std::max(0.0, distances / weights_.total() + log_f64(weights_.total())) / kLn2;
}

void DrawRecorder::begin(std::span<const float> logits) {
  const FloatEnvironment rounding;
  record_ = {};
  raw_.assign(logits);
  KELDA_CHECK(raw_.size() > 0);
  p_.assign(logits.size(), 0.0);
  removed_by_.assign(logits.size(), -1);
  record_.n_raw = raw_.size();
  record_.raw_entropy = set_probabilities(raw_);
  raw_p_ = p_;
  ids_.clear();
  for (const Candidate& c : raw_.all()) ids_.push_back(c.id);
}

void DrawRecorder::begins(const Candidates& all) {
  KELDA_CHECK(p_.size() == all.vocab_size());
  if (all.size() != raw_.size()) ran("min_tokens", all);
}

void DrawRecorder::ran(std::string_view stage, const Candidates& left) {
  const auto index = static_cast<int>(record_.stages.size());
  const std::size_t n_before = ids_.size();
  StageRecord record{std::string(stage), left.size(), 0, 0};
  auto next = left.all().begin();
  for (const TokenId id : ids_) {
    const auto at = static_cast<std::size_t>(id);
    if (next != left.all().end() && next->id == id) {
      record.mass_kept += p_[at];
      record.mass_of_raw += raw_p_[at];
      ++next;
    } else {
      p_[at] = 0;
      removed_by_[at] = index;
    }
  }
  KELDA_CHECK(next == left.all().end());  // no stage adds candidates
  // A sum of all may be a rounding away from what it is.
  record.mass_kept = left.size() == n_before ? 1.0 : std::min(record.mass_kept, 1.0);
  record.mass_of_raw = left.size() == record_.n_raw ? 1.0 : std::min(record.mass_of_raw, 1.0);
  record_.stages.push_back(std::move(record));
  ids_.clear();
  for (const Candidate& c : left.all()) ids_.push_back(c.id);
  if (left.size() > 0) record_.entropy = set_probabilities(left);
}

void DrawRecorder::drew(const Draw& draw, const Candidates& left) {
  const FloatEnvironment rounding;
  if (record_.stages.empty()) record_.entropy = record_.raw_entropy;
  record_.draw = draw;
  record_.greedy = draw.uniform < 0;
  if (record_.greedy) {
    Candidates one = left;
    one.keep_down_to(left.best());
    ran("greedy", one);
  }
  choose(left);
}

void DrawRecorder::choose(const Candidates& left) {
  std::vector<TokenId> wanted = {record_.draw.id};
  for (const Candidate& c : best_of(raw_, n_top_)) wanted.push_back(c.id);
  for (const Candidate& c : best_of(left, n_top_)) wanted.push_back(c.id);
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (const TokenId id : wanted) {
    const auto at = static_cast<std::size_t>(id);
    record_.candidates.push_back({id, raw_.find(id)->logit, raw_p_[at], p_[at], removed_by_[at]});
  }
  std::sort(record_.candidates.begin(), record_.candidates.end(), better_raw);
}

DrawRecord DrawRecorder::take() { return std::exchange(record_, {}); }

}  // namespace kelda::sampling
