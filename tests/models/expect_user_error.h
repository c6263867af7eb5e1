// Tests that something ends as a user's mistake should: one line that says certain things.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "envs/core/error.h"

namespace qirkat {

template <class Call>
void ExpectUserError(const Call& call, std::initializer_list<std::string> parts) {
  try {
    call();
    ADD_FAILURE() << "no error";
  } catch (const UserError& error) {
    const std::string message = error.what();
    EXPECT_THAT(message, testing::Not(testing::HasSubstr("\n")));
    for (const std::string& part : parts) EXPECT_THAT(message, testing::HasSubstr(part));
  }
}

}  // namespace qirkat
