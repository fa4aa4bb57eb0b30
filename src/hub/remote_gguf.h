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

// Fetches first 4 MiB, then 16, then 64, until the head is whole. `start` is what the server said of the
// file; `folder` is locked. The result reads zeros where the weights would be. Null, after a notice that says
// why, if the server has no ranges or the head cannot be read; throws kInterrupted and network errors.
std::unique_ptr<ModelFile> read_remote_gguf(const std::string& url, const std::filesystem::path& folder,
                                            const net::RemoteStart& start, const net::HttpOptions& options,
                                            const std::function<void(std::string_view)>& notice);

// Removes what calls that were killed have left in `folder`, which is locked.
void discard_remote_heads(const std::filesystem::path& folder);

}  // namespace kelda::hub
