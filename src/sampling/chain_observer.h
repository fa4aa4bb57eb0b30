// Who looks on while a chain draws. Looking changes no draw.
#pragma once

#include <string_view>

#include "sampling/candidates.h"

namespace kelda::sampling {

struct Draw;

class ChainObserver {
 public:
  virtual ~ChainObserver() = default;
  // Candidates are valid during a call, in order of id. What is thrown comes out of the draw.

  // What the first stage will see.
  virtual void begins(const Candidates& all) = 0;
  // What the stage of that name has left, as if stages ran in the order that is documented or asked for.
  virtual void ran(std::string_view stage, const Candidates& left) = 0;
  // What was drawn from: all that the stages have left.
  virtual void drew(const Draw& draw, const Candidates& left) = 0;
};

}  // namespace kelda::sampling
