"""Standing instructions of two to five words: "No semicolons", "English only", "tabs, always", "rebase, never merge".

So few words say nothing of how long they hold, so each is known by its subject: what is a habit, in code or in talk, is wanted
always; what a program does or shows is not. A sentence that says more than that is left to the other cues.
"""

from __future__ import annotations

import re
from functools import cache

_MOST = 8  # words, with those before and after that say nothing
_TELLING = frozenset(  # words of which each has at least one
    """no zero only always everywhere throughout strictly exclusively please commits history mood answers replies responses not
    never instead over in for one max maximum most than columns chars characters under below up of indent indents indentation
    indenting is are first be keep must compatible""".split()
)

_LANGUAGE = (
    r"((british|american|plain|simple) )?(english|german|french|spanish|italian|portuguese|dutch|polish|czech|japanese|chinese|"
    r"spelling)"
)
_FORM = (  # of texts, numbers and names
    r"(utc|utc (times|timestamps|dates)|iso( 8601)?( dates| timestamps)?|metric( units)?|si units|markdown|ascii|utf-?8|"
    r"unix line endings|lf( line endings)?|snake_?case|camel_?case|kebab-?case|pascal_?case|(single|double) quotes)"
)
_MANAGER = r"(pnpm|yarn|npm|bun|poetry|uv|pip|pipenv|conda)"
_TOOL = (
    rf"({_MANAGER}|docker|podman|vitest|jest|mocha|pytest|unittest|ruff|flake8|eslint|biome|prettier|bash|zsh|gradle|maven|cmake|"
    r"bazel|httpx|axios|tailwind|postgres|mysql|sqlite)"
)
_WAY = (  # of doing things, that also stands by itself
    r"((small|tiny|atomic|signed|conventional|squashed) commits|(linear|clean) history|imperative mood|(short|terse|brief|"
    r"concise) (answers|replies|responses))"
)
_PRACTICE = (  # what is to be done
    rf"({_WAY}|type (hints|annotations)|docstrings|(trailing|oxford) commas?|(absolute|sorted|named|explicit) (imports|exports)|"
    r"strict (mode|types|typing)|semver|semantic versioning|tdd|test[- ]first|tests first|early returns|guard clauses|"
    r"pure functions|parameteri[sz]ed queries|prepared statements|fast[- ]forward merges|present tense)"
)
_HABIT = (  # what is to be left
    r"(semi-?colons|emojis|trailing (commas|whitespace|spaces)|(default|named) exports|(wildcard|star|relative|dynamic|lazy|"
    r"deep) imports|force[- ]push(es|ing)|direct (pushes|commits)|push(es|ing)? to (main|master|trunk)|(merge|fixup|wip|giant|"
    r"huge|mixed) commits|print (statements|calls)|console[. ]logs?|magic (numbers|strings|values)|(inline|raw|hand-?written) "
    r"(sql|styles|css|scripts|html|queries)|abbreviations|acronyms|jargon|slang|anglicisms|globals|global (variables|state)|"
    r"mutable (defaults|globals|state|default arguments)|singletons|god (classes|objects)|orms?|monkey-?patch(es|ing)|(todo|"
    r"fixme)s?( comments)?|commented[- ]out code|dead code|noqas?|type ignores?|(@?ts|eslint)[- :]ignores?|unwraps?|"
    r"unsafe( blocks| code)?|gotos?|(nested )?ternar(ies|y operators)|(one|single)[- ]letter (names|variables)|"
    r"hungarian notation|(new|extra|additional|external|third[- ]party|runtime) (dep(endencies|s)|packages|libraries|"
    r"frameworks|libs)|bash-?isms|bullet (points|lists)|((long|closing|final) )?summaries|apologies|flattery|small talk|filler|"
    r"exclamation (marks|points)|em[- ]dashes|hard-?coded (values|strings|paths|colou?rs|urls|secrets|credentials)|sleeps|mocks|"
    r"mocking|any types|(blanket|bare) excepts?|class components|prop drilling)"
)
_SECRET = r"(plain-?text )?(passwords|secrets|credentials|tokens|keys) in (the )?(logs|code|repo(sitory)?|tests|commits|urls|git)"
_PLACE = (  # in general, not in what is at hand
    r"( (in|on|at|for|inside|outside( of)?) ((the |our )?(ui|code|docs|tests|repo(sitory)?|chat|answers|library|api|readme|"
    r"changelog|commits)|(?!the\b|this\b|that\b|these\b|those\b|my\b|now\b|it\b|staging\b|production\b|prod\b)[\w/.`-]+)"
    r"( (code|files|messages|tests|end))?)?"
)
_ALWAYS = rf"({_LANGUAGE}|{_FORM}|{_PRACTICE}|{_MANAGER}|posix( sh)?|bash|stdlib|(the )?standard library)"
_KNOWN = rf"({_LANGUAGE}|{_FORM}|{_TOOL}|{_PRACTICE}|tabs|(\w+[- ])?spaces)"
_OTHER = (  # what is not wanted, or wanted: a thing, not how one is, nor an answer
    r"(?!(found|running|working|installed|reachable|available|sure|yet|luck|idea|effect|so|the|an?|it|that|this|here|now|me|"
    r"mine|wanted|needed|there|only|just|even|really|seen|heard|tried|used|supported|responding|bad|good|possible|required|"
    r"yes|no|nope|ok|okay|sorry|well|right|wrong|wait|problem|need|change|changes|difference)\b)[\w.+-]+"
)
_TEXTS = (
    r"(code |commit |log |ui |public |all )?(comments|messages|docs|documentation|docstrings|names|identifiers|texts?|strings|"
    r"logs|titles|labels|subjects|replies|answers|everything)"
)
_WHOLE = r"(commit|class|component|assert(ion)?|migration|pr|pull request|branch|module|question|function|topic|issue)"
_VERB = (  # what is done again and again
    r"(squash|rebase|force[- ]push|amend|lint|autoformat|guess|hard-?code|mock|apologi[sz]e|summari[sz]e|abbreviate|ask( first)?|"
    r"rewrite history|skip (hooks|tests|ci)|swallow (errors|exceptions))"
)

_TERSE = (
    r"^(and |also |please |but |btw,? |oh,? )*("
    + "|".join(
        (
            rf"(no|zero) `?({_HABIT}`?{_PLACE}|{_SECRET})",
            rf"only ({_LANGUAGE}|{_FORM}|{_PRACTICE})|{_ALWAYS},? (only|always|everywhere|throughout|strictly|exclusively)",
            rf"tabs,? (only|always)|{_WAY}|(type hints|strict mode|semver|tdd),? please",
            rf"(use )?{_KNOWN}, ?(not|never|no) {_OTHER}|use {_KNOWN} (instead of|over) {_OTHER}",
            rf"(use )?{_OTHER}, (not|never|no) {_KNOWN}",
            r"(always )?(rebase|squash|fast-forward),? (and )?never \w+",
            rf"{_TEXTS} (are |go |must be )?in ({_LANGUAGE}|{_FORM})( only)?",
            rf"{_LANGUAGE} (in|for) (the )?({_TEXTS}|ui|code|commits|issues|prs|chat)",
            rf"(just |only )?one {_WHOLE} (per [\w-]+|at a time)",
            r"(max(imum|\.)?|at most|no more than) \d+ (columns|(\w+ )?per line)",
            r"\d+ (columns|chars|characters) (max(imum)?|per line)",
            r"no (lines|functions|methods|classes) (over|above|beyond|longer than) \d+( \w+)?",
            r"(lines|functions|methods|classes|messages|prs|commits) (under|below|up to|of at most) \d+( \w+)?",
            r"(\d|two|three|four|eight)[- ]spaces?,? (indent(s|ation|ing)?|no tabs|never tabs)",
            r"no (?!(clue|idea|luck|problem|way|chance)\b)[\w.*`-]+( [\w.*`-]+)?, ever",
            r"(composition|clarity|readability|simplicity|explicit|convention|correctness|immutability|duplication|functions|"
            r"boring) over [\w-]+",
            rf"({_KNOWN}|{_HABIT}|migrations|a11y|accessibility) (is|are) (banned|mandatory|verboten|compulsory|a must|"
            r"non-negotiable|append[- ]only)( here)?|[\w/.-]+ (is|are) (not|never) (optional|negotiable)",
            r"(accessibility|privacy) first|be (brief|concise|terse)",
            r"keep (your )?(answers|replies|responses) (short|brief|concise)",
            rf"(always|never) {_VERB}",
            r"must (run|work|build|compile) (offline|without \w+( access)?|on (linux|windows|macos))",
            r"(python|node|es|java|php|ruby|go|rust)[ -]?[\d.]+\+? compatible",
        )
    )
    + r")(,? (please|thanks?|always))?\W*$"
)


def terse(sentence: str) -> re.Match[str] | None:
    """Returns a match for a standing instruction of a few words, None for any other sentence."""
    words = sentence.lower().replace(",", " ").split()
    if not 1 < len(words) <= _MOST or _TELLING.isdisjoint([word.strip(".!") for word in words]):
        return None
    return _compiled().match(sentence)


@cache
def _compiled() -> re.Pattern[str]:
    """Compiles the expression where it is needed: that takes longer than matching a thousand sentences."""
    return re.compile(_TERSE, re.I)
