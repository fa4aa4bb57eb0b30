#include "base/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace kelda {
namespace {

EVP_MD_CTX* evp(void* context) { return static_cast<EVP_MD_CTX*>(context); }

}  // namespace

void Sha256::Free::operator()(void* context) const { EVP_MD_CTX_free(evp(context)); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (!context_ || EVP_DigestInit_ex(evp(context_.get()), EVP_sha256(), nullptr) != 1) {
    fail(ErrorCode::kInternal, "OpenSSL cannot compute SHA-256");
  }
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(evp(context_.get()), bytes.data(), bytes.size()) != 1) {
    fail(ErrorCode::kInternal, "OpenSSL cannot compute SHA-256");
  }
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(evp(context_.get()), digest.data(), &size) != 1) {
    fail(ErrorCode::kInternal, "OpenSSL cannot compute SHA-256");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

std::string sha256_of_file(const std::filesystem::path& path, const std::function<bool(uint64_t)>& progress) {
  const File file(path);
  Sha256 digest;
  std::vector<std::byte> chunk(1 << 20);
  for (uint64_t at = 0; at < file.size();) {
    const auto part = std::span(chunk).first(std::min<uint64_t>(chunk.size(), file.size() - at));
    file.read(at, part);
    digest.update(part);
    at += part.size();
    if (progress && !progress(at)) fail(ErrorCode::kInterrupted, "{}: stopped while checking", path.string());
  }
  return digest.hex();
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace kelda
