#include "envs/core/record_text.h"

#include "envs/core/text.h"

namespace qirkat {

RecordText SplitRecord(std::string_view line) {
  RecordText record;
  if (const std::size_t tab = line.find('\t'); tab != std::string_view::npos) {
    record.start = line.substr(0, tab);
    line.remove_prefix(tab + 1);
  }
  for (const std::string_view action : Split(line, ' ')) {
    if (!action.empty()) record.actions.push_back(action);
  }
  return record;
}

}  // namespace qirkat
