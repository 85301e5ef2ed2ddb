"""What is asked of `dataset.text` here and of MindSpore. `ds` and `ms` are those of either."""

import random
import tempfile
from pathlib import Path

import numpy as np

TEXTS = [
    "Welcome   to  Beijing!\t x\u3000y\u00a0z",
    "",
    "   ",
    "北京 a",
    "Hi, Ünïcode 北京. [unused12] $5 [XX]\x07y",
    "a [CLS] b[MASK]c",
    "Straße ﬁ Ⅻ İ\u00ad",
    "Playing a unable, thing",
    "x12,y3,,z",
]
WORDS = ["play", "##ing", "un", "##able", "[UNK]", "a", "##a", "aa", "北", "##京", ","]
PIECES = ["playing", "unable", "xyz", "a", "aaa", "北京", "", "playingplay"]


def drawn(count=60):
    """Strings of characters that matter to tokenizers."""
    chars = "abAB zß.,!?$+^`|~_-'\"\t\u3000\u2003é\u0301Å北京ﬀ1٣[]#İΣς\u200d😀"
    r = random.Random(5)
    return ["".join(r.choice(chars) for _ in range(r.randrange(1, 14))) for _ in range(count)]


def plain(value):
    """A result as JSON has it, with its dtype."""
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        kind = "U" if value.dtype.kind == "U" else str(value.dtype)
        return {"dtype": kind, "shape": list(value.shape), "elements": value.ravel().tolist()}
    return value


def results(ms, ds):
    """The results by name."""
    text, T = ds.text, ds.transforms
    out = {}
    vocab = text.Vocab.from_list(WORDS)
    tokenizers = {
        "space": text.WhitespaceTokenizer(),
        "space with places": text.WhitespaceTokenizer(True),
        "characters": text.UnicodeCharTokenizer(),
        "characters with places": text.UnicodeCharTokenizer(True),
        "regex": text.RegexTokenizer(r"[ ,]+"),
        "regex that keeps": text.RegexTokenizer(r" +|,", r",", True),
        "basic": text.BasicTokenizer(),
        "basic lower": text.BasicTokenizer(True, preserve_unused_token=False),
        "basic lower with places": text.BasicTokenizer(
            True, False, preserve_unused_token=False, with_offsets=True
        ),
        "basic whitespace": text.BasicTokenizer(keep_whitespace=True),
        "basic NFKC": text.BasicTokenizer(normalization_form=text.NormalizeForm.NFKC),
        "bert": text.BertTokenizer(vocab),
        "bert lower": text.BertTokenizer(
            vocab, lower_case=True, preserve_unused_token=False, with_offsets=True
        ),
        "casefold": text.CaseFold(),
        "replace": text.RegexReplace(r"([0-9]+)", r"<$1>"),
        "replace one": text.RegexReplace(r"[0-9]", "#", False),
        "python": text.PythonTokenizer(lambda s: s.split() or ["none"]),
    } | {f"form {f.name}": text.NormalizeUTF8(f) for f in text.NormalizeForm}
    for name, tokenizer in tokenizers.items():
        for string in TEXTS + drawn():
            out[f"{name}: {string!r}"] = plain(tokenizer(np.array(string)))
    for options in ({}, {"unknown_token": ""}, {"with_offsets": True}, {"max_bytes_per_token": 6}):
        tokenizer = text.WordpieceTokenizer(vocab, **options)
        out[f"pieces {options}"] = plain(tokenizer(np.array(PIECES)))
    abc, numbers = np.array(["a", "b", "c"]), np.array([1, 2, 3])
    out |= {
        "lookup": plain(text.Lookup(vocab, "[UNK]")(np.array(["a", "zz"]))),
        "lookup one": plain(text.Lookup(vocab, data_type=ms.float32)(np.array("a"))),
        "ngram": plain(text.Ngram([2, 3], ("_", 2), ("_", 1), "|")(abc)),
        "ngram of a few": plain(text.Ngram(5)(abc)),
        "ngram much filled": plain(text.Ngram(3, ("_", 5), ("_", 5))(abc[:1])),
        "window": plain(text.SlidingWindow(2)(numbers)),
        "window of words": plain(text.SlidingWindow(2)(abc)),
        "window too wide": plain(text.SlidingWindow(5)(numbers)),
        "truncate": plain(text.Truncate(2)(abc[None])),
        "add": plain(text.AddToken("<s>")(abc)),
        "add at the end": plain(text.AddToken("X", False)(abc[None])),
        "pad": plain(T.PadEnd([4], "<p>")(abc)),
        "pad with nothing": plain(T.PadEnd([4])(abc)),
        "concatenate": plain(T.Concatenate(0, np.array(["<s>"]), np.array(["</s>"]))(abc)),
        "slice": plain(T.Slice(slice(0, 2))(abc)),
        "to_bytes": text.to_bytes(abc).tolist() == [b"a", b"b", b"c"],
    }
    for n in range(8):
        out[f"pair {n}"] = plain(text.TruncateSequencePair(n)(np.arange(5), np.arange(3)))
    for dtype in ("int8", "int32", "int64", "uint8", "float16", "float32", "float64"):
        out[f"number {dtype}"] = plain(text.ToNumber(getattr(ms, dtype))(np.array([["1", "27"]])))
    out |= vocabularies(ds)
    out |= pipelines(ds)
    return out


def words_of(vocab):
    return sorted(vocab.vocab().items())


def vocabularies(ds):
    text, out = ds.text, {}

    def data():
        rows = ds.NumpySlicesDataset({"x": ["b a", "a c", "a d", "c"]}, shuffle=False)
        return rows.map(text.WhitespaceTokenizer(), ["x"])

    for options in (
        {},
        {"top_k": 2},
        {"freq_range": (2, None)},
        {"freq_range": (1, 2), "special_tokens": ["<u>"]},
        {"columns": ["x"], "special_tokens": ["<u>"], "special_first": False},
        {"freq_range": (9, None)},
    ):
        out[f"words {options}"] = plain(words_of(text.Vocab.from_dataset(data(), **options)))
    special = {"special_tokens": ["<p>", "<u>"]}
    out["words of a list"] = plain(words_of(text.Vocab.from_list(["b", "a"], **special)))
    out["words of a list, others last"] = plain(
        words_of(text.Vocab.from_list(["b"], special_first=False, **special))
    )
    vocab = text.Vocab.from_dict({"a": 3, "b": 1})
    out["ids"] = [vocab.tokens_to_ids(["a", "q"]), vocab.tokens_to_ids("b")]
    out["tokens"] = [vocab.ids_to_tokens([3, 0]), vocab.ids_to_tokens(1)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.txt"
        path.write_text("a,1\nb,2\nc d\n e\n")
        for options in ({}, {"delimiter": ","}, {"vocab_size": 2, **special}, {"vocab_size": 9}):
            out[f"words of a file {options}"] = plain(
                words_of(text.Vocab.from_file(str(path), **options))
            )
    return out


def pipelines(ds):
    out = {}

    def rows(data):
        return [plain(row) for row in data.create_tuple_iterator(output_numpy=True)]

    with tempfile.TemporaryDirectory() as folder:
        for name, lines in (("a.txt", "one\n\ntwo x\r\nthree"), ("b.txt", "four\nfive\n")):
            (Path(folder) / name).write_bytes(lines.encode())

        def files(pattern="*.txt", **options):
            options = {"shuffle": False, "num_parallel_workers": 1} | options
            return ds.TextFileDataset(str(Path(folder) / pattern), **options)

        out["lines"] = rows(files())
        out["size"] = files().get_dataset_size()
        out["columns"] = files().get_col_names()
        out["first lines"] = rows(files("b.txt", num_samples=1))
        out["strings in a batch"] = rows(files().batch(2))
        cut = files().map(ds.text.WhitespaceTokenizer(), ["text"])
        out["padded words"] = rows(cut.padded_batch(2, pad_info={"text": ([3], "<p>")}))
        places = ds.text.WhitespaceTokenizer(True)
        out["places"] = rows(files().map(places, ["text"], ["token", "start", "end"]))

    def ragged(strings):
        made = [
            np.array(list(s)) if strings else np.ones(len(s), np.float32)
            for s in ("a", "bcd", "ef")
        ]
        return ds.GeneratorDataset(made, ["x"], shuffle=False)

    for strings, value in ((False, 7), (True, "7")):
        for info in ({}, {"x": ([2], value)}, {"x": ([4], value)}):
            out[f"padded {strings} {info}"] = rows(ragged(strings).padded_batch(2, pad_info=info))
    for info in ({"x": (None, None)}, {"x": ([None], None)}):
        out[f"padded {info}"] = rows(ragged(False).padded_batch(2, pad_info=info))
    return out
