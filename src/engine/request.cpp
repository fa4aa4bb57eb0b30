#include "engine/request.h"

namespace kelda {

std::string_view name(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kTime:
      return "time";
    case FinishReason::kCancelled:
      return "cancelled";
    case FinishReason::kError:
      break;
  }
  return "error";
}

std::string_view name(StopRule rule) {
  switch (rule) {
    case StopRule::kNone:
      break;
    case StopRule::kEndToken:
      return "end_token";
    case StopRule::kStopToken:
      return "stop_token";
    case StopRule::kStopText:
      return "stop_text";
    case StopRule::kMaxTokens:
      return "max_tokens";
    case StopRule::kWindow:
      return "window";
    case StopRule::kTimeLimit:
      return "time_limit";
  }
  return {};
}

}  // namespace kelda
