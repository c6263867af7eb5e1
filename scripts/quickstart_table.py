"""Prints the table at the end of scripts/quickstart.

    quickstart_table.py RUN_DIR INSPECT_JSON MATCH_JSON...

INSPECT_JSON is the output of `qirkat inspect RUN_DIR --json`, each MATCH_JSON that of `qirkat match --json`.

    quickstart_table.py --rules RUN_DIR

prints the arguments, one a line, with which other commands play by the rules of the run.
"""

import json
import pathlib
import shlex
import sys
import tomllib


def total(metrics, name, weight=None):
    """Sum of a metric over its moments, each times another metric where `weight` names one."""
    return sum(m[name] * (m[weight] if weight else 1) for m in metrics if name in m)


def rules_of(run):
    """The rule options of the run's game, name to what `--set` takes."""
    game = tomllib.loads((run / "config.toml").read_text())["game"]
    switches = {True: "on", False: "off"}
    return {name: switches[value] if isinstance(value, bool) else value
            for name, value in game.items() if name != "name"}


def training_rows(run, info):
    metrics = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    selfplay_s = total(metrics, "selfplay/seconds")
    rating_s = total(metrics, "rating/seconds")
    # Wall time of a run that was stopped in between holds the pause as well: count what was worked.
    config = tomllib.loads((run / "config.toml").read_text())
    samples = info["newest_checkpoint"]["step"] * config["learner"]["batch_size"]
    samples_per_s = [m["learner/samples_per_s"] for m in metrics if "learner/samples_per_s" in m]
    mean_samples_per_s = len(samples_per_s) / sum(1 / rate for rate in samples_per_s)
    learn_s = samples / mean_samples_per_s
    net = info["model"]["net"]
    data = info["data"]
    return [
        ("trained", f"{info['game']}: {net['blocks']} blocks × {net['channels']} channels, "
                    f"{info['model']['parameters']} parameters, model {info['model']['model']}"),
        ("time", f"{(selfplay_s + learn_s + rating_s) / 60:.1f} minutes: self-play {selfplay_s:.0f} s, "
                 f"learning {learn_s:.0f} s, rating games {rating_s:.0f} s"),
        ("data", f"{data['games']} games, {data['positions']} positions, "
                 f"{info['newest_checkpoint']['step']} training steps"),
        ("rates", f"{data['games'] / selfplay_s:.1f} games/s, "
                  f"{total(metrics, 'selfplay/evaluations_per_s', 'selfplay/seconds') / selfplay_s:.0f} "
                  f"evaluations/s, {mean_samples_per_s:.0f} training samples/s"),
    ]


def match_row(match):
    return (f"against {match['b']['spec']}",
            f"{100 * match['score']:.1f} % (95 %: {100 * match['score_low']:.1f} … "
            f"{100 * match['score_high']:.1f}) in {match['games']} games: "
            f"{match['wins']} won, {match['draws']} drawn, {match['losses']} lost")


def main():
    if sys.argv[1] == "--rules":
        for name, value in rules_of(pathlib.Path(sys.argv[2])).items():
            print(f"--set\n{name}={value}")
        return
    run = pathlib.Path(sys.argv[1])
    info, *matches = [json.loads(pathlib.Path(path).read_text()) for path in sys.argv[2:]]
    # A match plays by the default rules unless it is told.
    changed = {option.partition(" = ")[0] for option in info["changed_options"]}
    rules = "".join(" --set " + shlex.quote(f"{name}={value}")
                    for name, value in rules_of(run).items() if f"game.{name}" in changed)
    rows = training_rows(run, info) + [match_row(match) for match in matches] + [
        ("model", f"{run}/model.qkt"),
        ("games on disk", f"{run}/data (HDF5: docs/data_format.md)"),
        ("metrics", f"{run}/metrics.jsonl and TensorBoard events beside it"),
        ("try next", f"build/release/qirkat inspect {run}"),
        ("", f"build/release/qirkat match {info['game']}{rules} --a net:{run}/model.qkt,visits=400 "
             "--b rollout:visits=3000 --games 20"),
        ("", f"build/release/qirkat train configs/{info['game']}.toml    (a long run)"),
    ]
    width = max(len(name) for name, _ in rows)
    print()
    for name, value in rows:
        print(f"{name:<{width}}  {value}")


if __name__ == "__main__":
    main()
