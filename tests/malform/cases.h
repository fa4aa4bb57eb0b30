// Every class of malformed GGUF and safetensors file that has ended or misled an engine, a small file or a
// few for each, with what Kelda must answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kelda::malform {

// Where the fault can be seen: by the container's reader alone, or only by the loader of a model.
enum class Stage { kContainer, kModel };

struct SideFile {
  std::string file, bytes;
};

struct Case {
  std::string name;
  Stage stage = Stage::kContainer;
  int exit_status = 2;  // of the command line; 0 for the well-formed ones among them
  std::string message;  // substring of the error; empty if exit_status is 0
  std::string bytes;
  uint64_t file_bytes = 0;            // if larger than bytes: the file goes on with zeros up to this size
  std::string file = {};              // its name, if that is not the case's name with ".gguf"
  std::vector<SideFile> beside = {};  // the other files of a set; their names are in no other case
};

inline std::string file_of(const Case& c) { return c.file.empty() ? c.name + ".gguf" : c.file; }

std::vector<Case> header_cases();    // magic, version, counts
std::vector<Case> metadata_cases();  // keys, values, alignment, split sets
std::vector<Case> tensor_cases();    // the tensor table and the data
std::vector<Case> model_cases();     // whole models whose numbers contradict each other
std::vector<Case> encoder_cases();   // the same of encoders
std::vector<Case> split_cases();     // sets of two files

std::vector<Case> safetensors_cases();        // NAME.safetensors
std::vector<Case> safetensors_index_cases();  // NAME.safetensors.index.json and what it names

// Those of GGUF.
inline std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (auto* part : {header_cases, metadata_cases, tensor_cases, model_cases, encoder_cases, split_cases}) {
    for (Case& c : part()) all.push_back(std::move(c));
  }
  return all;
}

}  // namespace kelda::malform
