// A config whose run takes a second or two.
#pragma once

namespace qirkat::test {

inline constexpr char kTinyRun[] = R"(
[game]
name = "reversi"
[run]
generations = 2
games_per_shard = 4
min_free_disk = 1
[net]
blocks = 1
channels = 8
pooled_every = 1
head_channels = 4
value_hidden = 8
[search]
visits = 8
[selfplay]
games = 6
workers = 1
slots = 4
[window]
min_rows = 200
[learner]
batch_size = 32
rows_per_new_row = 2
warmup_steps = 5
threads = 1
[rating]
every = 2
opponent = "random"
games = 2
visits = 4
)";

}  // namespace qirkat::test
