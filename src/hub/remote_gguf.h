// The head of a GGUF file that is still on a server: its metadata and tensor list, without the weights.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "files/model_file.h"
#include "net/download.h"

namespace kelda::hub {

// Owns a sparse temporary file of the remote file's full size that has its first bytes; removed at the end.
class RemoteGguf {
 public:
  RemoteGguf(std::filesystem::path temporary, std::unique_ptr<ModelFile> model);
  ~RemoteGguf();
  RemoteGguf(const RemoteGguf&) = delete;
  RemoteGguf& operator=(const RemoteGguf&) = delete;

  const ModelFile& model() const { return *model_; }

 private:
  std::filesystem::path temporary_;
  std::unique_ptr<ModelFile> model_;
};

// Fetches first 4 MiB, then 16, then 64, until the head is whole. `start` is what the server said of the
// file. Null, after a notice that says why, if the server has no ranges or the head cannot be read; throws
// kInterrupted and network errors.
std::unique_ptr<RemoteGguf> read_remote_gguf(const std::string& url, const std::filesystem::path& folder,
                                             const net::RemoteStart& start, const net::HttpOptions& options,
                                             const std::function<void(std::string_view)>& notice);

}  // namespace kelda::hub
