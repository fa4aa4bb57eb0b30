// Named defaults: the orders, values and scopes of other engines, and our own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/sampler.h"

namespace kelda::sampling {

struct ProfileValue {
  std::string_view knob;
  double value;  // of a number, an integer or (1) a boolean
};

// Where a request does not say otherwise, what a profile sets. All there is to know of one: nothing else asks
// for its name.
struct Profile {
  std::string_view name;
  std::string_view about;  // where it was read, for the reference
  std::vector<ProfileValue> values;
  std::vector<std::string_view> order;  // as sampler_order; empty: the documented one
};
const std::vector<Profile>& profiles();
std::vector<std::string_view> profile_names();

// `knobs` with what the profile they name sets, where they set nothing themselves and another profile did not
// either; its values have the source profile_source(). Without a profile, or done before, the same knobs.
Knobs with_profile(Knobs knobs);
std::string profile_source(const Knobs& knobs);

inline constexpr std::string_view kHouseProfile = "house profile";  // the source of its values
// The one of commands that answer a person, where neither the person nor the model's publisher says
// otherwise.
const Profile& house_profile();
// How defaults, publisher's values and profiles go together, in a few sentences for people.
std::string profile_note();

}  // namespace kelda::sampling
