"""Prints the table at the end of scripts/quickstart.

    quickstart_table.py RESULTS_DIR RUN_DIR

RESULTS_DIR holds run.json (`qirkat inspect RUN --json`) and one `qirkat match --json` file per opponent.
"""

import json
import pathlib
import sys


def match_row(path):
    match = json.loads(path.read_text())
    return (f"against {match['b']['spec']}",
            f"{100 * match['score']:.1f} % (95 %: {100 * match['score_low']:.1f} … "
            f"{100 * match['score_high']:.1f}) in {match['games']} games: "
            f"{match['wins']} won, {match['draws']} drawn, {match['losses']} lost")


def main():
    results, run = pathlib.Path(sys.argv[1]), sys.argv[2]
    info = json.loads((results / "run.json").read_text())
    net = info["model"]["net"]
    totals = info["totals"]
    rows = [
        ("trained", f"{info['game']}, {net['blocks']} blocks × {net['channels']} channels, "
                    f"{info['model']['parameters']} parameters, model {info['model']['model']}"),
        ("time", f"{totals['seconds'] / 60:.1f} minutes: self-play {totals['selfplay_seconds']:.0f} s, "
                 f"learning {totals['learn_seconds']:.0f} s"),
        ("games", f"{info['data']['games']} games, {info['data']['positions']} positions, "
                  f"{totals['steps']} training steps"),
        ("rates", f"{info['data']['games'] / totals['selfplay_seconds']:.1f} games/s, "
                  f"{totals['evaluations'] / totals['selfplay_seconds']:.0f} evaluations/s, "
                  f"{totals['samples'] / totals['learn_seconds']:.0f} training samples/s"),
    ]
    rows += [match_row(results / f"{name}.json") for name in ("random", "rollout:visits=100")]
    rows += [
        ("model", f"{run}/model.qkt"),
        ("games on disk", f"{run}/data (HDF5; docs/data_format.md)"),
        ("metrics", f"{run}/metrics.jsonl and TensorBoard events"),
        ("try next", f"build/release/qirkat inspect {run}"),
        ("", f"build/release/qirkat match reversi --a net:{run}/model.qkt,visits=400 "
             "--b rollout:visits=1600 --games 100"),
        ("", "build/release/qirkat train configs/reversi.toml      (a long run)"),
    ]
    width = max(len(name) for name, _ in rows)
    print()
    for name, value in rows:
        print(f"{name:<{width}}  {value}")


if __name__ == "__main__":
    main()
