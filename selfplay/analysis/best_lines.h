// What a search has found, as lines for a person.
#pragma once

#include "selfplay/analysis/analysis.h"
#include "selfplay/search/tree.h"

namespace qirkat {

// The root of a search; `best` stands first, the other actions follow by their share. Lines are one
// action long and have no W/D/L.
AnalysisResult BestActions(const RootResult& root, Action best, int lines);

// Adds to a line of one action what the search's tree knows behind it, up to `length` actions in
// all.
void FollowTree(const Tree& tree, int length, AnalysisLine& line);

}  // namespace qirkat
