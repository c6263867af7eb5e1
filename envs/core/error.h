// The two kinds of failure: a user's mistake and a bug.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace qirkat {

// A user's mistake or damaged input: the message is one line that says what was wrong, where, and
// what is accepted. The program prints it and exits with code 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What `function` returns; a user's mistake in it gets "WHERE: " in front.
template <class Function>
auto InContext(std::string_view where, Function&& function) {
  try {
    return function();
  } catch (const UserError& error) {
    throw UserError(std::string(where) + ": " + error.what());
  }
}

// A bug: a broken promise inside Qirkat. Never thrown on purpose for a user's mistake.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace internal {
template <class... Values>
[[noreturn]] void FailCheck(const char* condition, const char* file, int line,
                            const Values&... values) {
  std::ostringstream out;
  out << file << ':' << line << ": check failed: " << condition;
  ((out << " [" << values << ']'), ...);
  throw InternalError(out.str());
}
}  // namespace internal

}  // namespace qirkat

// QIRKAT_CHECK(a == b, a, b): always on; the values stand in the message.
#define QIRKAT_CHECK(condition, ...)                                                            \
  do {                                                                                          \
    if (!(condition)) [[unlikely]]                                                              \
      ::qirkat::internal::FailCheck(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
