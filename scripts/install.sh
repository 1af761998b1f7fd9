#!/bin/sh
# Installs mem from the files of a release: a directory or an address that has
# checksums.txt and the files that it names.
#
#   install.sh [--from DIRECTORY|URL] [--version VERSION] [--prefix DIRECTORY]
#              [--minimal] [--uninstall]
#
#   --from       where the files are; by default the directory of this script
#   --version    which version, if there are several; by default the last
#   --prefix     installs into a private environment below this directory
#   --minimal    leaves out the grammars and the terminal interface
#   --uninstall  removes mem, after it has taken out what mem setup wrote (in
#                the settings of your agents, in projects and in clones of git)
#                and has stopped the service
#
# uv or pipx installs mem if it is there. Otherwise, and with --prefix, mem gets
# a private environment below the prefix (~/.local by default) and a link in its
# bin directory. Only files whose hashes requirements.lock lists are installed.
set -eu

say() { printf '%s\n' "$*"; }

die() {
    printf 'Error: %s\nHint: %s\n' "$1" "$2" >&2
    exit 1
}

usage() {
    printf 'Error: %s\nHint: install.sh [--from DIRECTORY|URL] [--version VERSION] [--prefix DIRECTORY] [--minimal] [--uninstall]\n' "$1" >&2
    exit 2
}

have() { command -v "$1" >/dev/null 2>&1; }

FROM='' VERSION='' PREFIX='' UNINSTALL='' LOCK=requirements.lock EXTRAS='[all]'
while [ $# -gt 0 ]; do
    case $1 in
    --from | --version | --prefix)
        case ${2:-} in '' | -*) usage "$1 needs a value" ;; esac
        case $1 in --from) FROM=$2 ;; --version) VERSION=$2 ;; --prefix) PREFIX=$2 ;; esac
        shift 2
        ;;
    --minimal) LOCK=requirements-minimal.lock EXTRAS='' && shift ;;
    --uninstall) UNINSTALL=yes && shift ;;
    -h | --help) sed -n '2,19s/^# \{0,1\}//p' "$0" && exit 0 ;;
    -*) usage "unknown option $1" ;;
    *) usage "$1 is no option: install.sh takes no arguments" ;;
    esac
done

case $PREFIX in '' | /*) ;; *) PREFIX=$PWD/$PREFIX ;; esac
TARGET=${PREFIX:-$HOME/.local}
OWN=$TARGET/share/memcli

# disconnect MEM: takes out what a mem that goes has connected and left running; another one on the PATH goes on with both.
disconnect() {
    [ -x "$1" ] || return 0
    case $(command -v mem || :) in '' | "$1") ;; *) return 0 ;; esac
    "$1" setup --remove --all | grep -E '^(removed|changed|restored) ' || :
    "$1" serve stop >/dev/null 2>&1 || :
}

uninstall() {
    done=''
    if [ -d "$OWN" ]; then
        disconnect "$TARGET/bin/mem"
        rm -rf "$OWN"
        for name in mem mempack; do
            case $(readlink "$TARGET/bin/$name" 2>/dev/null || :) in "$OWN"/*) rm -f "$TARGET/bin/$name" ;; esac
        done
        done=yes
    fi
    if [ -z "$PREFIX" ] && have uv; then
        disconnect "$(uv tool dir --bin 2>/dev/null)/mem"
        uv tool uninstall --quiet memcli 2>/dev/null && done=yes || :
    fi
    if [ -z "$PREFIX" ] && have pipx; then
        disconnect "$(pipx environment --value PIPX_BIN_DIR 2>/dev/null)/mem"
        pipx uninstall memcli >/dev/null 2>&1 && done=yes || :
    fi
    [ "$done" ] || die "mem is not installed here" "name the prefix that it was installed to: --prefix DIRECTORY"
    say "Uninstalled mem. What it stored stays: ${XDG_DATA_HOME:-$HOME/.local/share}/mempack"
    settings=${XDG_CONFIG_HOME:-$HOME/.config}/mempack
    [ ! -d "$settings" ] || say "Your settings stay: $settings"
    say "In repositories the lines of AGENTS.md and the directory .mempack stay, where mem wrote them."
}

if [ "$UNINSTALL" ]; then
    uninstall
    exit 0
fi

SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
trap 'exit 130' INT TERM

# fetch NAME: puts a file of the release into $SCRATCH.
fetch() {
    case $FROM in
    http://* | https://*)
        if have curl; then
            curl -fsSL --proto '=http,https' -o "$SCRATCH/$1" "${FROM%/}/$1"
        elif have wget; then
            wget -q -O "$SCRATCH/$1" "${FROM%/}/$1"
        else
            die "neither curl nor wget is here" "download the files, and give their directory: --from DIRECTORY"
        fi || die "$1 could not be downloaded from $FROM" "check the address; it must hold checksums.txt and the wheel"
        ;;
    *) cp -- "$FROM/$1" "$SCRATCH/$1" 2>/dev/null || die "no $1 in $FROM" "give the directory of a release: --from DIRECTORY" ;;
    esac
}

: "${FROM:=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)}"
fetch checksums.txt
WHEEL=$(sed -n "s/^[0-9a-f]\{64\} [ *]\(memcli-${VERSION:-[0-9][^-]*}-[^ \/]*\.whl\)\$/\1/p" "$SCRATCH/checksums.txt" | tail -n 1)
[ "$WHEEL" ] || die "this release has no wheel${VERSION:+ of version $VERSION}" "see checksums.txt for what it has"
# verified NAME: fetches a file whose checksum is that of checksums.txt.
verified() {
    fetch "$1"
    if have sha256sum; then sum=$(sha256sum "$SCRATCH/$1"); else sum=$(shasum -a 256 "$SCRATCH/$1"); fi
    grep -q "^${sum%% *} [ *]$1\$" "$SCRATCH/checksums.txt" ||
        die "$1 is not the file that checksums.txt names" "download it again; nothing was installed"
}

verified "$WHEEL"
verified "$LOCK"
say "Installing ${WHEEL%%-py3-*} and what it needs"
LOCK=$SCRATCH/$LOCK

# uv tool checks no hashes: first the files get into uv's cache, checked, and then nothing else is used. Nor can pipx: what it
# installed is installed again, checked; until then nothing of it has run.
if [ -z "$PREFIX" ] && have uv; then
    python=$(uv python find --system '>=3.11') || die "uv has no Python 3.11 or newer" "install one: uv python install"
    uv pip install --quiet --python "$python" --require-hashes --target "$SCRATCH/packages" -r "$LOCK" &&
        uv tool install --quiet --force --offline --python "$python" --constraints "$LOCK" "memcli$EXTRAS @ $SCRATCH/$WHEEL" ||
        die "uv could not install it" "its reason is above"
    say "Installed $(uv tool dir --bin 2>/dev/null || say "$HOME/.local/bin")/mem with uv"
    exit 0
fi
if [ -z "$PREFIX" ] && have pipx; then
    sed -n 's/^\([^ ]*==[^ ]*\).*/\1/p' "$LOCK" >"$SCRATCH/versions"
    if ! { pipx install --force --pip-args="--only-binary=:all: --constraint='$SCRATCH/versions'" "$SCRATCH/$WHEEL$EXTRAS" >/dev/null &&
        pipx runpip memcli install -qq --force-reinstall --require-hashes -r "$LOCK"; }; then
        pipx uninstall memcli >/dev/null 2>&1 || :
        die "pipx could not install it" "its reason is above"
    fi
    say "Installed mem with pipx"
    exit 0
fi

for name in python3.14 python3.13 python3.12 python3.11 python3; do
    if "$name" -c "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))" >/dev/null 2>&1; then
        PYTHON=$name
        break
    fi
done
install() { "$OWN/bin/python" -m pip install -qq --disable-pip-version-check --compile "$@"; }

[ "${PYTHON:-}" ] || die "no Python 3.11 or newer that can make an environment" "install python3 (on Debian python3-venv, too), or uv"
mkdir -p "$TARGET/bin" "$TARGET/share"
rm -rf "$OWN.old"
[ ! -d "$OWN" ] || mv "$OWN" "$OWN.old"
"$PYTHON" -m venv "$OWN" || die "$PYTHON made no environment in $OWN" "its reason is above"
if ! { install --require-hashes -r "$LOCK" && install --no-deps "$SCRATCH/$WHEEL"; }; then
    rm -rf "$OWN"
    [ ! -d "$OWN.old" ] || mv "$OWN.old" "$OWN"
    die "pip could not install it" "its reason is above; what was installed before is still there"
fi
rm -rf "$OWN.old"
for name in mem mempack; do
    [ ! -x "$OWN/bin/$name" ] || ln -sf "$OWN/bin/$name" "$TARGET/bin/$name"
done
say "Installed $TARGET/bin/mem"
case :$PATH: in *":$TARGET/bin:"*) ;; *) say "Add $TARGET/bin to your PATH." ;; esac
