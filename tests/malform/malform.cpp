// malform FOLDER: writes every malformed class of GGUF as FOLDER/NAME.gguf, and FOLDER/manifest.json with
// what Kelda must answer:
//   [{"file": "dim_0.gguf", "beside": [], "stage": "container", "exit_status": 2, "message": "…"}, …]
// beside names the other files of a split set;
// stage is "container" where opening the file is enough to see the fault, "model" where the model must be
// loaded.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "malform/cases.h"
#include "malform/gguf_builder.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: malform FOLDER\n");
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    auto manifest = nlohmann::json::array();
    for (const kelda::malform::Case& c : kelda::malform::all_cases()) {
      const std::string file = kelda::malform::file_of(c);
      kelda::malform::write_file(folder / file, c.bytes, c.file_bytes);
      auto beside = nlohmann::json::array();
      for (const auto& [name, bytes] : c.beside) {
        kelda::malform::write_file(folder / name, bytes);
        beside.push_back(name);
      }
      manifest.push_back({{"file", file},
                          {"beside", beside},
                          {"stage", c.stage == kelda::malform::Stage::kContainer ? "container" : "model"},
                          {"exit_status", c.exit_status},
                          {"message", c.message}});
    }
    kelda::malform::write_file(folder / "manifest.json", manifest.dump(1) + "\n");
    std::printf("%zu files\n", manifest.size());
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "malform: %s\n", e.what());
    return 1;
  }
}
