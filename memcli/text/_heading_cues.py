"""The words of headings that say what stands under them: what is open, was decided, dropped or learned."""

from __future__ import annotations

import re

from memcli.text import _cues_other_languages as _languages
from memcli.text._cues import any_of

_FAULT = (  # what is asked for the cause of, rather than for the reason of a choice
    r"([\w'`.-]+ ){0,4}(happen\w*|occur\w*|fail\w*|broke\w*|breaks?|crash\w*|hangs?|hung|slow\w*|wrong|errors?|bugs?|flak\w*)\b"
)
_PRAISE = r"([\w'`.-]+ ){0,4}(works?|worked|matters?|helps?|approach)\b"
OPEN = any_of(
    r"\b(still to do|(?<!what )to ?dos?(?!\.)|next steps?|remaining (tasks?|steps?|work|issues?|items?|points?)|"
    r"(next|main|top|priority|known) (\w+ )?(tasks?|issues?|problems?|priorit(y|ies)|gaps?)|current (tasks?|gaps?)|"
    r"open (points?|questions?|issues?)|left to do|what('s| is) left|follow[- ]?ups?|outstanding|blocked|blockers?|pending)\b",
    r"^(the |our |my )?(\w+ )?priorities( (are|now|next))?$",
    r"\bpinned (issues?|items?|tasks?)\b|\b(logical|recommended|suggested|right) order\b|\bfocus (remains|is) on\b",
    *_languages.OPEN_HEADING,
    r"\b(future|planned) (\w+ )?(improvements?|work|enhancements?|tasks?)\b",
    r"\b(add(ed)?|put|not(ed|ing)|record(ed)?)\b.{0,80}\b(to|in) (the |your |our )?(to-?do|backlog|roadmap)",
    r"\bwe('d| would|'ll| will) (still )?need (tests?|to)\b",
    r"\b(now|currently) (missing|uncovered|failing|broken)$|^(missing|uncovered)( \w+){0,2}$|"
    r"\bwhat('s| is| remains)? (still )?(missing|open|unresolved)\b|\bleft (for|out|open|undone)\b|"
    r"\bloose ends?\b|\bdeferred\b|"
    r"\bout of scope\b|^(for |to \w+ (\w+ )?)?later$|^to (look into|check|decide|clarify|verify)\b|\bunfinished\b|"
    r"\bnot (yet )?(done|covered|handled|included|tested|addressed|implemented|verified|finished)\b|\bstill (missing|open)\b|"
    r"^(what (still )?)?remain(s|ing)$|\b(things?|points?|items?|bits?) (are |is )?(still )?left( over)?$|"
    r"\bwhat (i|we) (did not|didn't|have not|haven't)\b|\bquestions? for you\b|^open$|^not (part of|in|covered by)\b",
)
DECISION = any_of(
    r"^why .*\b(not|over|instead|rather)\b|^why (we|i) (use|chose|keep|do not|don't)\b|\b(decisions?|"
    r"rationale|trade-?offs?|design choices?|choices made)\b|^(the )?reasons?( (for|behind|why)\b.*)?$|^reasoning$",
    rf"^why (?!{_FAULT}|{_PRAISE}|(it|this|that|they|you|does|do|did|is|are|was|were)\b)(the |a |"
    rf"an )?[^ ?]+( [^ ?]+){{0,4}}\??$",
    *_languages.DECISION_HEADING,
)
DROPPED = any_of(
    r"\b(did(n't| not)|does(n't| not)) (\w+ )?(work|help|pan out)\b|\b(i|we)( have|'ve)? tried\b|^tried\b|\bdead ends?\b|"
    r"\b(failed|rejected|discarded|abandoned|dropped|unsuccessful) (\w+ )?(attempts?|approach(es)?|ideas?|alternatives?|"
    r"options?|"
    r"experiments?|paths?)\b|^(rejected|discarded|abandoned|dropped|reverted|undone|tried and \w+)$|"
    r"\balternatives? (\w+ )?(considered|rejected|tried|discarded)\b",
    *_languages.DROPPED_HEADING,
)
RUN_IN = re.compile(r"^\W{0,3}\*\*([^*\n]{3,60}?)[:.?]?\*\*[:.]?\s+(?=\S)")  # a heading in the line that it stands over
WHY_RUN_IN = re.compile(r"^((?:why|warum|weshalb|pourquoi|por qué) [^.:?!*\n]{2,50}):\s+(?=\S)", re.I)
LESSON = any_of(
    r"\b(what you should know|(worth|good) (to know|knowing|noting)|to flag|heads[- ]up|pitfalls?|things to (know|note|"
    r"watch))\b",
    rf"^why {_FAULT}|^(the )?causes?$|\bwhat (caused|i (learned|learnt|noticed|found out))\b|^learned$|^learnings?$|"
    r"^(findings?|observations?|surprises?|traps?|limitations?|notes?|important|warnings?|beware|good to know)$",
    *_languages.LESSON_HEADING,
    r"\b(root cause|gotchas?|caveats?|lessons? learned|key (findings?|insights?|lessons?)|"
    r"(critical|main|important) (findings|insights|lessons))\b",
)
_KEPT_TO = (  # who keeps a rule, or what it is about
    r"(some|a few|the|our|my|these|few|basic|general|ground|house|team|project|repo(sitory)?|coding|code|commit|git|style|naming|"
    r"working|standing|usual|important|strict|hard|golden|local|company|engineering|review|testing|language|api)"
)
RULES = any_of(  # what a person lists under it is wanted from now on
    rf"^((ok|and|also|please|first|note|here (are|is)|follow|keep to|stick to|mind|respect),? )*({_KEPT_TO}[ ,/]+(and )?)*"
    r"(rules?|conventions|guidelines|principles|policies|habits|dos (and|&) don'?ts|do'?s (and|&) don'?ts|preferences|"
    r"(code|coding|commit|writing|house) style)( (for|in|of|here|around|we|that|you|to|i|on)\b.*)?$",
    r"^((and|also|please|so),? )*(always|never|from now on|going forward|(in|for) this (repo(sitory)?|project|code ?base))$",
    r"^((and|also|please),? )*(things to|please|always|what to) (keep in mind|remember|respect|know)( .*)?$|"
    r"^how we work( .*)?$|^(what )?(i|we) (always |never )?(expect|want from you)$",
    r"^((ein paar|einige|unsere|die|feste|allgemeine) )*(regeln|konventionen|richtlinien|vorgaben)( .*)?$|"
    r"^(quelques |nos |les )*(règles|conventions|consignes)( .*)?$|^(algunas |nuestras |las )*(reglas|normas|"
    r"convenciones)( .*)?$",
)
WORDED = any_of(r"^\W*((and|also|please|so),? )*(always|never)$")  # without which its items say the contrary
FLAGGED = any_of(r"\b(what you should know|to flag|heads[- ]up)\b")
WHY = any_of(r"^(why|warum|weshalb|pourquoi|por qué)\b")
FINDINGS = any_of(  # of a review
    r"^(the |my |some |a few |\w+ )?(findings?|issues|problems|concerns|objections|weaknesses|risks|remarks|review comments)"
    r"( (i|that|in|with|of|for|about|on|from) .*)?$",
)
LEFT = (OPEN, FLAGGED, FINDINGS)  # of lists of which each item is done with by itself
ALL = (*LEFT, DECISION, DROPPED, LESSON)
