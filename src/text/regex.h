// Regular expressions over UTF-8, compiled to machine code by PCRE2. Three traps are closed here: the library
// would check the UTF-8 of the whole rest of the text at every match (quadratic); its classes change with its
// version; and its options differ from Oniguruma's Ruby syntax, in which Hugging Face's files are written
// ("^" and "$" at every line). So subjects must be valid UTF-8, and patterns go through pin_classes().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;
struct pcre2_real_match_context_8;

namespace kelda::text {

class Regex {
 public:
  // Throws kUnsupported with the place in `pattern` for one that does not compile.
  explicit Regex(std::string_view pattern);

  struct Match {
    std::size_t begin, end;
  };

  // The scratch of one thread's searches. The Regex must outlive it.
  class Matcher {
   public:
    explicit Matcher(const Regex& regex);
    // The leftmost match at or after `from`; nothing before or after `subject` is looked at. `subject` must
    // be valid UTF-8 (unchecked) and `from` the beginning of a character. Throws kUnsupported for a pattern
    // that needs too many steps here: patterns come with files.
    std::optional<Match> find(std::string_view subject, std::size_t from);

   private:
    struct Free {
      void operator()(pcre2_real_match_data_8* p) const;
      void operator()(pcre2_real_match_context_8* p) const;
    };
    const Regex* regex_;
    std::unique_ptr<pcre2_real_match_data_8, Free> data_;
    std::unique_ptr<pcre2_real_match_context_8, Free> context_;
  };

  // All matches in `subject` from left to right, none overlapping. One that is empty is reported where it
  // stands, but not right after another match.
  class Walk {
   public:
    Walk(Matcher& matcher, std::string_view subject) : matcher_(&matcher), subject_(subject) {}
    std::optional<Match> next();

   private:
    Matcher* matcher_;
    std::string_view subject_;
    std::size_t from_ = 0, last_end_ = SIZE_MAX;
  };

 private:
  struct Free {
    void operator()(pcre2_real_code_8* p) const;
  };
  std::unique_ptr<pcre2_real_code_8, Free> code_;
};

}  // namespace kelda::text
