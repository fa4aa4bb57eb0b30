#include "jinja/symbols.h"

#include "base/check.h"

namespace kelda::jinja {

int FunctionSlots::slot(int level, const std::string& name) {
  const auto [found, added] = slots_.try_emplace({level, name}, function_.n_slots);
  if (added) ++function_.n_slots;
  return found->second;
}

const Place* Symbols::find(const std::string& name) const {
  for (const Symbols* s = this; s; s = s->parent_) {
    const auto found = s->refs_.find(name);
    if (found != s->refs_.end()) return &found->second;
  }
  return nullptr;
}

Place& Symbols::define(const std::string& name, Source source) {
  const int slot = function_->slot(level_, name);
  loads_[slot] = std::move(source);
  return refs_[name] = Place{function_, slot};
}

void Symbols::load(const std::string& name) {
  if (!find(name)) define(name, {.kind = Load::Kind::kGlobal, .name = name});
}

void Symbols::store(const std::string& name) {
  stores_.insert(name);
  if (refs_.count(name)) return;
  const Place* outer = parent_ ? parent_->find(name) : nullptr;
  if (outer) {
    define(name, {.kind = Load::Kind::kAlias, .from = *outer});
  } else {
    define(name, {.kind = Load::Kind::kMissing});
  }
}

int Symbols::declare(const std::string& name) {
  stores_.insert(name);
  return define(name, {.kind = Load::Kind::kMissing, .parameter = true}).slot;
}

void Symbols::merge(const std::vector<Symbols>& branches) {
  std::set<std::string> stored;
  for (const Symbols& branch : branches) {
    for (const std::string& name : branch.stores_) {
      if (!stores_.count(name)) stored.insert(name);
    }
  }
  for (const Symbols& branch : branches) {
    for (const auto& [name, place] : branch.refs_) refs_[name] = place;
    for (const auto& [slot, source] : branch.loads_) loads_[slot] = source;
    stores_.insert(branch.stores_.begin(), branch.stores_.end());
  }
  for (const std::string& name : stored) {
    const Place* target = find(name);
    KELDA_CHECK(target);
    const Place* outer = parent_ ? parent_->find(name) : nullptr;
    if (outer) {
      loads_[target->slot] = {.kind = Load::Kind::kAlias, .from = *outer};
    } else {
      loads_[target->slot] = {.kind = Load::Kind::kGlobal, .name = name};
    }
  }
}

VarRef Symbols::relative(const Place& place) const {
  return {function_->depth - place.function->depth, place.slot};
}

VarRef Symbols::ref(const std::string& name) const {
  const Place* place = find(name);
  KELDA_CHECK(place);
  return relative(*place);
}

Scope Symbols::scope() const {
  Scope scope;
  for (const auto& [slot, source] : loads_) {
    scope.slots.push_back(slot);
    if (source.parameter) continue;
    Load load{source.kind, slot, source.name, {}};
    if (source.kind == Load::Kind::kAlias) load.from = relative(source.from);
    scope.loads.push_back(std::move(load));
  }
  return scope;
}

}  // namespace kelda::jinja
