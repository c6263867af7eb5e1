// What the files of a run share, as bytes and as differences. Internal to selfplay/data.
#pragma once

#include <string>

#include "selfplay/data/bytes.h"
#include "selfplay/data/shard.h"

namespace qirkat {

void PutHeader(ByteWriter& out, const ShardHeader& header);
ShardHeader GetHeader(ByteReader& in);  // throws UserError

// The rule options as a JSON object of texts, in order, and back; throws UserError.
std::string OptionsToJson(const OptionTexts& options);
OptionTexts OptionsFromJson(const std::string& json);

// The first difference for an error message ("seed is 2 instead of 1"); empty if there is none.
std::string HeaderDifference(const ShardHeader& found, const ShardHeader& expected);

// True if the rows of a game have the header's sizes.
bool FitsHeader(const GameRecord& game, const ShardHeader& header);

}  // namespace qirkat
