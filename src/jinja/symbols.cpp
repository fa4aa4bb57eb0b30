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
    effort_.spend(Effort::kLookup);
    const auto found = s->refs_.find(name);
    if (found != s->refs_.end()) return &found->second;
  }
  return nullptr;
}

void Symbols::add_ref(const std::string& name, const Place& place) {
  effort_.spend(Effort::kLookup);
  const bool added = refs_.insert_or_assign(name, place).second;
  if (added && apart_ > 0) changes_.push_back({Change::Kind::kRef, name});
}

void Symbols::add_store(const std::string& name) {
  effort_.spend(Effort::kLookup);
  if (stores_.insert(name).second && apart_ > 0) changes_.push_back({Change::Kind::kStore, name});
}

void Symbols::set_load(int slot, Source source) {
  effort_.spend(Effort::kLookup);
  const auto [found, added] = loads_.try_emplace(slot);
  if (apart_ > 0) {
    changes_.push_back({Change::Kind::kLoad, {}, slot, added ? std::nullopt : std::optional(found->second)});
  }
  found->second = std::move(source);
}

const Place& Symbols::define(const std::string& name, Source source) {
  const int slot = function_->slot(level_, name);
  set_load(slot, std::move(source));
  add_ref(name, Place{function_, slot});
  return refs_.find(name)->second;
}

void Symbols::load(const std::string& name) {
  if (!find(name)) define(name, {.kind = Load::Kind::kGlobal, .name = name});
}

void Symbols::store(const std::string& name) {
  add_store(name);
  if (refs_.count(name)) return;
  const Place* outer = parent_ ? parent_->find(name) : nullptr;
  if (outer) {
    define(name, {.kind = Load::Kind::kAlias, .from = *outer});
  } else {
    define(name, {.kind = Load::Kind::kMissing});
  }
}

int Symbols::declare(const std::string& name) {
  add_store(name);
  return define(name, {.kind = Load::Kind::kMissing, .parameter = true}).slot;
}

Symbols::Learned Symbols::take_back(std::size_t n_changes) {
  Learned learned;
  for (; changes_.size() > n_changes; changes_.pop_back()) {
    effort_.spend(Effort::kLookup);
    Change& change = changes_.back();
    switch (change.kind) {
      case Change::Kind::kRef: {
        const auto found = refs_.find(change.name);
        learned.refs.insert(*found);
        refs_.erase(found);
        break;
      }
      case Change::Kind::kStore:
        learned.stores.insert(change.name);
        stores_.erase(change.name);
        break;
      case Change::Kind::kLoad: {
        const auto found = loads_.find(change.slot);
        learned.loads.try_emplace(change.slot, found->second);  // the last of several
        if (change.before) {
          found->second = std::move(*change.before);
        } else {
          loads_.erase(found);
        }
        break;
      }
    }
  }
  return learned;
}

void Symbols::merge(const std::vector<Learned>& branches) {
  std::set<std::string> stored;
  for (const Learned& branch : branches) {
    stored.insert(branch.stores.begin(), branch.stores.end());
    for (const auto& [name, place] : branch.refs) add_ref(name, place);
    for (const auto& [slot, source] : branch.loads) set_load(slot, source);
    for (const std::string& name : branch.stores) add_store(name);
  }
  // What only a branch assigns begins as what it is outside.
  for (const std::string& name : stored) {
    const Place* target = find(name);
    KELDA_CHECK(target);
    const Place* outer = parent_ ? parent_->find(name) : nullptr;
    if (outer) {
      set_load(target->slot, {.kind = Load::Kind::kAlias, .from = *outer});
    } else {
      set_load(target->slot, {.kind = Load::Kind::kGlobal, .name = name});
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
  effort_.spend(static_cast<int64_t>(loads_.size()));
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
