// The option tables of the sections that training owns.
#include "training/config.h"

namespace qirkat {

const std::vector<Option<RunOptions>>& RunOptions::Table() {
  static const std::vector<Option<RunOptions>> table = {
      {"generations",
       &RunOptions::generations,
       {.min = 1, .max = 1e6, .help = "Rounds of self-play and learning."}},
      {"seed", &RunOptions::seed, {.min = 0, .help = "Names every random stream of the run."}},
      {"games_per_shard",
       &RunOptions::games_per_shard,
       {.min = 1, .max = 1e6, .unit = "games", .help = "Games in one HDF5 file."}},
      {"evaluator",
       &RunOptions::evaluator,
       {.choices = {"net", "hash", "uniform", "rollout"},
        .help = "What plays: the network, or an evaluator without one."}},
      {"backend",
       &RunOptions::backend,
       {.choices = {"auto", "onednn", "torch", "checker"},
        .help = "What evaluates the network: torch on GPUs, onednn on CPUs; checker: onednn, "
                "compared with torch in fp32 at every batch."}},
      {"device",
       &RunOptions::device,
       {.help =
            "Where self-play evaluates: auto, cpu, cuda (every GPU), or a list: cuda:0,cuda:1."}},
      {"precision",
       &RunOptions::precision,
       {.help =
            "Of self-play: fp32, bf16, int8 (onednn), or several with commas between: the first "
            "that is close enough to fp32 on the run's positions; auto: what the device does "
            "fast, in a fixed order."}},
      {"cpu",
       &RunOptions::cpu,
       {.help =
            "The kind of CPU whose arithmetic self-play has; auto: this one (qirkat doctor names "
            "it). A run goes on only on the same kind."}},
      {"keep_checkpoints",
       &RunOptions::keep_checkpoints,
       {.min = 0,
        .max = 1e6,
        .help = "0 keeps all; else the newest so many and every 10th.",
        .changes_results = false}},
      {"min_free_disk",
       &RunOptions::min_free_disk,
       {.min = 0,
        .max = 1e9,
        .unit = "MiB",
        .help = "The run stops cleanly when the disk has less room than this.",
        .changes_results = false}},
  };
  return table;
}

const std::vector<Option<WindowOptions>>& WindowOptions::Table() {
  static const std::vector<Option<WindowOptions>> table = {
      {"min_rows",
       &WindowOptions::min_rows,
       {.min = 1,
        .max = 1e9,
        .unit = "positions",
        .help = "The window holds everything until so many rows were seen."}},
      {"max_bytes",
       &WindowOptions::max_bytes,
       {.min = 1 << 20,
        .max = 1e13,
        .unit = "bytes",
        .help = "Memory for packed rows; the oldest games leave first."}},
      {"exponent",
       &WindowOptions::exponent,
       {.min = 0,
        .max = 1,
        .help = "Rows in the window = min_rows × (rows seen / min_rows)^exponent.",
        .source = "Wu 2019, KataGo"}},
  };
  return table;
}

const std::vector<Option<LearnerOptions>>& LearnerOptions::Table() {
  static const std::vector<Option<LearnerOptions>> table = {
      {"batch_size",
       &LearnerOptions::batch_size,
       {.min = 1, .max = 1 << 20, .unit = "positions", .help = "Rows of one training step."}},
      {"rows_per_new_row",
       &LearnerOptions::rows_per_new_row,
       {.min = 0, .max = 1000, .help = "Training rows for each new row of self-play."}},
      {"optimizer",
       &LearnerOptions::optimizer,
       {.choices = {"adamw", "sgd"},
        .help = "AdamW, or SGD with momentum.",
        .source = "Loshchilov and Hutter 2019"}},
      {"learning_rate",
       &LearnerOptions::learning_rate,
       {.min = 0, .max = 10, .help = "After the warm-up."}},
      {"final_learning_rate",
       &LearnerOptions::final_learning_rate,
       {.min = 0,
        .max = 10,
        .help = "At the end of the run, reached by a cosine.",
        .source = "Loshchilov and Hutter 2017"}},
      {"warmup_steps",
       &LearnerOptions::warmup_steps,
       {.min = 0, .max = 1e9, .unit = "steps", .help = "Linear rise of the learning rate from 0."}},
      {"weight_decay",
       &LearnerOptions::weight_decay,
       {.min = 0, .max = 1, .help = "Decoupled with adamw, L2 with sgd."}},
      {"momentum",
       &LearnerOptions::momentum,
       {.min = 0, .max = 1, .help = "Of sgd; adamw does not read it."}},
      {"gradient_clip",
       &LearnerOptions::gradient_clip,
       {.min = 0, .max = 1e6, .help = "Largest norm of the gradient; 0 does not clip."}},
      {"ema_decay",
       &LearnerOptions::ema_decay,
       {.min = 0,
        .max = 0.999999,
        .help = "Of the averaged weights, a step; these are what plays."}},
      {"policy_loss",
       &LearnerOptions::policy_loss,
       {.min = 0, .max = 1000, .help = "Weight of the cross-entropy to the visit shares."}},
      {"value_loss",
       &LearnerOptions::value_loss,
       {.min = 0, .max = 1000, .help = "Weight of the cross-entropy to win, draw, loss."}},
      {"score_loss",
       &LearnerOptions::score_loss,
       {.min = 0, .max = 1000, .help = "Weight of the loss of the final score."}},
      {"moves_left_loss",
       &LearnerOptions::moves_left_loss,
       {.min = 0,
        .max = 1000,
        .help = "Weight of the loss of the plies to the end.",
        .source = "Leela Chess Zero"}},
      {"root_value_share",
       &LearnerOptions::root_value_share,
       {.min = 0,
        .max = 1,
        .help = "Win, draw, loss target = (1 - this) × result + this × the search's root value."}},
      {"augment",
       &LearnerOptions::augment,
       {.help = "Each training row under a random symmetry that holds for it."}},
      {"device",
       &LearnerOptions::device,
       {.help = "auto, cpu, cuda or cuda:N; of several GPUs the first."}},
      {"precision",
       &LearnerOptions::precision,
       {.choices = {"auto", "fp32", "bf16"}, .help = "Of the forward pass (autocast)."}},
      {"threads",
       &LearnerOptions::threads,
       {.min = 1,
        .max = 1024,
        .unit = "threads",
        .help = "Of the learner. Another number gives other bits."}},
  };
  return table;
}

const std::vector<Option<RatingOptions>>& RatingOptions::Table() {
  static const std::vector<Option<RatingOptions>> table = {
      {"every",
       &RatingOptions::every,
       {.min = 0,
        .max = 1e6,
        .unit = "generations",
        .help = "How often the newest net plays against the opponent; 0: never.",
        .changes_results = false}},
      {"opponent",
       &RatingOptions::opponent,
       {.help = "A player without a network, as in qirkat match: random, rollout:visits=100.",
        .changes_results = false}},
      {"games",
       &RatingOptions::games,
       {.min = 2,
        .max = 1e6,
        .unit = "games",
        .help = "An even number: every opening is played with both colours.",
        .changes_results = false}},
      {"visits",
       &RatingOptions::visits,
       {.min = 1, .max = 1e8, .help = "Of the net, a move.", .changes_results = false}},
  };
  return table;
}

}  // namespace qirkat
