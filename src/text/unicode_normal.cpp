#include "text/unicode_normal.h"

#include <utf8proc.h>

#include <algorithm>
#include <new>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "text/unicode_classes.h"

namespace kelda::text {
namespace {

// Up to this code point no character has a compatibility decomposition, combines, or is decomposed.
constexpr uint32_t kLastAscii = 0x7F;
// Below this one nothing combines, and canonical composition changes nothing.
constexpr uint32_t kFirstMark = 0x300;

int combining_class(utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; }

// Code points between two characters that do not combine with anything outside.
class Run {
 public:
  explicit Run(NormalForm form)
      : compose_(form == NormalForm::kNfc || form == NormalForm::kNfkc),
        compatible_(form == NormalForm::kNfkc || form == NormalForm::kNfkd) {}

  void add(uint32_t c) {
    const auto options =
        static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | (compatible_ ? UTF8PROC_COMPAT : 0));
    utf8proc_int32_t parts[32];  // the longest decomposition has 18
    int last_boundary = 0;
    const utf8proc_ssize_t n = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts,
                                                       std::size(parts), options, &last_boundary);
    KELDA_CHECK(n >= 0 && n <= static_cast<utf8proc_ssize_t>(std::size(parts)));
    points_.insert(points_.end(), parts, parts + n);
  }

  void flush(std::string& out) {
    sort_marks();
    auto n = static_cast<utf8proc_ssize_t>(points_.size());
    if (compose_ && n > 0) {
      const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
      n = utf8proc_normalize_utf32(points_.data(), n, options);
      KELDA_CHECK(n >= 0);
    }
    for (utf8proc_ssize_t i = 0; i < n; ++i)
      append_utf8(static_cast<uint32_t>(points_[static_cast<std::size_t>(i)]), out);
    points_.clear();
  }

 private:
  // Canonical order: within a run of marks by class, else as they came.
  void sort_marks() {
    auto begin = points_.begin();
    while (begin != points_.end()) {
      if (combining_class(*begin) == 0) {
        ++begin;
        continue;
      }
      const auto end = std::find_if(begin, points_.end(), [](auto c) { return combining_class(c) == 0; });
      std::stable_sort(begin, end, [](auto a, auto b) { return combining_class(a) < combining_class(b); });
      begin = end;
    }
  }

  bool compose_, compatible_;
  std::vector<utf8proc_int32_t> points_;
};

}  // namespace

void append_normal_form(std::string_view utf8, NormalForm form, std::string& out) {
  const uint32_t inert_below = form == NormalForm::kNfc ? kFirstMark : kLastAscii + 1;
  Run run(form);
  std::size_t plain = 0,
              i = 0;  // [plain, i) is to be copied, but for a last character that may be combined with
  while (i < utf8.size()) {
    if (static_cast<uint8_t>(utf8[i]) <= kLastAscii) {
      ++i;
      continue;
    }
    Utf8Sequence s = next_utf8(utf8.substr(i));
    if (s.code_point < inert_below) {
      i += s.length;
      continue;
    }
    // Everything from the character before, to the next two inert ones, is normalised together.
    std::size_t from = i;
    while (from > plain && (static_cast<uint8_t>(utf8[--from]) & 0xC0) == 0x80) {
    }
    out.append(utf8, plain, from - plain);
    i = from;
    for (bool inert_before = false; i < utf8.size(); i += s.length) {
      s = next_utf8(utf8.substr(i));
      const bool inert = s.code_point < inert_below;
      if (inert && inert_before) break;
      inert_before = inert && i != from;
      if (contains(kNotNormalised, s.code_point)) {
        run.flush(out);
        append_utf8(s.code_point, out);
      } else {
        run.add(s.code_point);
      }
    }
    run.flush(out);
    plain = i;
  }
  out.append(utf8, plain);
}

}  // namespace kelda::text
