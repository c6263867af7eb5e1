"""The rules of the house that a compiler does not check: layers, LibTorch's reach, folder READMEs.

    house_test.py SOURCE_DIR
"""

import pathlib
import re
import sys
import tempfile
import unittest

LAYERS = ["envs", "models", "selfplay", "training", "frontends"]
# The only places that may include LibTorch: the rest builds with -DQIRKAT_WITH_TORCH=OFF.
TORCH_FOLDERS = ["models/torch", "training/learner"]
# These two clash with LibTorch's bundled copies.
TORCH_ENEMIES = ["spdlog/", "fmt/", "google/protobuf/", "dnnl"]
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
PRINTING = re.compile(r"std::(cout|cerr|clog)\b|\b(printf|puts|fputs)\s*\(")


def sources(root):
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield layer, path.relative_to(root).as_posix(), path.read_text()


def violations(root):
    """One line for each include or print that breaks a rule."""
    found = []
    for layer, name, text in sources(root):
        includes = INCLUDE.findall(text)
        uses_torch = any(target.startswith(("torch/", "ATen/", "c10/")) for _, target in includes)
        if uses_torch and not any(name.startswith(folder + "/") for folder in TORCH_FOLDERS):
            found.append(f"{name}: includes LibTorch")
        for quote, target in includes:
            folder = target.split("/")[0]
            if folder in LAYERS and LAYERS.index(folder) > LAYERS.index(layer):
                found.append(f"{name}: {layer} includes {target}")
            if quote == '"' and folder not in LAYERS:
                found.append(f'{name}: include "{target}" is not written from the root')
            if uses_torch and target.startswith(tuple(TORCH_ENEMIES)):
                found.append(f"{name}: includes {target} beside LibTorch")
        if "#pragma once" not in text and name.endswith(".h"):
            found.append(f"{name}: no #pragma once")
        if layer != "frontends" and PRINTING.search(text):
            found.append(f"{name}: a library prints")
    return found


class HouseRules(unittest.TestCase):
    root = None

    def test_layers(self):
        self.assertEqual(violations(self.root), [])

    def test_every_folder_has_a_readme(self):
        for folder in LAYERS + ["configs", "scripts", "tests", "docs"]:
            text = (self.root / folder / "README.md").read_text()
            self.assertTrue(text.startswith(f"# {folder}"), folder)

    def test_one_registry(self):
        """Nothing but a game's own folder, the registry and tests names a game's type header."""
        games = [p.name for p in (self.root / "envs").iterdir() if p.is_dir() and p.name != "core"]
        for _, name, text in sources(self.root):
            for _, target in INCLUDE.findall(text):
                for game in games:
                    if target.startswith(f"envs/{game}/"):
                        allowed = name.startswith(f"envs/{game}/") or name == "envs/registry.h"
                        self.assertTrue(allowed, f"{name} includes {target}")

    def test_the_check_sees_violations(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for layer in LAYERS:
                (root / layer).mkdir()
            (root / "envs/a.cpp").write_text('#include "models/evaluator.h"\n')
            (root / "models/b.cpp").write_text("#include <torch/torch.h>\nvoid F() { std::cout << 1; }\n")
            (root / "selfplay/c.h").write_text('#include "models/b.h"\n')
            self.assertEqual(violations(root), [
                "envs/a.cpp: envs includes models/evaluator.h",
                "models/b.cpp: includes LibTorch",
                "models/b.cpp: a library prints",
                "selfplay/c.h: no #pragma once",
            ])


if __name__ == "__main__":
    HouseRules.root = pathlib.Path(sys.argv.pop())
    unittest.main()
