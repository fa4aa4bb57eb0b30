#include "apps/kelda/chat/line_editor.h"

#include <histedit.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "apps/kelda/terminal/signals.h"
#include "base/utf8.h"

namespace kelda::cli {
namespace {

namespace fs = std::filesystem;
constexpr int kHistoryEntries = 1000;

// What the editor's callbacks see of the line that is being read.
struct Reading {
  std::string prompt;
  const InterruptGuard* interrupt = nullptr;
};

Reading& reading_of(EditLine* editor) {
  void* reading = nullptr;
  el_get(editor, EL_CLIENTDATA, &reading);
  return *static_cast<Reading*>(reading);
}

// Asked for by the editor each time it draws.
char* prompt_of(EditLine* editor) { return reading_of(editor).prompt.data(); }

// One byte; false at the end of input or when interrupted. The editor's own way to read would go on after a
// signal, and a signal may come just before a read: so it looks up now and then.
bool read_byte(const InterruptGuard& interrupt, char& byte) {
  constexpr int kLookUpMs = 50;
  for (;;) {
    if (interrupt.interrupted()) return false;
    pollfd in{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&in, 1, kLookUpMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t n = ::read(STDIN_FILENO, &byte, 1);
    if (n < 0 && errno == EINTR) continue;
    return n == 1;
  }
}

// One character for the editor: 1, or 0 at the end.
int read_character(EditLine* editor, wchar_t* character) {
  const InterruptGuard& interrupt = *reading_of(editor).interrupt;
  std::string bytes;
  for (;;) {
    char byte = 0;
    if (!read_byte(interrupt, byte)) return 0;
    bytes += byte;
    const Utf8Sequence s = next_utf8(bytes);
    if (s.kind == Utf8Sequence::Kind::kUnfinished) continue;
    *character = s.kind == Utf8Sequence::Kind::kCharacter ? static_cast<wchar_t>(s.code_point) : L'\uFFFD';
    return 1;
  }
}

// The editor needs to know that the terminal speaks UTF-8; numbers stay as they are.
void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
}

// Ctrl-C gives up the line; being asked to terminate ends the input.
LineEditor::Line interrupted(const InterruptGuard& interrupt) {
  if (interrupt.exit_status() == 128 + SIGINT) return {LineEditor::Outcome::kInterrupted, "", 0};
  return {LineEditor::Outcome::kEnd, "", interrupt.exit_status()};
}

bool make_private_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return !error;
}

}  // namespace

struct LineEditor::Terminal {
  EditLine* editor = nullptr;
  History* history = nullptr;
  HistEvent event{};
  fs::path file;
  Reading reading;

  ~Terminal() {
    if (editor != nullptr) el_end(editor);
    if (history != nullptr) history_end(history);
  }
  void save() {
    if (file.empty() || !make_private_folder(file.parent_path())) return;
    const mode_t before = ::umask(S_IRWXG | S_IRWXO);  // what was typed is nobody else's
    ::history(history, &event, H_SAVE, file.c_str());
    ::umask(before);
  }
};

LineEditor::LineEditor(bool interactive, const fs::path& history_file) {
  if (!interactive) return;
  use_utf8();
  terminal_ = std::make_unique<Terminal>();
  Terminal& t = *terminal_;
  t.file = history_file;
  t.editor = el_init("kelda", stdin, stdout, stderr);
  t.history = history_init();
  if (t.editor == nullptr || t.history == nullptr) {
    terminal_.reset();
    return;
  }
  ::history(t.history, &t.event, H_SETSIZE, kHistoryEntries);
  ::history(t.history, &t.event, H_SETUNIQUE, 1);
  if (!t.file.empty()) ::history(t.history, &t.event, H_LOAD, t.file.c_str());
  el_set(t.editor, EL_CLIENTDATA, &t.reading);
  el_set(t.editor, EL_PROMPT, &prompt_of);
  el_set(t.editor, EL_EDITOR, "emacs");
  el_set(t.editor, EL_GETCFN, &read_character);
  el_set(t.editor, EL_HIST, &::history, t.history);
}

LineEditor::~LineEditor() = default;

LineEditor::Line LineEditor::read(const std::string& prompt) {
  const InterruptGuard interrupt;
  Line line;
  if (terminal_ != nullptr) {
    terminal_->reading = {prompt, &interrupt};
    int n = 0;
    const char* typed = el_gets(terminal_->editor, &n);
    if (interrupt.interrupted()) return interrupted(interrupt);
    if (typed == nullptr || n <= 0) return line;
    line.text.assign(typed, static_cast<std::size_t>(n));
  } else {
    for (int c; (c = std::fgetc(stdin)) != EOF;) {
      line.text += static_cast<char>(c);
      if (c == '\n') break;
    }
    if (interrupt.interrupted()) return interrupted(interrupt);
    if (line.text.empty()) return line;
  }
  if (line.text.back() == '\n') line.text.pop_back();
  if (!line.text.empty() && line.text.back() == '\r') line.text.pop_back();
  line.outcome = Outcome::kLine;
  return line;
}

void LineEditor::remember(const std::string& entry) {
  if (terminal_ == nullptr || entry.empty()) return;
  ::history(terminal_->history, &terminal_->event, H_ENTER, entry.c_str());
  terminal_->save();
}

fs::path chat_history_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && state[0] == '/') return fs::path(state) / "kelda" / "chat_history";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return fs::path(home) / ".local/state/kelda/chat_history";
  return {};
}

}  // namespace kelda::cli
