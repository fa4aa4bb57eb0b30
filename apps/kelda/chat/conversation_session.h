// One conversation at the terminal: the messages so far, the settings, and the model that answers. STATE.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kelda/generation.h"
#include "apps/kelda/session.h"
#include "chat/chat_template.h"
#include "chat/conversation.h"
#include "config/knob.h"
#include "context/fit.h"

namespace kelda::cli {

class ConversationSession {
 public:
  // quiet: no progress of what is done before an answer.
  ConversationSession(Session& session, std::shared_ptr<const chat::ChatTemplate> chat_template, Knobs knobs,
                      std::string system, bool quiet);

  // Adds the user's message, streams the answer to stdout, and adds that. A signal stops it and keeps what
  // was said so far; a message without any answer is taken back. Where it throws, the conversation is as
  // before.
  //   Gives 0, or after a signal the status with which the process should end: 130, 143 or 129.
  int ask(const std::string& text);

  void reset() { set_turns({}); }
  const std::string& system() const { return system_; }
  void set_system(std::string text) { system_ = std::move(text); }
  Knobs& knobs() { return knobs_; }
  const Knobs& knobs() const { return knobs_; }
  const Knobs& knobs_at_start() const { return knobs_at_start_; }
  std::size_t n_turns() const { return turns_.size(); }
  // Of the latest answer and of the conversation; for people.
  std::string stats() const;
  // Writes and reads the messages as a conversation file (chat/conversation.h). Throws kIo, kBadInput; then
  // nothing has changed.
  void save(const std::string& path) const;
  void load(const std::string& path);

 private:
  std::vector<chat::Message> messages() const;
  void take(const chat::ConversationFile& file);  // all of it or, throwing, nothing
  void set_turns(std::vector<chat::Message> turns);
  void tell_left_out(const context::Fitted& fitted);

  Session& session_;
  std::shared_ptr<const chat::ChatTemplate> template_;
  Knobs knobs_;
  const Knobs knobs_at_start_;
  std::string system_;
  std::vector<chat::Message> turns_;  // user, assistant, user, …
  const bool quiet_;
  Engine engine_;
  Answer latest_;
  context::Digest digest_;           // of the oldest turns, where they were condensed
  std::size_t n_told_left_out_ = 0;  // turns that the user knows the model no longer reads
  int64_t drawn_in_all_ = 0;
};

}  // namespace kelda::cli
