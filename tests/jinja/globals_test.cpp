#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Globals, GivesWhatJinja2Gives) { expect_golden("globals"); }

TEST(Globals, WhatTheTemplateRaisesIsToldApart) {
  EXPECT_THROW(rendered("{{ raise_exception('roles must alternate') }}"), TemplateRaised);
  try {
    rendered("\n{{ raise_exception('roles must alternate') }}");
  } catch (const TemplateRaised& error) {
    EXPECT_EQ(error.detail(), "roles must alternate");
    EXPECT_EQ(error.line(), 2);
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
  }
}

}  // namespace
}  // namespace kelda::jinja
