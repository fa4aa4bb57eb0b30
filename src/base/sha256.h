// SHA-256 (FIPS 180-4), computed by OpenSSL: how a downloaded file is known to be the one that was meant.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kelda {

// A digest in the making. Not thread-safe. Throws kInternal if OpenSSL refuses.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::span<const std::byte> bytes);
  // 64 lower-case hexadecimal digits. Ends the digest: call once.
  std::string hex();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

std::string sha256_hex(std::span<const std::byte> bytes);

// Reads the whole file. `progress` is called with the bytes read so far and returns false to stop
// (kInterrupted). Throws what File throws.
std::string sha256_of_file(const std::filesystem::path& path,
                           const std::function<bool(uint64_t)>& progress = {});

// True for 64 lower-case hexadecimal digits.
bool is_sha256_hex(std::string_view text);

}  // namespace kelda
