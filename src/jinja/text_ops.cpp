#include "jinja/text_ops.h"

#include <algorithm>

#include "jinja/errors.h"
#include "jinja/runtime.h"
#include "jinja/search.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

bool is_in(std::string_view chars, std::string_view c) {
  for (std::size_t at = 0; at < chars.size();) {
    const std::size_t n = next_utf8(chars.substr(at)).length;
    if (chars.substr(at, n) == c) return true;
    at += n;
  }
  return false;
}

bool is_space_at(std::string_view all, std::size_t at) {
  return is(CharClass::kSpace, next_utf8(all.substr(at)).code_point);
}

std::size_t next_char(std::string_view all, std::size_t at) { return at + next_utf8(all.substr(at)).length; }

Value part(Runtime& rt, const Text& text, std::size_t begin, std::size_t end) {
  return rt.text(text.slice(begin, end));
}

}  // namespace

Text strip(Runtime& rt, const Text& text, const Text* chars, Side side) {
  const std::string_view all = text.bytes();
  rt.budget().touch(all.size());
  if (chars) rt.budget().touch(chars->size());
  const auto strippable = [&](std::size_t begin, std::size_t end) {
    rt.budget().step(1 + (chars ? static_cast<int64_t>(chars->size() / 16) : 0));
    return chars ? is_in(chars->bytes(), all.substr(begin, end - begin)) : is_space_at(all, begin);
  };
  std::size_t begin = 0, end = all.size();
  while (side != Side::kRight && begin < end && strippable(begin, next_char(all, begin)))
    begin = next_char(all, begin);
  while (side != Side::kLeft && begin < end) {
    const std::size_t last = previous_char(all.substr(0, end), end);
    if (!strippable(last, end)) break;
    end = last;
  }
  return text.slice(begin, end);
}

std::vector<Value> split(Runtime& rt, const Text& text, const Text& separator, int64_t max, bool from_right) {
  if (separator.empty()) raise(Raised::kValue, "empty separator");
  const std::string_view all = text.bytes(), cut = separator.bytes();
  rt.budget().touch(4 * all.size());
  std::vector<Value> parts;
  const auto add = [&](std::size_t begin, std::size_t end) {
    rt.budget().want(2 * parts.size() * sizeof(Value));
    parts.push_back(part(rt, text, begin, end));
  };
  const auto more = [&] { return max < 0 || static_cast<int64_t>(parts.size()) < max; };
  if (from_right && cut.size() <= all.size()) {
    rt.budget().want(all.size() + cut.size());
    const std::string backwards(all.rbegin(), all.rend()), wanted(cut.rbegin(), cut.rend());
    std::size_t done = 0;  // bytes from the right
    while (more()) {
      const std::size_t at = find_text(backwards, wanted, done);
      if (at == std::string_view::npos) break;
      add(all.size() - at, all.size() - done);
      done = at + cut.size();
    }
    add(0, all.size() - done);
    std::reverse(parts.begin(), parts.end());
    return parts;
  }
  std::size_t begin = 0;
  while (more()) {
    const std::size_t at = find_text(all, cut, begin);
    if (at == std::string_view::npos) break;
    add(begin, at);
    begin = at + cut.size();
  }
  add(begin, all.size());
  return parts;
}

std::vector<Value> split_white(Runtime& rt, const Text& text, int64_t max, bool from_right) {
  const std::string_view all = text.bytes();
  rt.budget().walk(all.size());
  std::vector<Value> parts;
  std::size_t begin = 0, end = all.size();
  const auto skip_left = [&] {
    while (begin < end && is_space_at(all, begin)) begin = next_char(all, begin);
  };
  const auto skip_right = [&] {
    while (end > begin && is_space_at(all, previous_char(all.substr(0, end), end)))
      end = previous_char(all.substr(0, end), end);
  };
  for (;;) {
    from_right ? skip_right() : skip_left();
    if (begin >= end) break;
    rt.budget().want(2 * parts.size() * sizeof(Value));
    if (max >= 0 && static_cast<int64_t>(parts.size()) >= max) {
      if (from_right) skip_left();
      if (!from_right) skip_right();
      // The rest keeps the white space on the side where cutting ended.
      parts.push_back(from_right ? part(rt, text, 0, end) : part(rt, text, begin, all.size()));
      break;
    }
    if (from_right) {
      std::size_t word = end;
      while (word > begin && !is_space_at(all, previous_char(all.substr(0, word), word)))
        word = previous_char(all.substr(0, word), word);
      parts.push_back(part(rt, text, word, end));
      end = word;
    } else {
      std::size_t word = begin;
      while (word < end && !is_space_at(all, word)) word = next_char(all, word);
      parts.push_back(part(rt, text, begin, word));
      begin = word;
    }
  }
  if (from_right) std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<Text> split_lines(Runtime& rt, const Text& text, bool keep_ends) {
  const std::string_view all = text.bytes();
  rt.budget().walk(all.size());
  std::vector<Text> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < all.size();) {
    const Utf8Sequence c = next_utf8(all.substr(at));
    const uint32_t p = c.code_point;
    const bool ends =
        (p >= 10 && p <= 13) || (p >= 0x1C && p <= 0x1E) || p == 0x85 || p == 0x2028 || p == 0x2029;
    std::size_t next = at + c.length;
    if (!ends) {
      at = next;
      continue;
    }
    if (p == '\r' && next < all.size() && all[next] == '\n') ++next;
    rt.budget().step();
    rt.budget().want(2 * lines.size() * sizeof(Text) + all.size());
    lines.push_back(text.slice(begin, keep_ends ? next : at));
    begin = at = next;
  }
  if (begin < all.size()) lines.push_back(text.slice(begin, all.size()));
  return lines;
}

Text replace(Runtime& rt, const Text& text, const Text& from, const Text& to, int64_t max) {
  const std::string_view all = text.bytes();
  rt.budget().touch(4 * all.size());
  Text out;
  std::size_t begin = 0;
  const auto insert = [&] {
    rt.budget().step();
    rt.budget().want(2 * (out.size() + to.size()));
    rt.budget().touch(to.size());
    out.append(to);
  };
  int64_t done = 0;
  if (from.empty()) {
    for (std::size_t at = 0; max < 0 || done < max; ++done) {
      insert();
      if (at >= all.size()) break;
      const std::size_t next = next_char(all, at);
      out.append(text, at, next);
      begin = at = next;
    }
  } else {
    while (max < 0 || done < max) {
      const std::size_t at = find_text(all, from.bytes(), begin);
      if (at == std::string_view::npos) break;
      out.append(text, begin, at);
      insert();
      begin = at + from.size();
      ++done;
    }
  }
  out.append(text, begin, all.size());
  return out;
}

void TextJoiner::add(const Text& text) {
  rt_.budget().want(2 * (out_.size() + separator_.size() + text.size()));
  rt_.budget().touch(separator_.size() + text.size());
  if (!first_) out_.append(separator_);
  first_ = false;
  out_.append(text);
}

}  // namespace kelda::jinja
