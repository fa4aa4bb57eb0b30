// One HTTP GET over libcurl: redirects, the proxy environment, time limits by silence and not by total time.
// Knows nothing of files or models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kelda::net {

struct HttpOptions {
  std::string bearer_token;  // sent to the URL's own host, never to where that redirects
  int connect_timeout_s = 30;
  int stall_timeout_s = 60;         // an error after so long without a byte; the whole may take any time
  std::function<bool()> cancelled;  // asked about once a second and with every piece; true ends the transfer
};

// The head of a reply. Header names are lower case.
struct ReplyHead {
  long status = 0;
  std::map<std::string, std::string> headers;  // of the last hop
  // What the URL's own host said, up to where it redirects to another one; the latest of each name.
  std::map<std::string, std::string> own;

  // Bytes of the body as announced; nothing if the server does not say.
  std::optional<uint64_t> content_length() const;
  std::string header(std::string_view name) const;  // empty if absent
};

// "bytes 100-199/1000", "bytes 100-199/*" and "bytes */1000". Nothing for any other text.
struct ContentRange {
  std::optional<uint64_t> first, last;  // both or neither
  std::optional<uint64_t> total;
};
std::optional<ContentRange> parse_content_range(std::string_view text);

enum class TransferEnd {
  kDone,     // the whole body arrived
  kStopped,  // a callback said enough
  kBroken,   // the connection could not be made, broke or went silent: worth another try
};

struct TransferResult {
  TransferEnd end = TransferEnd::kDone;
  ReplyHead head;
  std::string trouble;  // for kBroken: what libcurl says, as a sentence part
};

struct TransferCallbacks {
  // Called once, before the first byte of the body (or at the end of an empty one). False stops.
  std::function<bool(const ReplyHead&)> head;
  // Called with each piece. False stops. May throw: the transfer ends and the exception goes on to the
  // caller.
  std::function<bool(std::span<const std::byte>)> bytes;
};

// Gets `url` (http or https) with the given extra header lines. Redirects are followed, but never from https
// to http. Throws kInterrupted if cancelled, kUsage for a URL that is not http(s), kIo for what another try
// cannot mend (an unknown host, a bad certificate).
TransferResult transfer(const std::string& url, std::span<const std::string> header_lines,
                        const HttpOptions& options, const TransferCallbacks& callbacks);

// "host:port" of a URL, in lower case and without user and password; as it is written, no default port added.
std::string authority(std::string_view url);

// The URL without user, password and query: what may be shown to people.
std::string display_url(std::string_view url);

// "404 Not Found"
std::string status_text(long status);

}  // namespace kelda::net
