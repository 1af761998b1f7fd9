#!/bin/sh
# Builds what a release consists of into dist/ (or the directory given): source package, wheel, install.sh, the changes, the lock of
# what it needs, a bill of materials (CycloneDX), checksums.
# Two builds of the same commit have the same bytes.
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
OUT=${1:-$ROOT/dist}
. "$ROOT/scripts/_env"

environment dev
mkdir -p "$OUT"
OUT=$(CDPATH='' cd -- "$OUT" && pwd -P)
rm -f "$OUT"/memcli-* "$OUT/install.sh" "$OUT/checksums.txt" "$OUT/CHANGES.md" "$OUT/requirements.lock" "$OUT/sbom.json"

# The moment of the commit stands in the archives, not that of the build.
SOURCE_DATE_EPOCH=$(git -C "$ROOT" log -1 --format=%ct 2>/dev/null || echo 315532800)
export SOURCE_DATE_EPOCH
umask 022
"$VENV/bin/python" -m hatchling build -d "$OUT" >/dev/null

cp "$ROOT/scripts/install.sh" "$OUT/install.sh"
# The changelog's first section: what this release changes.
awk '/^## /{if (seen++) exit} seen' "$ROOT/CHANGELOG.md" >"$OUT/CHANGES.md"
cp "$ROOT/locks/runtime.txt" "$OUT/requirements.lock"
"$VENV/bin/python" "$ROOT/scripts/sbom.py" "$("$VENV/bin/python" -c 'import memcli; print(memcli.__version__)')" >"$OUT/sbom.json"
(cd "$OUT" && sha256sum -- memcli-*.tar.gz memcli-*.whl install.sh CHANGES.md requirements.lock sbom.json >checksums.txt)
say "Built $(cd "$OUT" && ls | tr '\n' ' ')in $OUT"
