// Lines that a person types: edited and remembered on a terminal, read as they are elsewhere.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace kelda::cli {

class LineEditor {
 public:
  // history: a file, read now and written after each entry; empty for none. What cannot be read or written is
  // no error: a history is a convenience.
  LineEditor(bool interactive, const std::filesystem::path& history);
  ~LineEditor();

  enum class Outcome { kLine, kEnd, kInterrupted };
  struct Line {
    Outcome outcome = Outcome::kEnd;
    std::string text;      // without the newline
    int exit_status = 0;   // of kEnd: 143 or 129 where a signal asked the process to end
    bool damaged = false;  // typed with bytes that are not UTF-8, and so not what was meant
  };
  Line read(const std::string& prompt);
  // What is offered by the arrow keys from now on.
  void remember(const std::string& entry);

 private:
  struct Terminal;
  std::unique_ptr<Terminal> terminal_;  // null where nobody edits
};

// $XDG_STATE_HOME/kelda/chat_history, or ~/.local/state/kelda/chat_history; empty where neither is known.
std::filesystem::path chat_history_path();

}  // namespace kelda::cli
