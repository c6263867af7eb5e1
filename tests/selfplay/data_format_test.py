"""docs/data_format.md against a shard written in C++: the page's snippet, its tables, its checksums.

    data_format_test.py SOURCE_DIR DATA_SAMPLE_PROGRAM
"""

import contextlib
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error} (scripts/setup installs it)")
    sys.exit(77)

SOURCE = pathlib.Path(sys.argv[1])
PROGRAM = sys.argv[2]
PAGE = (SOURCE / "docs/data_format.md").read_text()


def crc32c(data):
    """From the polynomial alone: nothing shared with the program."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def table_rows(heading):
    """(name, type, shape) of everything in the table below a heading of the page."""
    section = PAGE.split(heading, 1)[1].split("\n#", 1)[0]
    for names, kind in re.findall(r"^\| (`.*?) \| (.*?) \|", section, re.MULTILINE):
        shape = re.search(r"\[(.*)\]", kind)
        for name in re.findall(r"`(\w+)`", names):
            yield name, kind.split()[0], shape.group(1).split(", ") if shape else None


class DataFormat(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "shard-000000.h5"
        out = subprocess.run([PROGRAM, cls.path], check=True, capture_output=True, text=True).stdout
        cls.written = json.loads(out)
        cls.games = cls.written["games"]
        cls.positions = [(row, position) for row, game in enumerate(cls.games)
                         for position in game["positions"]]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_snippet_of_the_page(self):
        snippet = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL).group(1)
        self.assertLessEqual(len(snippet.splitlines()), 10)
        names, before, printed = {}, os.getcwd(), io.StringIO()
        os.chdir(self.folder.name)
        try:
            with contextlib.redirect_stdout(printed):
                exec(snippet, names)
        finally:
            os.chdir(before)
        text, bits = printed.getvalue(), names["bits"]
        first = self.games[0]["positions"][0]
        rows, columns = self.written["rows"], self.written["columns"]
        self.assertEqual(len(bits), len(self.written["plane_names"]) * rows * columns)
        for k, bit in enumerate(bits):
            self.assertEqual(bit, first["planes"][k // 8] >> (k % 8) & 1, k)
        # The start of Reversi: black has e4 and d5, white d4 and e5.
        own, enemy = bits.reshape(-1, rows, columns)[:2]
        self.assertEqual(np.argwhere(own).tolist(), [[3, 4], [4, 3]])
        self.assertEqual(np.argwhere(enemy).tolist(), [[3, 3], [4, 4]])
        for name in self.written["plane_names"]:
            self.assertIn(name + "\n[[", text)
        policy = re.search(r"^policy \{(.*)\}$", text, re.MULTILINE).group(1)
        pairs = [entry.split(": ") for entry in policy.split(", ")]
        self.assertEqual([int(action) for action, _ in pairs], [action for action, _ in first["policy"]])
        for (_, share), (_, units) in zip(pairs, first["policy"]):
            self.assertAlmostEqual(float(share), units / 65535, places=12)
        self.assertIn(f"result {self.games[0]['result']}\n", text)

    def test_every_position(self):
        with h5py.File(self.path, "r") as file:
            positions = {name: dataset[:] for name, dataset in file["positions"].items()}
        self.assertEqual(len(positions["action"]), len(self.positions))
        for row, (game, written) in enumerate(self.positions):
            self.assertEqual(positions["game"][row], game)
            for name in ("planes", "legal", "action", "player", "ply", "flags", "symmetries"):
                self.assertTrue(np.array_equal(positions[name][row], written[name]), (row, name))
            for name in ("scalars", "root_wdl", "weight"):
                self.assertTrue(np.array_equal(positions[name][row], np.float32(written[name])), name)
            entries = slice(*positions["policy_offset"][row:row + 2])
            actions, shares = positions["policy_action"][entries], positions["policy_weight"][entries]
            self.assertEqual(list(zip(actions, shares)), [tuple(entry) for entry in written["policy"]])
            self.assertEqual(shares.astype(int).sum(), 65535)

    def test_every_game(self):
        with h5py.File(self.path, "r") as file:
            games = {name: dataset[:] for name, dataset in file["games"].items()}
        self.assertEqual(len(games["number"]), len(self.games))
        for row, written in enumerate(self.games):
            for name in ("number", "result", "score", "reason", "seed"):
                self.assertEqual(games[name][row], written[name], name)
            for name in ("start", "model_0", "model_1"):
                self.assertEqual(games[name][row].decode(), written[name])
            actions = games["action"][slice(*games["action_offset"][row:row + 2])]
            self.assertEqual(actions.tolist(), written["actions"])
            self.assertEqual(games["plies"][row], len(written["actions"]))

    def test_the_tables_name_every_dataset_and_attribute(self):
        kinds = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "i8": "<i1", "i32": "<i4",
                 "f32": "<f4"}
        with h5py.File(self.path, "r") as file:
            positions, games = len(self.positions), len(self.games)
            sizes = {"N": positions, "N + 1": positions + 1, "G": games, "G + 1": games + 1, "3": 3,
                     "S": len(file.attrs["scalar_names"]), "P": len(file["positions/policy_action"]),
                     "A": len(file["games/action"]), "plane_bytes": file.attrs["plane_bytes"],
                     "legal_bytes": file.attrs["legal_bytes"]}
            for heading, group in (("### `/positions`", "positions"), ("### `/games`", "games")):
                rows = {name: (kind, shape) for name, kind, shape in table_rows(heading)}
                self.assertEqual(set(rows), set(file[group]))
                for name, (kind, shape) in rows.items():
                    dataset = file[group][name]
                    self.assertEqual(list(dataset.shape), [sizes[size] for size in shape], name)
                    if kind == "text":
                        self.assertEqual(dataset.dtype.kind, "S", name)
                    else:
                        self.assertEqual(dataset.dtype, np.dtype(kinds[kind]), name)
            self.assertEqual({name for name, _, _ in table_rows("### Attributes of the root")},
                             set(file.attrs))

    def test_attributes(self):
        with h5py.File(self.path, "r") as file:
            for name, value in self.written.items():
                if name == "games":
                    self.assertEqual(file.attrs[name], len(value))
                elif isinstance(value, list):
                    self.assertEqual(file.attrs[name].tolist(), value)
                else:
                    self.assertEqual(file.attrs[name], value, name)
            self.assertEqual(file.attrs["positions"], len(self.positions))
            self.assertIsInstance(json.loads(file.attrs["options"]), dict)

    def test_checksum_and_seal(self):
        with h5py.File(self.path, "r") as file:
            names = [f"{group}/{name}" for group in file for name in file[group]]
            data = b"".join(file[name][()].tobytes() for name in sorted(names))
            self.assertEqual(file.attrs["checksum"], crc32c(data))
        content = self.path.read_bytes()
        self.assertEqual(content[-12:-4], b"QIRKSEAL")
        self.assertEqual(struct.unpack("<I", content[-4:])[0], crc32c(content[:-12]))

    def test_crc_of_games(self):
        """The record of the page, built from its table."""
        def text(value):
            return struct.pack("<I", len(value)) + value.encode()

        with h5py.File(self.path, "r") as file:
            crcs = file["games/crc"][:]
        for crc, game in zip(crcs, self.games):
            record = struct.pack("<IQbiB", game["number"], game["seed"], game["result"],
                                 game["score"], game["reason"])
            record += text(game["start"]) + text(game["model_0"]) + text(game["model_1"])
            record += struct.pack(f"<I{len(game['actions'])}H", len(game["actions"]), *game["actions"])
            record += struct.pack("<IIII", self.written["plane_bytes"],
                                  len(self.written["scalar_names"]), self.written["legal_bytes"],
                                  len(game["positions"]))
            for row in game["positions"]:
                record += bytes(row["planes"])
                record += struct.pack(f"<{len(row['scalars'])}f", *row["scalars"])
                record += bytes(row["legal"])
                record += struct.pack("<HBIfBB3fI", row["action"], row["player"], row["ply"],
                                      row["weight"], row["flags"], row["symmetries"],
                                      *row["root_wdl"], len(row["policy"]))
                for action, share in row["policy"]:
                    record += struct.pack("<HH", action, share)
            self.assertEqual(crc, crc32c(record))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
