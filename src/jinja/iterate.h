// Going through values.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "jinja/object.h"
#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

// Throws "'int' object is not iterable". Undefined is empty; a string gives its characters, a dict its keys.
std::unique_ptr<Iterator> iterate(Runtime& rt, const Value& v);
bool is_iterable(const Value& v);
// All that is left.
std::vector<Value> collect(Runtime& rt, const Value& v);
// Calls f for each item until it returns false.
void for_each(Runtime& rt, const Value& v, const std::function<bool(const Value&)>& f);

// Python's generator: gives each item once, computed when it is asked for. `next` returns false at the end.
// `depth`: of the values that `next` holds.
using NextItem = std::function<bool(Runtime& rt, Value& out)>;
Value generator(Runtime& rt, std::string name, int depth, NextItem next);
// The same for a `next` that takes hold of items that it meets, whose depth nobody knows before.
Value gathering_generator(Runtime& rt, std::string name, int depth, NextItem next);

// A view of a dict, as items(), keys() and values() give it.
enum class ViewKind { kKeys, kValues, kItems };
Value dict_view(Runtime& rt, ViewKind kind, const Value& dict);
// reversed(v). Throws "'generator' object is not reversible".
Value reversed(Runtime& rt, const Value& v);

// range(start, stop, step); throws as Python and the sandbox do (step 0, more than 100,000 items).
Value make_range(Runtime& rt, int64_t start, int64_t stop, int64_t step, Provenance p);

}  // namespace kelda::jinja
