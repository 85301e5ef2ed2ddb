"""Plants mistakes in what makes programs for any batch size, and sees whether a test notices.

    python tools/mutate/batches.py [--only "chosen"] [--files SumPhases,TileLoops --every 4]

As residency.py does: the tests of the passes run first, then random programs of test/fuzz/dynamic_files.py,
any_batch_products.py and any_batch_sums.py, then the tests of the package.
"""

from __future__ import annotations

import argparse

from residency import judge

FILES = {
    "passes/batch": [
        *("BatchForms", "DynamicBatch", "OpenBatch", "SampleFlow", "SampleRules"),
        *(
            "SumPhases",
            "TileBatch",
            "TileLoops",
            "BatchPrograms",
            "RowProducts",
            "SampleNumbers",
            "RankChoice",
        ),
    ],
    "passes/emit": ["BySize"],
    "passes/lower/cpu": ["NestPlan", "GemmRows"],
    "passes/lower/tensors": ["PlaceTiles"],
}
TESTS = [
    f"test/python/test_{name}.py"
    for name in (
        "any_batch_products",
        "any_batch_elements",
        "any_batch_steps",
        "any_batch_sums",
        "any_batch_layers",
        "any_batch_training",
        "any_batch",
        "rank_batches",
    )
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=8, help="random programs for each mutant")
    parser.add_argument("--only", default="", help="mistakes with these words")
    parser.add_argument("--files", default="", help="mistakes in these files only, by name")
    parser.add_argument("--every", type=int, default=1, help="of those not chosen, each so many")
    options = parser.parse_args()
    programs = ["test/fuzz/any_batch_sums.py", "--first=0", f"--count={options.count}"]
    files = ["test/fuzz/dynamic_files.py", "--first=0", f"--count={5 * options.count}"]
    pytest = ["pytest", "-q", "-x", "-m", "not sweep", "-p", "no:cacheprovider"]
    products = ["test/fuzz/any_batch_products.py", "--first=0", f"--count={options.count}"]
    wanted = options.files.split(",") if options.files else []
    planted = {
        place: [n for n in names if not wanted or n in wanted] for place, names in FILES.items()
    }
    scripts = [files, products, programs, *([*pytest, test] for test in TESTS)]
    judge(
        planted,
        scripts,
        options.only,
        folders=["batch", "lower/cpu", "lower/tensors"],
        every=options.every,
    )


if __name__ == "__main__":
    main()
