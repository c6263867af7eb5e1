#include "tests/frontends/dialogue.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <vector>

namespace qirkat::test {

Dialogue::Dialogue(const Arguments& arguments) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe");
  }
  std::vector<std::string> words = {QIRKAT_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
}

Dialogue::~Dialogue() {
  if (to_ >= 0) close(to_);
  close(from_);
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string Dialogue::Read() {
  std::string text;
  char bytes[4096];
  ssize_t count;
  while (!text.ends_with("> ") && (count = read(from_, bytes, sizeof bytes)) > 0) {
    text.append(bytes, static_cast<std::size_t>(count));
  }
  return text;
}

std::string Dialogue::Say(const std::string& line) {
  const std::string bytes = line + '\n';
  if (write(to_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("the program does not listen");
  }
  return Read();
}

void Dialogue::Signal(int signal) const { kill(pid_, signal); }

int Dialogue::Finish() {
  close(to_);
  to_ = -1;
  Read();
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace qirkat::test
