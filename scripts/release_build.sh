#!/bin/sh
# Builds what a release consists of into dist/ (or the directory given): source package, wheel, one executable file with all that it
# needs, install.sh, the changes, the lock of what it needs, a bill of materials (CycloneDX), all licences, checksums.
# Two builds of the same commit have the same bytes.
# The wheels in the executable are those of the lock, by hash; MEM_PYTHONS names the versions of Python that it serves.
# MEM_WHEELS names a directory that keeps them: a later build takes them from there, checked by the same hashes.
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
OUT=${1:-$ROOT/dist}
. "$ROOT/scripts/_env"

environment dev
mkdir -p "$OUT"
OUT=$(CDPATH='' cd -- "$OUT" && pwd -P)
rm -f "$OUT"/memcli-* "$OUT/install.sh" "$OUT/checksums.txt" "$OUT/CHANGES.md" "$OUT"/requirements*.lock "$OUT/sbom.json" "$OUT/licenses.txt"

# The moment of the commit stands in the archives, not that of the build.
SOURCE_DATE_EPOCH=$(git -C "$ROOT" log -1 --format=%ct 2>/dev/null || echo 315532800)
export SOURCE_DATE_EPOCH
VERSION=$("$VENV/bin/python" -c 'import memcli; print(memcli.__version__)')
umask 022
"$VENV/bin/python" -m hatchling build -d "$OUT" >/dev/null

cp "$ROOT/scripts/install.sh" "$OUT/install.sh"
WHEELS=${MEM_WHEELS:-$(mktemp -d)}
trap '[ -n "${MEM_WHEELS:-}" ] || rm -rf "$WHEELS"' EXIT
trap 'exit 130' INT TERM
"$VENV/bin/python" -m pip --version >/dev/null 2>&1 || "$VENV/bin/python" -m ensurepip >/dev/null
set --
for glibc in 2_28 2_27 2_17 2_12 2_5; do set -- "$@" --platform "manylinux_${glibc}_x86_64"; done
for version in ${MEM_PYTHONS:-3.11 3.12 3.13 3.14}; do
    from=
    [ ! -d "$WHEELS/$version" ] || from="--no-index -f ."
    mkdir -p "$WHEELS/$version"
    # shellcheck disable=SC2086 # three words, or none
    (cd "$WHEELS/$version" && "$VENV/bin/python" -m pip download -qq --disable-pip-version-check --no-deps \
        --only-binary :all: --require-hashes --implementation cp --python-version "$version" "$@" $from -r "$ROOT/locks/runtime.txt") ||
        { rm -rf "${WHEELS:?}/$version"; die "The wheels of the lock could not be downloaded for Python $version" "The reason is above."; }
done
"$VENV/bin/python" "$ROOT/scripts/licenses.py" "$OUT"/memcli-*.whl "$WHEELS" >"$OUT/licenses.txt"
"$VENV/bin/python" "$ROOT/scripts/archive.py" "$OUT"/memcli-*.whl "$WHEELS" "$OUT/memcli-$VERSION-linux-x64.pyz" "$OUT/licenses.txt"

# The changelog's first section: what this release changes, under its version and the day of its commit.
DAY=$("$VENV/bin/python" -c "import time; print(time.strftime('%Y-%m-%d', time.gmtime($SOURCE_DATE_EPOCH)))")
awk -v heading="## $VERSION - $DAY" '/^## /{if (seen++) exit; sub(/.*Unreleased.*/, heading)} seen' "$ROOT/CHANGELOG.md" >"$OUT/CHANGES.md"
cp "$ROOT/locks/runtime.txt" "$OUT/requirements.lock"
cp "$ROOT/locks/minimal.txt" "$OUT/requirements-minimal.lock"
"$VENV/bin/python" "$ROOT/scripts/sbom.py" "$VERSION" >"$OUT/sbom.json"
(cd "$OUT" && sha256sum -- memcli-*.tar.gz memcli-*.whl memcli-*.pyz install.sh CHANGES.md requirements*.lock sbom.json licenses.txt >checksums.txt)
say "Built $(cd "$OUT" && ls | tr '\n' ' ')in $OUT"
