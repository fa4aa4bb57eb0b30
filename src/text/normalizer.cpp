#include "text/normalizer.h"

#include <algorithm>

#include "base/check.h"
#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/unicode_classes.h"

namespace kelda::text {
namespace {

// Calls `each(code_point, its bytes)` for every character.
template <typename Each>
void for_each_character(std::string_view text, Each&& each) {
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Sequence s = next_utf8(text.substr(i));
    each(s.code_point, text.substr(i, s.length));
    i += s.length;
  }
}

bool is_blank(uint32_t c) { return contains(kWhitespace, c); }

void append_lowercase(std::string_view text, std::string& out) {
  for_each_character(text, [&](uint32_t c, std::string_view bytes) {
    if (c < 0x80)
      out.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c));
    else if (c == 0x130)  // the only one whose lower case has two characters
      out += "i\u0307";
    else if (const uint32_t low = lowercase(c); low != c)
      append_utf8(low, out);
    else
      out += bytes;
  });
}

void append_without(std::string_view text, std::span<const CodeRange> dropped, std::string& out) {
  for_each_character(text, [&](uint32_t c, std::string_view bytes) {
    if (!contains(dropped, c)) out += bytes;
  });
}

struct Append {
  std::string_view text;
  std::string& out;

  void operator()(NormalForm form) const { append_normal_form(text, form, out); }
  void operator()(const Lowercase&) const { append_lowercase(text, out); }
  void operator()(const StripAccents&) const { append_without(text, kAccents, out); }
  void operator()(const Prepend& p) const {
    if (!text.empty()) out += p.text;
    out += text;
  }
  void operator()(const ReplaceText& r) const {
    KELDA_CHECK(!r.from.empty());
    std::size_t done = 0;
    for (std::size_t at; (at = text.find(r.from, done)) != std::string_view::npos;
         done = at + r.from.size()) {
      out += text.substr(done, at - done);
      out += r.to;
    }
    out += text.substr(done);
  }
  void operator()(const ReplaceMatches& r) const {
    Regex::Matcher matcher(*r.pattern);
    std::size_t done = 0;
    Regex::Walk walk(matcher, text);
    while (const auto match = walk.next()) {
      out += text.substr(done, match->begin - done);
      out += r.to;
      done = match->end;
    }
    out += text.substr(done);
  }
  void operator()(const StripBlanks& strip) const {
    std::size_t begin = text.size(), end = 0, at = 0;  // of what is not blank
    for_each_character(text, [&](uint32_t c, std::string_view bytes) {
      if (!is_blank(c)) {
        begin = std::min(begin, at);
        end = at + bytes.size();
      }
      at += bytes.size();
    });
    if (!strip.left) begin = 0;
    if (!strip.right) end = text.size();
    if (begin < end) out += text.substr(begin, end - begin);
  }
  void operator()(const SqueezeBlanks&) const {
    bool pending = false, any = false;
    for (const char c : text) {
      if (c == ' ') {
        pending = any;
        continue;
      }
      if (pending) out.push_back(' ');
      pending = false;
      any = true;
      out.push_back(c);
    }
  }
  void operator()(const BertRules& rules) const {
    // No step looks from one character to the next across ASCII, which none decomposes or composes.
    for (std::size_t i = 0; i < text.size();) {
      if (static_cast<uint8_t>(text[i]) < 0x80) {
        append_ascii(rules, text[i++]);
        continue;
      }
      std::size_t end = i;
      while (end < text.size() && static_cast<uint8_t>(text[end]) >= 0x80) ++end;
      append_other(rules, std::string(text.substr(i, end - i)));
      i = end;
    }
  }
  void append_ascii(const BertRules& rules, char c) const {
    const bool control = static_cast<uint8_t>(c) < 0x20 || c == 0x7F;
    if (rules.clean_text && control && c != '\t' && c != '\n' && c != '\r') return;
    if (rules.clean_text && control) c = ' ';
    out.push_back(rules.lowercase && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  void append_other(const BertRules& rules, std::string now) const {
    std::string next;
    const auto step = [&](bool wanted, auto&& append) {
      if (!wanted) return;
      next.clear();
      append();
      now.swap(next);
    };
    step(rules.clean_text, [&] {
      for_each_character(now, [&](uint32_t c, std::string_view bytes) {
        if (contains(kBertDropped, c)) return;
        next += is_blank(c) ? std::string_view(" ") : bytes;
      });
    });
    step(rules.chinese_chars, [&] {
      for_each_character(now, [&](uint32_t c, std::string_view bytes) {
        const bool alone = contains(kBertChinese, c);
        if (alone) next += ' ';
        next += bytes;
        if (alone) next += ' ';
      });
    });
    step(rules.strip_accents, [&] { append_normal_form(now, NormalForm::kNfd, next); });
    step(rules.strip_accents, [&] { append_without(now, kBertAccents, next); });
    step(rules.lowercase, [&] { append_lowercase(now, next); });
    out += now;
  }
  void operator()(const ToByteAlphabet&) const {
    for (const char c : text) out += byte_characters()[static_cast<uint8_t>(c)];
  }
};

}  // namespace

std::string_view Normalizer::apply(std::string_view text, std::string& out) const {
  if (steps_.empty()) return text;
  std::string before;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    std::string after;
    after.reserve(text.size() + 16);
    std::visit(Append{i == 0 ? text : std::string_view(before), after}, steps_[i]);
    before = std::move(after);
  }
  out = std::move(before);
  return out;
}

}  // namespace kelda::text
