#include "net/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/trim.h"

namespace kelda::net {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

// What libcurl's callbacks share. No exception may pass through libcurl, so they are kept here until it
// returns.
struct Session {
  const HttpOptions& options;
  const TransferCallbacks& callbacks;
  std::string own_host;
  ReplyHead head;
  CURL* curl = nullptr;
  bool at_own_host = true, informational = false;
  bool head_shown = false, stopped = false, cancelled = false;
  std::exception_ptr thrown;

  bool cancel_asked() {
    if (options.cancelled && options.cancelled()) cancelled = true;
    return cancelled;
  }

  bool show_head() {
    if (head_shown) return true;
    head_shown = true;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &head.status);
    stopped = callbacks.head && !callbacks.head(head);
    return !stopped;
  }
};

// "HTTP/1.1 103 Early Hints": a word in passing, after which the reply is still to come.
bool is_informational(std::string_view status_line) {
  const auto space = status_line.find(' ');
  return space != std::string_view::npos && status_line.substr(space + 1).starts_with('1');
}

void begin_hop(Session& s) {
  const char* url = nullptr;
  curl_easy_getinfo(s.curl, CURLINFO_EFFECTIVE_URL, &url);
  s.at_own_host = s.at_own_host && url != nullptr && authority(url) == s.own_host;
  s.head.headers.clear();
}

std::size_t on_header(char* data, std::size_t, std::size_t size, void* user) {
  auto& s = *static_cast<Session*>(user);
  try {
    const std::string_view line = trimmed({data, size});
    if (line.starts_with("HTTP/")) {
      s.informational = is_informational(line);
      if (!s.informational) begin_hop(s);
    } else if (const auto colon = line.find(':'); colon != std::string_view::npos && !s.informational) {
      const std::string name = lower(line.substr(0, colon)), value(trimmed(line.substr(colon + 1)));
      s.head.headers[name] = value;
      if (s.at_own_host) s.head.own[name] = value;
    }
    return size;
  } catch (...) {
    s.thrown = std::current_exception();
    return 0;
  }
}

std::size_t on_body(char* data, std::size_t, std::size_t size, void* user) {
  auto& s = *static_cast<Session*>(user);
  try {
    if (s.cancel_asked() || !s.show_head()) return 0;
    if (s.callbacks.bytes && !s.callbacks.bytes(std::as_bytes(std::span(data, size)))) {
      s.stopped = true;
      return 0;
    }
    return size;
  } catch (...) {
    s.thrown = std::current_exception();
    return 0;
  }
}

int on_tick(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& s = *static_cast<Session*>(user);
  try {
    return s.cancel_asked() ? 1 : 0;
  } catch (...) {
    s.thrown = std::current_exception();
    return 1;
  }
}

void set(CURL* curl, CURLoption option, auto value) {
  const CURLcode code = curl_easy_setopt(curl, option, value);
  if (code != CURLE_OK)
    fail(ErrorCode::kInternal, "libcurl option {}: {}", static_cast<int>(option), curl_easy_strerror(code));
}

bool is_https(std::string_view url) { return lower(url.substr(0, 8)) == "https://"; }

void configure(CURL* curl, const std::string& url, Session& session, char* trouble) {
  const HttpOptions& options = session.options;
  const char* protocols = is_https(url) ? "https" : "http,https";
  set(curl, CURLOPT_URL, url.c_str());
  set(curl, CURLOPT_PROTOCOLS_STR, protocols);
  set(curl, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
  set(curl, CURLOPT_FOLLOWLOCATION, 1L);
  set(curl, CURLOPT_MAXREDIRS, 10L);
  set(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);  // what a proxy says is not the server's word
  set(curl, CURLOPT_NOSIGNAL, 1L);
  set(curl, CURLOPT_USERAGENT, "kelda");
  set(curl, CURLOPT_BUFFERSIZE, 256L * 1024);
  set(curl, CURLOPT_CONNECTTIMEOUT, static_cast<long>(options.connect_timeout_s));
  set(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(curl, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_timeout_s));
  set(curl, CURLOPT_ERRORBUFFER, trouble);
  set(curl, CURLOPT_HEADERFUNCTION, &on_header);
  set(curl, CURLOPT_HEADERDATA, static_cast<void*>(&session));
  set(curl, CURLOPT_WRITEFUNCTION, &on_body);
  set(curl, CURLOPT_WRITEDATA, static_cast<void*>(&session));
  set(curl, CURLOPT_NOPROGRESS, 0L);
  set(curl, CURLOPT_XFERINFOFUNCTION, &on_tick);
  set(curl, CURLOPT_XFERINFODATA, static_cast<void*>(&session));
  if (!options.bearer_token.empty()) {  // libcurl drops it when a redirect leaves the host
    set(curl, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BEARER));
    set(curl, CURLOPT_XOAUTH2_BEARER, options.bearer_token.c_str());
  }
  // The environment names that OpenSSL and the curl tool know; libcurl itself looks at neither.
  for (const char* file : {std::getenv("CURL_CA_BUNDLE"), std::getenv("SSL_CERT_FILE")}) {
    if (file != nullptr && *file != '\0') {
      set(curl, CURLOPT_CAINFO, file);
      break;
    }
  }
}

// True for what may go away by itself.
bool worth_another_try(CURLcode code) {
  constexpr std::array kPassing = {CURLE_COULDNT_CONNECT, CURLE_PARTIAL_FILE, CURLE_OPERATION_TIMEDOUT,
                                   CURLE_GOT_NOTHING,     CURLE_SEND_ERROR,   CURLE_RECV_ERROR,
                                   CURLE_HTTP2,           CURLE_HTTP2_STREAM, CURLE_SSL_CONNECT_ERROR};
  return std::ranges::find(kPassing, code) != kPassing.end();
}

}  // namespace

std::optional<uint64_t> ReplyHead::content_length() const {
  return parse_number<uint64_t>(header("content-length"));
}

std::string ReplyHead::header(std::string_view name) const {
  const auto it = headers.find(std::string(name));
  return it == headers.end() ? std::string() : it->second;
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
  if (lower(text.substr(0, 6)) != "bytes ") return std::nullopt;
  text = trimmed(text.substr(6));
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view span = text.substr(0, slash), total = text.substr(slash + 1);
  ContentRange range;
  if (total != "*") {
    range.total = parse_number<uint64_t>(total);
    if (!range.total) return std::nullopt;
  }
  if (span == "*") return range.total ? std::optional(range) : std::nullopt;
  const auto dash = span.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  range.first = parse_number<uint64_t>(span.substr(0, dash));
  range.last = parse_number<uint64_t>(span.substr(dash + 1));
  if (!range.first || !range.last || *range.first > *range.last) return std::nullopt;
  if (range.total && *range.last >= *range.total) return std::nullopt;
  return range;
}

TransferResult transfer(const std::string& url, std::span<const std::string> header_lines,
                        const HttpOptions& options, const TransferCallbacks& callbacks) {
  if (!is_https(url) && lower(url.substr(0, 7)) != "http://") {
    fail(ErrorCode::kUsage, "{}: only http:// and https:// addresses are downloaded", display_url(url));
  }
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);  // thread-safe: a local static
  if (ready != CURLE_OK) fail(ErrorCode::kInternal, "libcurl did not start: {}", curl_easy_strerror(ready));
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), &curl_easy_cleanup);
  if (!curl) fail(ErrorCode::kOutOfMemory, "libcurl has no memory for a transfer");

  Session session{.options = options,
                  .callbacks = callbacks,
                  .own_host = authority(url),
                  .head = {},
                  .curl = curl.get(),
                  .thrown = {}};
  std::array<char, CURL_ERROR_SIZE> trouble{};
  configure(curl.get(), url, session, trouble.data());
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> lines(nullptr, &curl_slist_free_all);
  for (const std::string& line : header_lines) {
    curl_slist* longer = curl_slist_append(lines.get(), line.c_str());
    if (longer == nullptr) fail(ErrorCode::kOutOfMemory, "libcurl has no memory for a header");
    static_cast<void>(lines.release());
    lines.reset(longer);
  }
  set(curl.get(), CURLOPT_HTTPHEADER, lines.get());

  const CURLcode code = curl_easy_perform(curl.get());
  if (session.thrown) std::rethrow_exception(session.thrown);
  if (session.cancelled) fail(ErrorCode::kInterrupted, "{}: stopped", display_url(url));
  TransferResult result;
  if (code == CURLE_OK) session.show_head();
  result.head = std::move(session.head);
  if (session.stopped) {
    result.end = TransferEnd::kStopped;
  } else if (code != CURLE_OK) {
    result.trouble = trouble[0] != '\0' ? trouble.data() : curl_easy_strerror(code);
    if (!worth_another_try(code)) fail(ErrorCode::kIo, "{}: {}", display_url(url), result.trouble);
    result.end = TransferEnd::kBroken;
  }
  return result;
}

std::string authority(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  const auto at = url.rfind('@');
  return lower(at == std::string_view::npos ? url : url.substr(at + 1));
}

std::string display_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const auto host = scheme + 3;
  const auto slash = std::min(url.find('/', host), url.size());
  const auto at = url.substr(0, slash).rfind('@');
  if (at == std::string_view::npos || at < host) return std::string(url);
  return std::string(url.substr(0, host)) + std::string(url.substr(at + 1));
}

std::string status_text(long status) {
  static constexpr std::pair<long, std::string_view> kTexts[] = {{400, "Bad Request"},
                                                                 {401, "Unauthorized"},
                                                                 {403, "Forbidden"},
                                                                 {404, "Not Found"},
                                                                 {407, "Proxy Authentication Required"},
                                                                 {408, "Request Timeout"},
                                                                 {410, "Gone"},
                                                                 {416, "Range Not Satisfiable"},
                                                                 {429, "Too Many Requests"},
                                                                 {500, "Internal Server Error"},
                                                                 {502, "Bad Gateway"},
                                                                 {503, "Service Unavailable"},
                                                                 {504, "Gateway Timeout"}};
  for (const auto& [code, text] : kTexts) {
    if (code == status) return fmt::format("{} {}", status, text);
  }
  return fmt::format("{}", status);
}

}  // namespace kelda::net
