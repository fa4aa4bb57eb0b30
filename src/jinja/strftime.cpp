#include "jinja/strftime.h"

#include <fmt/format.h>

#include <optional>

namespace kelda::jinja {
namespace {

constexpr const char* kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                 "Thursday", "Friday", "Saturday"};
constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                   "July",    "August",   "September", "October", "November", "December"};

struct Moment {
  int year, month, day;  // month and day from 1
  int hour, minute, second, microsecond;
  int weekday;   // 0: Sunday
  int year_day;  // from 0
};

Moment split(std::chrono::sys_time<std::chrono::microseconds> time) {
  using namespace std::chrono;
  const auto date = floor<days>(time);
  const year_month_day ymd(date);
  const hh_mm_ss clock(time - date);
  const auto new_year = sys_days(ymd.year() / January / 1);
  return {static_cast<int>(ymd.year()),
          static_cast<int>(static_cast<unsigned>(ymd.month())),
          static_cast<int>(static_cast<unsigned>(ymd.day())),
          static_cast<int>(clock.hours().count()),
          static_cast<int>(clock.minutes().count()),
          static_cast<int>(clock.seconds().count()),
          static_cast<int>(clock.subseconds().count()),
          static_cast<int>(weekday(date).c_encoding()),
          static_cast<int>((date - new_year).count())};
}

// ISO 8601: the week that has the year's first Thursday is week 1.
struct IsoWeek {
  int year, week;
};

int iso_week_count(int year) {
  const auto dec28 = std::chrono::sys_days(std::chrono::year(year) / std::chrono::December / 28);
  const Moment m = split(dec28);
  return (m.year_day - (m.weekday + 6) % 7 + 10) / 7;
}

IsoWeek iso_week(const Moment& m) {
  const int week = (m.year_day - (m.weekday + 6) % 7 + 10) / 7;
  if (week < 1) return {m.year - 1, iso_week_count(m.year - 1)};
  if (week > iso_week_count(m.year)) return {m.year + 1, 1};
  return {m.year, week};
}

// A number with its usual width and padding, which a flag can change.
std::string number(int value, int width, char padding, char flag) {
  if (flag == '-') return fmt::format("{}", value);
  if (flag == '_') padding = ' ';
  if (flag == '0') padding = '0';
  return padding == '0' ? fmt::format("{:0{}}", value, width) : fmt::format("{:{}}", value, width);
}

int hour12(const Moment& m) { return m.hour % 12 == 0 ? 12 : m.hour % 12; }

// Directives that stand for a combination of others.
const char* combination(char directive) {
  switch (directive) {
    case 'c':
      return "%a %b %e %H:%M:%S %Y";
    case 'D':
    case 'x':
      return "%m/%d/%y";
    case 'F':
      return "%Y-%m-%d";
    case 'r':
      return "%I:%M:%S %p";
    case 'R':
      return "%H:%M";
    case 'T':
    case 'X':
      return "%H:%M:%S";
    default:
      return nullptr;
  }
}

std::optional<std::string> word(char directive, const Moment& m) {
  const std::string day = kDays[m.weekday], month = kMonths[m.month - 1];
  switch (directive) {
    case 'a':
      return day.substr(0, 3);
    case 'A':
      return day;
    case 'b':
    case 'h':
      return month.substr(0, 3);
    case 'B':
      return month;
    case 'p':
      return m.hour < 12 ? "AM" : "PM";
    case 'P':
      return m.hour < 12 ? "am" : "pm";
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case '%':
      return "%";
    case 'z':
    case 'Z':
      return "";
    default:
      return std::nullopt;
  }
}

std::optional<std::string> figure(char directive, const Moment& m, char flag) {
  const auto padded = [flag](int value, int width = 2, char padding = '0') {
    return number(value, width, padding, flag);
  };
  switch (directive) {
    case 'd':
      return padded(m.day);
    case 'e':
      return padded(m.day, 2, ' ');
    case 'm':
      return padded(m.month);
    case 'y':
      return padded(m.year % 100);
    case 'Y':
      return padded(m.year, flag == '0' || flag == '_' ? 4 : 1);
    case 'C':
      return padded(m.year / 100);
    case 'G':
      return padded(iso_week(m).year, 1);
    case 'g':
      return padded(iso_week(m).year % 100);
    case 'V':
      return padded(iso_week(m).week);
    case 'H':
      return padded(m.hour);
    case 'k':
      return padded(m.hour, 2, ' ');
    case 'I':
      return padded(hour12(m));
    case 'l':
      return padded(hour12(m), 2, ' ');
    case 'M':
      return padded(m.minute);
    case 'S':
      return padded(m.second);
    case 'f':
      return fmt::format("{:06}", m.microsecond);
    case 'j':
      return padded(m.year_day + 1, 3);
    case 'u':
      return padded(m.weekday == 0 ? 7 : m.weekday, 1);
    case 'w':
      return padded(m.weekday, 1);
    case 'U':
      return padded((m.year_day + 7 - m.weekday) / 7);
    case 'W':
      return padded((m.year_day + 7 - (m.weekday + 6) % 7) / 7);
    default:
      return std::nullopt;
  }
}

void append(std::string_view format, const Moment& m, std::string& out) {
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      out += format[at];
      continue;
    }
    std::size_t end = at + 1;
    const bool flagged =
        end < format.size() && std::string_view("-_0^").find(format[end]) != std::string_view::npos;
    const char flag = flagged ? format[end++] : ' ';
    const char directive = end < format.size() ? format[end] : '\0';
    std::string piece;
    if (const char* parts = combination(directive)) {
      append(parts, m, piece);
    } else if (auto text = word(directive, m)) {
      piece = std::move(*text);
    } else if (auto digits = figure(directive, m, flag)) {
      piece = std::move(*digits);
    } else {
      out += '%';
      continue;
    }
    if (flag == '^') {
      for (char& c : piece) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    }
    out += piece;
    at = end;
  }
}

}  // namespace

std::string strftime(std::string_view format, std::chrono::sys_time<std::chrono::microseconds> time) {
  std::string out;
  append(format, split(time), out);
  return out;
}

}  // namespace kelda::jinja
