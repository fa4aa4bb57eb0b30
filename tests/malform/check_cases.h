// Writes each case to a folder of this test's own, opens it, and compares what happens with what the case
// says.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "malform/cases.h"
#include "malform/gguf_builder.h"

namespace kelda::malform {

template <typename Open>
void check_case(const Case& c, const std::filesystem::path& folder, const Open& open) {
  SCOPED_TRACE(c.name);
  const auto path = folder / file_of(c);
  const bool refused_here = c.exit_status != 0 && c.stage == Stage::kContainer;
  try {
    const auto file = open(path);
    EXPECT_FALSE(refused_here) << "the file was accepted";
  } catch (const Error& e) {
    const std::string message = e.what();
    EXPECT_TRUE(refused_here) << message;
    EXPECT_EQ(traits(e.code()).exit_status, c.exit_status);
    EXPECT_NE(message.find(c.message), std::string::npos) << message << "\n  lacks: " << c.message;
    const bool names_file = c.beside.empty() ? message.find(path.string() + ": ") == 0
                                             : message.find((folder / c.name).string()) == 0;
    EXPECT_TRUE(names_file || traits(e.code()).name == "not_found") << message;
    EXPECT_EQ(message.find(folder.string()), 0U) << message;
  }
}

template <typename Open>
void check_all(const std::vector<Case>& cases, const Open& open) {
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / fmt::format("kelda-malformed-{}", ::getpid());
  for (const Case& c : cases) {
    std::filesystem::create_directories(folder);
    write_file(folder / file_of(c), c.bytes, c.file_bytes);
    for (const auto& [name, bytes] : c.beside) write_file(folder / name, bytes);
    check_case(c, folder, open);
    std::filesystem::remove_all(folder);
  }
}

inline void check_names(const std::vector<Case>& cases) {
  std::set<std::string> names, files;
  for (const Case& c : cases) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_TRUE(files.insert(file_of(c)).second) << c.name;
    for (const SideFile& f : c.beside) EXPECT_TRUE(files.insert(f.file).second) << f.file;
    EXPECT_EQ(c.exit_status == 0, c.message.empty()) << c.name;
  }
}

}  // namespace kelda::malform
