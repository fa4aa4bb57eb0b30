// The head of a GGUF model that is still on a server: its metadata and tensor list, without the weights.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "files/model_file.h"
#include "net/download.h"

namespace kelda::hub {

struct RemoteFile {
  std::string url;
  std::string name;        // as it will be called here: how the parts of a set find each other
  net::RemoteStart start;  // what the server said of it
};

// `files`: one, or all parts of a split set in their order. Fetches of each a little, then more, up to 64
// MiB, until its head is whole. `folder` is locked. The result reads zeros where the weights would be. Null,
// after a notice that says why, if the server has no ranges or a head cannot be read; throws kInterrupted and
// network errors.
std::unique_ptr<ModelFile> read_remote_gguf(std::span<const RemoteFile> files,
                                            const std::filesystem::path& folder,
                                            const net::HttpOptions& options,
                                            const std::function<void(std::string_view)>& notice);

// Removes what calls that were killed have left in `folder`, which is locked.
void discard_remote_heads(const std::filesystem::path& folder);

}  // namespace kelda::hub
