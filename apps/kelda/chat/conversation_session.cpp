#include "apps/kelda/chat/conversation_session.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "apps/kelda/fitting.h"
#include "apps/kelda/output_file.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/style.h"
#include "base/error.h"
#include "base/file.h"
#include "base/naming.h"
#include "base/quote.h"

namespace kelda::cli {
namespace {

constexpr uint64_t kMaxConversationBytes = 64 << 20;

// The text of messages[i].field, which a terminal can show: nothing but text.
std::string text_field(const jinja::Value& message, std::string_view field, std::size_t i) {
  const jinja::Value* value = message.as_dict().find(field);
  if (value == nullptr || !value->is_string())
    fail(ErrorCode::kBadInput, "messages[{}].{}: must be a text, for a chat at the terminal", i, field);
  return std::string(value->str());
}

}  // namespace

ConversationSession::ConversationSession(Session& session, std::shared_ptr<const chat::ChatTemplate> t,
                                         Knobs knobs, std::string system, bool quiet)
    : session_(session),
      template_(std::move(t)),
      knobs_(std::move(knobs)),
      knobs_at_start_(knobs_),
      system_(std::move(system)),
      quiet_(quiet),
      // One for the conversation, one so that a /reset or a changed system message can be taken back.
      engine_(session.runner(), {.prefill_chunk = kPrefillChunk, .kept_sequences = 2}) {}

std::vector<chat::Message> ConversationSession::messages() const {
  std::vector<chat::Message> all;
  if (!system_.empty()) all.push_back({"system", system_});
  all.insert(all.end(), turns_.begin(), turns_.end());
  return all;
}

int ConversationSession::ask(const std::string& text) {
  std::vector<chat::Message> prompt = messages();
  prompt.push_back({"user", text});
  const context::Given given{chat::conversation_of(prompt), template_, chat::local_now()};
  Knobs knobs = knobs_;
  for (const std::string_view name : {"logprobs", "prompt_logprobs"}) {
    if (knobs.integer(name) < 0) continue;
    say("{}\n",
        paint(Stream::kErr, Color::kDim,
              fmt::format("note: {} has no effect in a conversation: kelda run --json tells them", name)));
    knobs.set(name, int64_t{-1}, "chat");
  }
  const InterruptGuard interrupt;
  auto fitted = fit_prompt(engine_, session_.model(), given, knobs, interrupt, quiet_, digest_);
  if (!fitted) {
    say("{}\n", paint(Stream::kErr, Color::kDim, "(stopped before the answer; the message is taken back)"));
    return interrupt.exit_status();
  }
  tell_left_out(*fitted);
  const bool at_once = knobs.text("context_policy") == "split";  // which excludes streaming
  Answer answer = generate(
      engine_, Request{fitted->prompt, std::move(knobs)}, interrupt,
      [&](std::string_view part) {
        if (!at_once) write_out(part);
      },
      [](const Engine::Admitted& admitted) {
        for (const std::string& notice : admitted.notices)
          say("{}\n", paint(Stream::kErr, Color::kDim, "note: " + notice));
      });
  write_out(at_once ? answer.text + "\n" : "\n");
  context::add_to_report(*fitted, answer.last);
  if (answer.last.finish == FinishReason::kError) fail(answer.last.error_code, "{}", answer.last.error);
  for (const std::string& notice : answer.last.notices)
    say("{}\n", paint(Stream::kErr, Color::kDim, "note: " + notice));
  const bool stopped = answer.last.finish == FinishReason::kCancelled;
  if (stopped && answer.ids.empty()) {
    say("{}\n", paint(Stream::kErr, Color::kDim, "(stopped before the answer; the message is taken back)"));
    return interrupt.exit_status();
  }
  if (stopped)
    say("{}\n", paint(Stream::kErr, Color::kDim, "(stopped; the answer is kept as far as it came)"));
  if (answer.last.finish == FinishReason::kLength || answer.last.finish == FinishReason::kTime)
    say("{}\n", paint(Stream::kErr, Color::kDim,
                      fmt::format("(cut at {}; {} are left in the window)",
                                  counted(static_cast<int64_t>(answer.ids.size()), "token"),
                                  answer.last.context.left)));
  turns_.push_back({"user", text});
  turns_.push_back({"assistant", answer.text});
  digest_ = std::move(fitted->digest);
  drawn_in_all_ += answer.timings.drawn;
  latest_ = std::move(answer);
  return stopped ? interrupt.exit_status() : 0;
}

// Once, and again where more is left out.
void ConversationSession::tell_left_out(const context::Fitted& fitted) {
  if (fitted.cut || fitted.n_turns > n_told_left_out_) {
    for (const std::string& notice : fitted.notices)
      say("{}\n", paint(Stream::kErr, Color::kDim, "note: " + notice));
  }
  n_told_left_out_ = fitted.n_turns;
}

void ConversationSession::set_turns(std::vector<chat::Message> turns) {
  turns_ = std::move(turns);
  digest_ = {};
  n_told_left_out_ = 0;
}

std::string ConversationSession::stats() const {
  if (latest_.ids.empty()) return "nothing has been answered yet\n";
  const ContextReport& context = latest_.last.context;
  std::string text = timings_text(latest_.timings, session_.runner());
  text += fmt::format("context: window {}, prompt {} ({} known from before), left {}\n", context.window,
                      context.prompt_kept + context.prompt_added, context.prompt_cached, context.left);
  if (context.prompt_kept < context.prompt_given) {
    text += fmt::format("of {} given: kept {}, dropped {}, summarised {} in {} ({})\n",
                        counted(context.prompt_given, "token"), context.prompt_kept, context.prompt_dropped,
                        context.prompt_summarised, context.prompt_added, counted(context.runs, "run"));
  }
  text += fmt::format("conversation: {}, {} generated; seed of the latest answer {}\n",
                      counted(static_cast<int64_t>(messages().size()), "message"),
                      counted(drawn_in_all_, "token"), latest_.admitted.seed);
  return text;
}

void ConversationSession::save(const std::string& path) const {
  const std::vector<chat::Message> all = messages();
  if (all.empty()) fail(ErrorCode::kUsage, "there is nothing to save yet");
  nlohmann::json list = nlohmann::json::array();
  for (const chat::Message& m : all) list.push_back({{"role", m.role}, {"content", m.content}});
  refuse_to_overwrite("/save", path, session_.resolved().path);
  AtomicFile file(path);
  file.write(nlohmann::json{{"messages", list}}.dump(2) + "\n");
  file.commit();
}

void ConversationSession::load(const std::string& path) {
  const std::string json = read_text(path, kMaxConversationBytes);
  naming(path, [&] { take(chat::parse_conversation_file(json)); });
}

void ConversationSession::take(const chat::ConversationFile& file) {
  const std::vector<jinja::Value>& list = file.conversation.messages.items();
  const chat::Conversation& c = file.conversation;
  if (!c.tools.is_missing() || !c.documents.is_missing() || c.variables.size() != 0 || file.now ||
      file.tokens.size() != 0 || !c.add_generation_prompt)
    fail(ErrorCode::kBadInput, "of the fields of a conversation, a chat at the terminal has only messages");
  std::string system;
  std::vector<chat::Message> turns;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const auto& [name, value] : list[i].as_dict().items())
      if (name.str() != "role" && name.str() != "content" && !value.is_none())
        fail(ErrorCode::kBadInput, "messages[{}].{}: a chat at the terminal has no place for it", i,
             quote(name.str(), 40));
    chat::Message m{text_field(list[i], "role", i), text_field(list[i], "content", i)};
    if (i == 0 && m.role == "system") {
      system = std::move(m.content);
    } else {
      turns.push_back(std::move(m));
    }
  }
  system_ = std::move(system);
  set_turns(std::move(turns));
}

}  // namespace kelda::cli
