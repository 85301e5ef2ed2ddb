"""Plants mistakes in what makes programs for any batch size, and sees whether a test notices.

    python tools/mutate/batches.py [--only "chosen"]

As residency.py does: random programs of test/fuzz/any_batch_products.py, any_batch_sums.py and dynamic_files.py run
first, then the tests.
"""

from __future__ import annotations

import argparse

from residency import judge

FILES = {
    "passes/batch": [
        *("BatchForms", "DynamicBatch", "OpenBatch", "SampleFlow", "SampleRules"),
        *("SumPhases", "TileBatch", "TileLoops", "BatchPrograms", "RowProducts"),
    ],
    "passes/emit": ["BySize"],
    "passes/lower/cpu": ["NestPlan"],
}
TESTS = [
    f"test/python/test_{name}.py"
    for name in ("any_batch_layers", "any_batch_training", "any_batch", "rank_batches")
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=8, help="random programs for each mutant")
    parser.add_argument("--only", default="", help="mistakes with these words")
    options = parser.parse_args()
    programs = ["test/fuzz/any_batch_sums.py", "--first=0", f"--count={options.count}"]
    files = ["test/fuzz/dynamic_files.py", "--first=0", f"--count={5 * options.count}"]
    tests = ["pytest", "-q", "-x", "-m", "not sweep", "-p", "no:cacheprovider", *TESTS]
    products = ["test/fuzz/any_batch_products.py", "--first=0", f"--count={options.count}"]
    judge(FILES, [files, products, programs, tests], options.only)


if __name__ == "__main__":
    main()
