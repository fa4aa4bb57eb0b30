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

namespace kelda::cli {

class ConversationSession {
 public:
  ConversationSession(Session& session, std::shared_ptr<const chat::ChatTemplate> chat_template, Knobs knobs,
                      std::string system);

  // Adds the user's message, streams the answer to stdout, and adds that. A signal stops it and keeps what
  // was said so far; a message without any answer is taken back. Where it throws, the conversation is as
  // before.
  //   Gives 0, or after a signal the status with which the process should end: 130, 143 or 129.
  int ask(const std::string& text);

  void reset() { turns_.clear(); }
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

  Session& session_;
  std::shared_ptr<const chat::ChatTemplate> template_;
  Knobs knobs_;
  const Knobs knobs_at_start_;
  std::string system_;
  std::vector<chat::Message> turns_;  // user, assistant, user, …
  Engine engine_;
  Answer latest_;
  int64_t drawn_in_all_ = 0;
};

}  // namespace kelda::cli
