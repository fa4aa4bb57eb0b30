#include <random>
#include <utility>

#include "jinja/errors.h"
#include "jinja/unicode.h"
#include "jinja/value.h"

namespace kelda::jinja {
namespace {

// Keys come from requests: the hash is keyed so that nobody can choose keys that collide. The order of a dict
// does not depend on it.
struct HashKey {
  uint64_t a, b;
};

const HashKey& hash_key() {
  static const HashKey key = [] {
    std::random_device device;
    const auto word = [&device] { return (uint64_t{device()} << 32) | device(); };
    return HashKey{word(), word()};
  }();
  return key;
}

// SipHash-1-3. Source: Aumasson and Bernstein 2012, "SipHash: a fast short-input PRF".
class SipHash {
 public:
  SipHash() {
    const HashKey& k = hash_key();
    v0_ = k.a ^ 0x736f6d6570736575u;
    v1_ = k.b ^ 0x646f72616e646f6du;
    v2_ = k.a ^ 0x6c7967656e657261u;
    v3_ = k.b ^ 0x7465646279746573u;
  }
  void word(uint64_t m) {
    v3_ ^= m;
    round();
    v0_ ^= m;
  }
  uint64_t finish() {
    v2_ ^= 0xFF;
    for (int i = 0; i < 3; ++i) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  static uint64_t rotate(uint64_t x, int n) { return (x << n) | (x >> (64 - n)); }
  void round() {
    v0_ += v1_, v2_ += v3_;
    v1_ = rotate(v1_, 13) ^ v0_, v3_ = rotate(v3_, 16) ^ v2_;
    v0_ = rotate(v0_, 32);
    v2_ += v1_, v0_ += v3_;
    v1_ = rotate(v1_, 17) ^ v2_, v3_ = rotate(v3_, 21) ^ v0_;
    v2_ = rotate(v2_, 32);
  }
  uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace

uint64_t hash_bytes(std::string_view bytes) {
  SipHash sip;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = 0;
    for (int i = 7; i >= 0; --i)
      word = word << 8 | static_cast<uint8_t>(bytes[at + static_cast<std::size_t>(i)]);
    sip.word(word);
  }
  uint64_t last = uint64_t{bytes.size() & 0xFF} << 56;
  for (std::size_t i = at; i < bytes.size(); ++i) {
    last |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * (i - at));
  }
  sip.word(last);
  return sip.finish();
}

uint64_t hash_word(uint64_t word) {
  SipHash sip;
  sip.word(word);
  return sip.finish();
}

template <typename Equal>
std::size_t Dict::slot_of(uint64_t hash, const Equal& equal_at) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const uint32_t entry = slots_[slot];
    if (entry == 0 || (hashes_[entry - 1] == hash && equal_at(items_[entry - 1].first))) return slot;
  }
}

const Value* Dict::find(const Value& key) const {
  const auto h = hash(key);
  if (!h || items_.empty()) return nullptr;
  const uint32_t entry = slots_[slot_of(*h, [&key](const Value& other) { return same_item(key, other); })];
  return entry ? &items_[entry - 1].second : nullptr;
}

uint32_t Dict::entry_of(std::string_view key) const {
  if (items_.empty()) return 0;
  const auto same = [key](const Value& other) { return other.is_string() && other.str() == key; };
  return slots_[slot_of(hash_bytes(key), same)];
}

const Value* Dict::find(std::string_view key) const {
  const uint32_t entry = entry_of(key);
  return entry ? &items_[entry - 1].second : nullptr;
}

void Dict::rehash(std::size_t n_slots) {
  slots_.assign(n_slots, 0);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    slots_[slot_of(hashes_[i], [](const Value&) { return false; })] = static_cast<uint32_t>(i + 1);
  }
}

void Dict::set(const Value& key, Value value) {
  const auto h = hash(key);
  if (!h) raise(Raised::kType, "unhashable type: '{}'", type_name(key));
  if (3 * (items_.size() + 1) > 2 * slots_.size()) rehash(slots_.empty() ? 8 : 2 * slots_.size());
  uint32_t& entry = slots_[slot_of(*h, [&key](const Value& other) { return same_item(key, other); })];
  if (entry) {
    items_[entry - 1].second = std::move(value);
    return;
  }
  items_.emplace_back(key, std::move(value));
  hashes_.push_back(*h);
  entry = static_cast<uint32_t>(items_.size());
}

Value Dict::take(std::string_view key) {
  const uint32_t entry = entry_of(key);
  return entry ? std::exchange(items_[entry - 1].second, Value()) : Value();
}

void Dict::clear() {
  items_.clear();
  hashes_.clear();
  slots_.clear();
}

std::size_t Dict::memory() const {
  return items_.capacity() * sizeof(Item) + hashes_.capacity() * sizeof(uint64_t) +
         slots_.capacity() * sizeof(uint32_t);
}

}  // namespace kelda::jinja
