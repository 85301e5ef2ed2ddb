"""Renews the tables of docs/figures.md beside other frameworks.

    python bench/peers.py --harness /path/to/bench.py --threads 1 2 --write -- --jax-python ... --torch-python ...

runs the harness once for each number of threads, with what stands behind `--` as its own options, and puts a table
with date, machine and versions of each run into the page. `--json FILE` takes a run that is there already.

The limits of this machine are measured first, by the harness's own programs: multiply-adds of one core, and bytes of
arrays of 16 MiB, the best of its loops.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/figures.md"


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown processor"


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g}" if seconds < 1 else f"{seconds * 1e3:,.0f}"


def table(run):
    """The medians of a run, and the ratio of ours to the best of the others."""
    frameworks = list(run["frameworks"])
    others = [name for name in frameworks if name != "cellgrad"]
    if len(others) == len(frameworks) or not others:
        raise SystemExit(f"nothing to compare: the run has {', '.join(frameworks) or 'nothing'}")
    versions = ", ".join(f"{name} {run['frameworks'][name]['version']}" for name in others)
    lines = [
        f"{run['started'][:10]}, {processor()}, {run['threads']} thread{'s' * (run['threads'] > 1)}; {versions}.",
        "",
        "| workload | " + " | ".join(frameworks) + " | ratio |",
        "| --- |" + " ---: |" * (len(frameworks) + 1),
    ]
    ratios = []
    for name, workload in run["workloads"].items():
        results = workload["results"]
        medians = [results.get(f, {}).get("median_s") for f in frameworks]
        ratios.append(
            results["cellgrad"]["median_s"]
            / min(m for f, m in zip(frameworks, medians, strict=True) if m and f in others)
        )
        cells = [milliseconds(m) if m else "-" for m in medians]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {ratios[-1]:.2f} |")
    lines.append("| geometric mean |" + " |" * len(frameworks) + f" {mean(ratios):.2f} |")
    return "\n".join([*lines, "", first_results(run), "", limit(run)])


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def first_results(run):
    """Building, tracing, compiling and one step, without the import."""
    seconds = {
        name: {w: r["results"][name].get("ttfr_s") for w, r in run["workloads"].items()}
        for name in run["frameworks"]
    }
    means = ", ".join(
        f"{name} {milliseconds(mean([s for s in of.values() if s]))} ms"
        for name, of in seconds.items()
        if any(of.values())
    )
    text = f"First result, geometric mean: {means}."
    ours, jax = seconds["cellgrad"], seconds.get("jax", {})
    ratios = {name: ours[name] / jax[name] for name in ours if jax.get(name)}
    if ratios:
        worst = max(ratios, key=ratios.__getitem__)
        text += f" At most {ratios[worst]:.2f} of JAX's: {worst}."
    return text


def limit(run):
    """How far steps are from what the machine can do."""
    ratios = {
        name: workload["results"]["cellgrad"]["median_s"] / workload["limit_s"]
        for name, workload in run["workloads"].items()
        if workload.get("limit_s")
    }
    worst, best = (f(ratios, key=ratios.__getitem__) for f in (max, min))
    speed, bandwidth = run["limits"]["f32_fma_gflops"], run["limits"]["bandwidth_gbs"]
    return (
        f"A step takes {mean(ratios.values()):.2f} times the limit of {speed:.1f} GFLOP/s a core and "
        f"{bandwidth[str(run['threads'])]:.1f} GB/s, from {ratios[best]:.2f} ({best}) to {ratios[worst]:.2f} ({worst})."
    )


def measured_limits(harness):
    """What the harness's programs say of this machine, in the form of its limits.json."""
    script = harness.parent / "limits" / "run.sh"
    text = subprocess.run(["sh", script], check=True, capture_output=True, text=True).stdout
    rows = [json.loads(line) for line in text.splitlines()]
    streams = [row for row in rows if row.get("mib_per_array") == 16]
    return {
        "f32_fma_gflops": max(row.get("f32_fma_gflops_best", 0) for row in rows),
        "bandwidth_gbs": {
            str(row["threads"]): max(v for k, v in row.items() if k.endswith("_gbs"))
            for row in streams
        },
    }


def measured(harness, threads, options):
    with tempfile.TemporaryDirectory() as folder:
        out, limits = Path(folder) / "run.json", Path(folder) / "limits.json"
        limits.write_text(json.dumps(measured_limits(harness)))
        command = [sys.executable, harness, "--threads", str(threads), "--json", out]
        command += ["--limits", limits, *options]
        subprocess.run(command, check=True, stdout=sys.stderr)
        return json.loads(out.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--harness", type=Path)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--json", type=Path, nargs="+", default=[])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("options", nargs="*")
    args = parser.parse_args()
    runs = [json.loads(file.read_text()) for file in args.json] or [
        measured(args.harness, threads, args.options) for threads in args.threads
    ]
    for run in runs:
        text = table(run)
        print(text + "\n")
        if args.write:
            begin, end = (
                f"<!-- peers, threads {run['threads']}: {edge} -->" for edge in ("begin", "end")
            )
            head, rest = PAGE.read_text().split(begin)
            PAGE.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}")


if __name__ == "__main__":
    main()
