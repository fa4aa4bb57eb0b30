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
#include <optional>
#include <system_error>
#include <utility>

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
  bool damaged = false;            // something came that is not UTF-8
  std::optional<char> put_back{};  // a byte that was read, and does not belong to the character before
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
bool read_byte(Reading& reading, char& byte) {
  constexpr int kLookUpMs = 50;
  for (;;) {
    if (reading.interrupt->interrupted()) return false;
    if (reading.put_back) {
      byte = *std::exchange(reading.put_back, std::nullopt);
      return true;
    }
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
  Reading& reading = reading_of(editor);
  std::string bytes;
  for (;;) {
    char byte = 0;
    if (!read_byte(reading, byte)) return 0;
    bytes += byte;
    const Utf8Sequence s = next_utf8(bytes);
    if (s.kind == Utf8Sequence::Kind::kUnfinished) continue;
    const bool good = s.kind == Utf8Sequence::Kind::kCharacter;
    if (!good) reading.damaged = true;
    if (!good && bytes.size() > 1) reading.put_back = byte;
    *character = good ? static_cast<wchar_t>(s.code_point) : L'\uFFFD';
    return 1;
  }
}

// A terminal that is asked to do so puts these around what is pasted: its newlines end no line.
constexpr char kMarkPastes[] = "\x1b[?2004h", kLeavePastes[] = "\x1b[?2004l";
constexpr char kPasteBegins[] = "\x1b[200~";
constexpr std::string_view kPasteEnds = "\x1b[201~";

// What a person can see in the line and a terminal does not act on: a newline, a tab, and letters.
std::string pasted_text(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c == '\r') {  // terminals send a newline so
      text += '\n';
      if (i + 1 < bytes.size() && bytes[i + 1] == '\n') ++i;
    } else if (c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7f)) {
      text += bytes[i];
    }
  }
  return text;
}

// Puts what is pasted into the line, newlines included.
unsigned char paste(EditLine* editor, int) {
  constexpr std::size_t kMaxPasteBytes = 16 << 20;
  Reading& reading = reading_of(editor);
  std::string bytes;
  while (!bytes.ends_with(kPasteEnds)) {
    char byte = 0;
    if (!read_byte(reading, byte)) return CC_EOF;
    if (bytes.size() >= kMaxPasteBytes) return CC_ERROR;
    bytes += byte;
  }
  bytes.resize(bytes.size() - kPasteEnds.size());
  const std::string text = pasted_text(bytes);
  if (first_invalid_utf8(text)) {
    reading.damaged = true;
    return CC_ERROR;
  }
  return el_insertstr(editor, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
}

void write_to_terminal(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
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
  el_set(t.editor, EL_ADDFN, "kelda-paste", "Puts a pasted text into the line", &paste);
  el_set(t.editor, EL_BIND, kPasteBegins, "kelda-paste", nullptr);
}

LineEditor::~LineEditor() = default;

LineEditor::Line LineEditor::read(const std::string& prompt) {
  const InterruptGuard interrupt;
  Line line;
  if (terminal_ != nullptr) {
    terminal_->reading = {prompt, &interrupt, false, std::nullopt};
    int n = 0;
    write_to_terminal(kMarkPastes);
    const char* typed = el_gets(terminal_->editor, &n);
    write_to_terminal(kLeavePastes);
    if (interrupt.interrupted()) return interrupted(interrupt);
    if (typed == nullptr || n <= 0) return line;
    line.text.assign(typed, static_cast<std::size_t>(n));
    line.damaged = terminal_->reading.damaged;
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
