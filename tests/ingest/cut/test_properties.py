"""Nothing is lost, nothing is twice, whatever the text."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.ingest.cut import cut
from memcli.ingest.cut.languages import _EXTENSIONS
from memcli.records import replace
from tests.ingest.cut.properties import faults
from tests.ingest.cut.samples import SAMPLES
from tests.properties import EXAMPLES, examples

OF_ALL = 1 if EXAMPLES else 64  # every 64th file is read, as docs/ingestion.md says
LARGEST = 600_000  # bytes of a file that is read here
NAMES = ["plain", *[f"a.{words.split()[0]}" for words in _EXTENSIONS.values()]]
ENDS = ["\n", "\r\n", "\r", "\n\n", "\n \t\n"]
LINES = [
    *"""# A heading
## Another
=====
-----
~~~~
```python
```
~~~
def f(x):
return x
class A:
def g(self): pass
@decorated
{
}
[
]
(
)
"key": {
"other": [1, 2],
name: value
- item: 1
text
[table]
[[tables]]
k = "v"
k = \"\"\"
\"\"\"
'
"
/*
*/
// so
-- so
<!--
-->
<div id="x">
</div>
<?php
function f() {
};
fn f() {
impl<T> A<T> {
#define X 1
#ifdef X
#endif
CREATE TABLE t (
);
.a, b { c: d }
if x; then
fi
<<END
END
$$
\\
---
...
%
記憶の予算
naïve
https://example.org/a?b=c&d="e"
.. code::
::
* * *
| a | b |""".split("\n"),
    *["", "\t", "\x00", "\x0c", "\x1b[31m", "🙂", "\udc80", "\ufeff"],
]

texts = st.lists(
    st.tuples(st.one_of(st.sampled_from(LINES), st.text(max_size=20)), st.integers(0, 3), st.sampled_from(ENDS)), max_size=40
).map(lambda rows: "".join(f"{'    ' * depth}{line}{end}" for line, depth, end in rows))
wild = settings(max_examples=examples(100), deadline=None, derandomize=True)


def installed() -> list[Path]:
    roots = {Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))}
    found = {
        path
        for root in roots
        for path in root.rglob("*")
        if path.suffix in (".py", ".pyi", ".json", ".toml", ".c", ".h", ".md", ".rst")
    }
    apart = Path(sysconfig.get_path("stdlib")) / "site-packages"  # of the interpreter that made the environment
    return sorted(path for path in found if Path(sysconfig.get_path("purelib")) == apart or apart not in path.parents)


def test_every_line_of_installed_files_is_in_one_piece() -> None:
    found = {}
    for path in installed()[::OF_ALL]:
        if path.is_file() and path.stat().st_size <= LARGEST:
            text = path.read_bytes().decode("utf-8", "replace")
            found[str(path)] = faults(text, cut(path.name, text))
    assert len(found) > 40
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("language", SAMPLES)
@pytest.mark.parametrize("limit", [16, 40, 60, 90, 320])
def test_every_line_of_every_sample_is_in_one_piece(language: str, limit: int) -> None:
    path, text, _ = SAMPLES[language]
    for end in ("\n", "\r\n", "\r"):
        said = text.replace("\n", end)
        assert faults(said, cut(path, said, limit, limit // 8)) == []
        assert faults(said.rstrip(), cut(path, said.rstrip(), limit, limit // 8)) == []


@wild
@given(st.sampled_from(NAMES), texts, st.sampled_from([1, 30, 64, 320]), st.sampled_from([0, 10, 1000]))
def test_every_line_of_wild_text_is_in_one_piece(path: str, text: str, limit: int, overlap: int) -> None:
    assert faults(text, cut(path, text, limit, overlap)) == []


@wild
@given(st.sampled_from(sorted(SAMPLES)), st.integers(0, 2000), st.integers(0, 60), texts)
def test_a_sample_with_a_hole_in_it_is_cut_all_the_same(language: str, start: int, size: int, put: str) -> None:
    path, text, _ = SAMPLES[language]
    start %= len(text)
    broken = text[:start] + put + text[start + size :]
    assert faults(broken, cut(path, broken, 60, 8)) == []


def test_what_is_wrong_with_a_cut_is_seen() -> None:
    text = "def f():\n    pass\n\n\ndef g():\n    return 1\n"
    whole = cut("a.py", text, 16, 0)
    first, *rest = whole.pieces
    for wrong, what in (
        (rest, "are in no piece"),
        ((first,), "lines are in no piece"),
        ((first, *whole.pieces), "a piece brings no line"),
        ((replace(first, text="x"), *rest), "not that of its lines"),
        ((replace(first, kind="odd"), *rest), "the kind odd"),
        ((first, replace(rest[0], first_line=1, symbol="other"), *rest[1:]), "an overlap outside one definition"),
    ):
        assert what in str(faults(text, replace(whole, pieces=tuple(wrong))))
    assert faults(" \n", whole) == ["pieces of a text without a visible character"]
