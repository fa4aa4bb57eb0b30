#include "apps/kelda/chat/line_editor.h"

#include <histedit.h>
#include <langinfo.h>
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
#include "apps/kelda/terminal/style.h"
#include "base/utf8.h"

namespace kelda::cli {
namespace {

namespace fs = std::filesystem;
constexpr int kHistoryEntries = 1000;

// What the editor's callbacks see of the line that is being read.
struct Reading {
  std::string prompt;
  EditLine* editor = nullptr;
  const InterruptGuard* interrupt = nullptr;
  EditingGuard* editing = nullptr;
  bool damaged = false;            // something came that is not UTF-8
  bool in_paste = false;           // a pasted text was left before its end
  std::optional<char> put_back{};  // a byte that was read, and does not belong to the character before
};

Reading& reading_of(EditLine* editor) {
  void* reading = nullptr;
  el_get(editor, EL_CLIENTDATA, &reading);
  return *static_cast<Reading*>(reading);
}

// Asked for by the editor each time it draws.
char* prompt_of(EditLine* editor) { return reading_of(editor).prompt.data(); }

void write_to_terminal(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// A terminal that is asked to do so puts these around what is pasted: its newlines end no line.
constexpr char kMarkPastes[] = "\x1b[?2004h", kLeavePastes[] = "\x1b[?2004l";
constexpr char kPasteBegins[] = "\x1b[200~", kPasteEnds[] = "\x1b[201~";

void mark_pastes(bool wanted) {
  if (has_cursor(Stream::kOut)) write_to_terminal(wanted ? kMarkPastes : kLeavePastes);
}

// Ctrl-Z, and a window of another size. The shell gets the terminal as it was.
void attend(const Reading& reading) {
  if (reading.editing->take_suspend()) {
    mark_pastes(false);
    el_set(reading.editor, EL_PREP_TERM, 0);
    ::raise(SIGSTOP);
    el_set(reading.editor, EL_PREP_TERM, 1);
    mark_pastes(true);
    el_set(reading.editor, EL_REFRESH);
  }
  if (reading.editing->take_resize()) {
    el_resize(reading.editor);
    el_set(reading.editor, EL_REFRESH);
  }
}

// One byte; false at the end of input or when interrupted. The editor's own way to read would go on after a
// signal, and a signal may come just before a read: so it looks up now and then.
bool read_byte(Reading& reading, char& byte) {
  constexpr int kLookUpMs = 50;
  for (;;) {
    if (reading.interrupt->interrupted()) return false;
    attend(reading);
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

// What a person can see in the line and a terminal does not act on: a newline, a tab, and letters. What is no
// UTF-8 becomes U+FFFD.
std::string pasted_text(std::string_view bytes, bool& damaged) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    const Utf8Sequence s = next_utf8(bytes.substr(i));
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (s.kind != Utf8Sequence::Kind::kCharacter) {
      damaged = true;
      text += "\uFFFD";
    } else if (c == '\r') {  // terminals send a newline so
      text += '\n';
      if (i + 1 < bytes.size() && bytes[i + 1] == '\n') ++i;
    } else if (c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7f)) {
      text += bytes.substr(i, s.length);
    }
    i += s.length;
  }
  return text;
}

// Looks for the end of a pasted text, byte by byte.
class PasteEnd {
 public:
  bool is_complete_with(char byte) {
    n_ = byte == kPasteEnds[n_] ? n_ + 1 : byte == kPasteEnds[0] ? 1 : 0;
    return n_ == size();
  }
  static constexpr std::size_t size() { return sizeof kPasteEnds - 1; }

 private:
  std::size_t n_ = 0;
};

// The rest of a pasted text up to its end, into `bytes` as far as there is room; false if it was interrupted
// or has more.
bool read_paste(Reading& reading, std::string& bytes) {
  constexpr std::size_t kMostBytes = 16 << 20;
  bool has_room = true;
  reading.in_paste = true;
  for (PasteEnd end; reading.in_paste;) {
    char byte = 0;
    if (!read_byte(reading, byte)) return false;
    has_room = bytes.size() < kMostBytes;
    if (has_room) bytes += byte;
    reading.in_paste = !end.is_complete_with(byte);
  }
  if (has_room) bytes.resize(bytes.size() - PasteEnd::size());
  return has_room;
}

// Over the rest of a pasted text that was given up: nobody meant it as lines. Its end may have been lost, so
// a pause ends it too. False if interrupted.
bool skip_paste(Reading& reading) {
  constexpr int kPauseMs = 300;
  pollfd in{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  for (PasteEnd end; ::poll(&in, 1, kPauseMs) == 1;) {
    char byte = 0;
    if (!read_byte(reading, byte)) return false;
    if (end.is_complete_with(byte)) break;
  }
  reading.in_paste = false;
  return true;
}

// Puts what is pasted into the line, newlines included.
unsigned char paste(EditLine* editor, int) {
  Reading& reading = reading_of(editor);
  std::string bytes;
  if (!read_paste(reading, bytes)) return reading.in_paste ? CC_EOF : CC_ERROR;
  const std::string text = pasted_text(bytes, reading.damaged);
  return text.empty() || el_insertstr(editor, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
}

// The editor needs to know that the terminal speaks UTF-8; numbers stay as they are.
void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(::nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
}

// Whether the other end of the terminal is gone.
bool hung_up() {
  pollfd in{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return ::poll(&in, 1, 0) == 1 && (in.revents & (POLLHUP | POLLERR)) != 0;
}

// Ctrl-C gives up the line; being asked to terminate ends the input.
LineEditor::Line interrupted(const InterruptGuard& interrupt) {
  if (interrupt.exit_status() == 128 + SIGINT) return {LineEditor::Outcome::kInterrupted, "", 0};
  return {LineEditor::Outcome::kEnd, "", interrupt.exit_status()};
}

bool make_private_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
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
    mark_pastes(false);
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
  el_set(t.editor, EL_BIND, kPasteEnds, "ed-ignore", nullptr);  // one without a beginning
  // For as long as the chat goes: a paste may come during an answer.
  mark_pastes(true);
}

LineEditor::~LineEditor() = default;

LineEditor::Line LineEditor::read(const std::string& prompt) {
  const InterruptGuard interrupt;
  Line line;
  if (terminal_ != nullptr) {
    EditingGuard editing;
    Reading& reading = terminal_->reading;
    reading = {prompt, terminal_->editor, &interrupt, &editing, false, reading.in_paste, reading.put_back};
    if (reading.in_paste) {
      el_set(terminal_->editor, EL_PREP_TERM, 1);
      if (!skip_paste(reading)) return interrupted(interrupt);
    }
    int n = 0;
    const char* typed = el_gets(terminal_->editor, &n);
    reading.interrupt = nullptr;
    reading.editing = nullptr;
    if (interrupt.interrupted()) return interrupted(interrupt);
    if (typed == nullptr || n <= 0) {
      if (hung_up()) line.exit_status = 128 + SIGHUP;
      return line;
    }
    line.text.assign(typed, static_cast<std::size_t>(n));
    line.damaged = reading.damaged && line.text.find("\uFFFD") != std::string::npos;
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
  constexpr std::size_t kMostBytes = 1 << 16;  // what is longer is found where it was pasted from
  if (terminal_ == nullptr || entry.empty() || entry.size() > kMostBytes) return;
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
