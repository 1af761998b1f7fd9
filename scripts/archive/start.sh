#!/bin/sh
# mem with all that it needs, for Linux on x64 with Python @PYTHONS@. The first start unpacks it into a directory of its own
# below ~/.cache/memcli; every start runs from there. `unzip -l` shows what it holds.
KEY=@KEY@

die() {
    [ "${1:-}" != hook ] || exit 0 # a harness takes a failing hook for a veto
    printf 'Error: %s\nHint: %s\n' "$2" "$3" >&2
    exit 1
}

case ${XDG_CACHE_HOME:-} in
/*) CACHE=$XDG_CACHE_HOME/memcli ;;
*) CACHE=${HOME:-/nonexistent}/.cache/memcli ;;
esac
OWN=$CACHE/$KEY

if ! { [ -O "$OWN" ] && [ -x "$OWN/bin/python" ]; }; then
    case $(uname -s -m) in
    "Linux x86_64") ;;
    *) die "${1:-}" "this file is mem for Linux on x64, not for $(uname -s -m)" "install the wheel: sh install.sh" ;;
    esac
    python=
    for name in python3 @NAMES@; do
        if "$name" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] not in sys.argv[1].split())' "@PYTHONS@" >/dev/null 2>&1; then
            python=$name
            break
        fi
    done
    [ "$python" ] || die "${1:-}" "mem needs Python, one of @PYTHONS@" "install python3"
    problem=$("$python" -I - "$0" "$OWN" <<'END' 2>&1
@UNPACK@
END
    ) || die "${1:-}" "${problem%%
*}" "${problem#*
}"
fi
exec "$OWN/bin/python" -P "$OWN/start.py" "$0" "$@"
