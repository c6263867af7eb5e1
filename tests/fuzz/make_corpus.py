"""Writes the fuzz targets' corpora from the worked cases, counts and traces of tests/data.

    make_corpus.py        (from anywhere; the files it wrote before are replaced)
"""

import pathlib
import shutil
import struct

FUZZ = pathlib.Path(__file__).resolve().parent
DATA = FUZZ.parent / "data"
RECORD_LETTERS = 600  # of a record's actions: long games would only be slow
TRACE_STEP = 40  # every so many positions of a trace


def cases(*names):
    """(game, options, position, actions, expected texts) of each worked case."""
    for name in names:
        for line in (DATA / name).read_text().splitlines():
            if line.startswith("#"):
                continue
            fields = line.split(" | ") if " | | " not in line else line.replace(" | | ", " |  | ").split(" | ")
            game, options, position, expected = (field.strip(" ") for field in (*fields, "")[:4])
            position, _, actions = position.partition(" > ")
            yield game, options, position, actions, expected


def traces():
    """(game, positions, actions) of the first game of each trace."""
    for path in sorted(DATA.glob("trace_*.txt")):
        rows = []
        for line in path.read_text().splitlines():
            if line.startswith("result "):
                break
            rows.append(line.split("\t"))
        yield path.stem.removeprefix("trace_"), [row[0] for row in rows], [row[2] for row in rows]


def header(game, options):
    return f"{game} {options}".strip(" ")


def positions():
    for game, options, position, _, _ in cases("cases.txt", "more_cases.txt", "perft.txt"):
        yield game, f"{header(game, options)}\n{position}"
    for game, texts, _ in traces():
        for text in texts[::TRACE_STEP]:
            yield game, f"{game}\n{text}"


def actions():
    for game, options, position, before, expected in cases("cases.txt", "more_cases.txt"):
        played = before.split(" ")
        if expected.startswith(("!", "@", "#")):
            text = played.pop()
        else:
            text = expected.removeprefix("~ ").split(" ")[0].split(":")[0]
        if text:
            yield game, f"{header(game, options)}\n{position}\t{' '.join(played)}\n{text}"


def records():
    for game, options, position, before, _ in cases("cases.txt", "more_cases.txt"):
        if before:
            start = "" if position == "start" else position + "\t"
            yield game, f"{header(game, options)}\n{start}{before}"
    for game, texts, played in traces():
        for begin in (0, len(texts) // 2):
            moves = " ".join(played[begin:])[:RECORD_LETTERS]
            yield game, f"{game}\n{texts[begin]}\t{moves.rpartition(' ')[0]}"


def packed_text(text):
    return struct.pack("<I", len(text)) + text.encode()


def setup_books():
    """The first of the sample, cut at its ends in different ways."""
    lines = (DATA / "stratego_human_setups_sample.txt").read_text().splitlines()[:3]
    for text in ("", lines[0], "\n".join(lines) + "\n", lines[0] + "\r\n", lines[0][1:] + "\n" + lines[1]):
        yield "book", text


def game_records():
    """Two planes of 25 squares, one scalar, 20 actions."""
    for number, rows in enumerate((0, 1, 3)):
        row = struct.pack("<7sf3sHBIfBB3fIHHHH", b"planes.", 0.5, b"abc", 7, 1, 3, 1.0, 1, 1, 0.5, 0.25, 0.25, 2, 3, 40000, 4, 25535)
        sizes = (7, 1, 3) if rows else (0, 0, 0)
        yield "rows", (
            struct.pack("<IQbiB", number, 9, 1, 5, 1) + packed_text("start") + packed_text("hash") + packed_text("")
            + struct.pack("<I3H", 3, 7, 8, 9) + struct.pack("<4I", *sizes, rows) + row * rows
        )


def shard_headers():
    def packed_texts(texts):
        return struct.pack("<I", len(texts)) + b"".join(packed_text(text) for text in texts)

    for options in ("{}", '{"max_plies":"128","winner_takes_empties":"off"}', '{"setup":"\\u00e4\\n"}'):
        yield "options", (
            packed_text("reversi") + struct.pack("<i", 1) + packed_text(options) + struct.pack("<ii", 8, 8)
            + packed_texts(["own", "enemy", "legal"]) + packed_texts([]) + struct.pack("<iii", 24, 9, 65)
            + packed_text("[search]\nvisits = 9\n") + packed_text("0123456789abcdef") + struct.pack("<QQ", 1, 2)
        )


def main():
    makers = {
        "position": positions, "action": actions, "record": records, "setup_book": setup_books,
        "game_record": game_records, "shard_header": shard_headers,
    }
    for target, make in makers.items():
        folder = FUZZ / "corpus" / target
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        inputs = {}  # in order, each once
        for name, content in make():
            inputs.setdefault(content if isinstance(content, bytes) else content.encode(), name)
        counts = {}
        for content, name in inputs.items():
            counts[name] = counts.get(name, 0) + 1
            (folder / f"{name}_{counts[name]:02}").write_bytes(content)


if __name__ == "__main__":
    main()
