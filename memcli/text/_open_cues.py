"""The words that say that something is left to do, was done, or was left out on purpose."""

from __future__ import annotations

import re

from memcli.text import _cues_other_languages as _languages
from memcli.text import _remainder_cues, _waiting_cues
from memcli.text._cues import any_of

# What is left to do: of a heading, a sentence of an agent, and one of a person.
OPEN = any_of(
    r"\bthe next task\b",
    r"\bstill to do\b|\bto-?do:|\bleft to do\b|\bleft open\b",
    r"\bremaining (tasks?|steps?|work|issues?|items?|unstaged|uncommitted|untracked|unpushed)\b",
    r"\bremains? (to be|open|uncommitted)\b",
    r"\bnext steps?( is\b| are\b|:| would\b| appears\b)",
    r"\bnot yet\b|\bstill (missing|open|to be|fails?|failing|broken|lacks?)\b|(only|still) half\b",
    r"\bopen (points?|questions?):?",
    r"\b(is|are|stays?|remains?|left|leave it) uncommitted\b",
    r"\bnot (yet )?(been )?(committed|pushed|merged|tested)\b",
    r"\bblocked (on|by)\b|\bwaiting (for|on)\b|\bunresolved\b|\bunchecked\b|\b(is|are) (on hold|paused|parked|postponed)\b",
    r"\b(is|are|does|do)n't (\w+ ){0,5}yet\b|\b(left|leave|leaving) (?:[^.;]|\.\S){2,60} (for|as) (a |an )?(later|follow-?up|"
    r"another|"
    r"next)\b",
    r"\bfor another (day|time|session|pr)\b|\b(was|were)(n't| not) able to (verify|test|check|run|reproduce|confirm|build)\b",
    r"\b(good|ready|fine|safe) to (merge|ship|release|deploy) (after|once|when|if)\b|\bnot something (i|we) should (fix|change|"
    r"do)\b",
    r"\b(have|has|are|with) uncommitted (changes|work)\b|\b(could(n't| not)|can(not|'t)) (test|verify|check|confirm) (this|it|"
    r"that|the|on|with|whether)\b",
    r"\byou('ll| will)( still)? (need|have) to (re)?-?(run|set|create|add|start|rotate|push|merge|update|install|configure|"
    r"deploy|"
    r"enable|approve|rename|migrate|delete|provide|decide|publish|sign)\b",
    r"\bi (skipped|left out|omitted|stubbed)\b|\b(was|were)(n't| not) (run|verified|updated|migrated|translated)\b",
    r"^(known )?(gap|limitation)s?: |^fixme\b|^what remains (is|are)\b|\bcomes? next\W*$",
    r"\bcan be (dropped|removed|deleted|enabled|switched \w+) (once|when|as soon as|after)\b",
    *_remainder_cues.OPEN,
    *_waiting_cues.OPEN,
    *_languages.OPEN,
    r"\bplease (push|merge|decide)\b",
    r"\b(on|next) (monday|tuesday|wednesday|thursday|friday|week)\b|\btomorrow:",
    r"\bwhen(ever)? you('re| are) ready\b.*\b(we|i) (can|could|will)\b|\bready to (continue|proceed|start) with\b",
    r"\b(no|not|nobody|none)\b(?:[^.;]|\.\S){0,60}\byet\b",
    r"\b(nobody|no one|nothing) (has (tried|tested|checked|verified)|(yet )?(checks|tests|verifies|enforces|catches))\b",
    r"\b(has|have|needs?) to be\b(?:[^.;]|\.\S){0,60}\b(again|before|later|manually|by hand|once)\b|"
    r"\bstill (has|have|needs?) to\b|\bstill must\b",
    r"\bwhat (i|we)('ve| have)? (not|did not|didn't|haven't) (do|done|touch|touched|test|tested|check|checked|cover|covered)\b",
    r"\bi (have not|haven't|did not|didn't) (test|check|verif|try|tried|cover|handle|migrat|measur|look|updat|document)\w*\b",
    r"\b(somebody|someone)( with [^,.;]{2,30})? (should|must|has to|needs to|will have to)\b|^not (part of|in|"
    r"covered by) (this|it)\b|\bnot part of this\b",
    r"\bstill (?!works\b|passes\b|holds\b|is\b|has\b|runs\b|applies\b|builds\b|compiles\b|needs\b|exists\b|uses\b|"
    r"makes\b)[a-z]+s "
    r"(?!and\b)",
    r"\b(left|leave|leaving) (that|it|this|them|these|those) (alone|out|for (now|later|another))\b",
    r"\bi (changed|touched|fixed|did) nothing\b|\bi (did not|didn't|have not|haven't) (change|"
    r"fix)\w* (anything|it|that|this)\b",
    r"^remaining: |\bcould(n't| not) get .{1,60} to (run|work|build|start|pass)\b",
    r"^open( (point|question|issue|end|task)s?)?: |\bwhat('s| is) (still )?(missing|open): ",
    r"\b(is|are) still (a |an |the )?(outside|not|without|missing|hard-?coded|unresolved|manual|untested|disabled|on|at|"
    r"in|old|open)\b",
    r"\b(disabled|switched off|turned off|off|commented out|skipped|hard-?coded|stubbed|"
    r"marked|ignored|muted|pinned)\b(?:[^.;]|\.\S){0,60}\b(for now|temporarily|until)\b",
    r"\b(in|for|to|until) (a )?(later|follow-?up|separate|another|future) (PR|pull request|commit|"
    r"session|change|release|ticket|issue)\b",
    r"\bdeferred\b|\bout of scope\b|\b(is|are|still) to be (done|decided|confirmed|clarified)\b",
    r"\b(must|has to|have to|needs? to|should) (?:[^.;]|\.\S){0,60}\bbefore (the |we |you )?(release|merg|"
    r"deploy|ship|going live|go-?live|production)",
)
REMAINS = any_of(*_remainder_cues.OPEN)  # names what is left by itself
LIMIT = any_of(  # what was not done on purpose
    r"\b(i|we) (did not|didn't|have not|haven't) (touch|chang|port|convert|migrat|extend|address|adapt)\w* (?!anything\b)\S+",
    r"\b(left|leave|leaving) (?!it\b|this\b|that\b|them\b)(?:[^.;,]|\.\S){2,60} (as (it|they) (is|are|was|were)|"
    r"as[- ]is|untouched|"
    r"unchanged|unfinished)\b",
    r"\b(would|will) (need|take|require) (a|an|some|access|somebody|someone) [^.;]{2,60} to (verify|test|check|confirm|"
    r"reproduce|"
    r"finish|do)\b",
    *_languages.LIMIT,
)
FILED = any_of(
    r"\b(discovered (and|&) )?filed\b.{0,80}(\b(bugs?|issues?|tickets?|follow-?ups?)\b|#\d)",
    r"\b(opened|created|filed) (an? |the )?(new |follow-?up )?(issue|ticket|bug)\b",
)
TICKET = re.compile(r"#\d+\b|\b[A-Z][A-Z0-9]+-\d+\b|\b[a-z]\w*-\w+\.\d+\b")
LATER = any_of(
    r"\b(did|do|have|has)(n't| not) (\w+ )?(try|tried|start|started|begun|finish|finished|touched|"
    r"tidied|tested|pushed|merged)\b",
    r"\b(go on|continue|resume|finish) (on (mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|later|next)\b",
    r"\b(next (time|session)|tomorrow) (we|i|you)\b",
    r"\bleave (it|this|that|them) (uncommitted|for (later|next|tomorrow|monday))\b",
    r"\bnot (this|until next|before next) (week|month|quarter|year|sprint|release)\b|\blet'?s wait\b",
    r"\b(postpone|put off)\b.*\b(until|till|to) (later|next|tomorrow)\b",
    *_waiting_cues.LATER,
)
UNCHANGED = any_of(  # which says nothing without what it is about
    r"^(so far,? |for now,? )?(i|we)('ve| have)? ?(changed|touched|did|fixed|(did not|didn't|not|haven't) (change|"
    r"touch|fix|do)\w*) "
    r"(nothing|anything)( yet| so far| here| in the code)?\W*$",
)
REMARK = any_of(  # how a person talks about work that goes on, of which it is no order for later
    r"\bi (think|guess|believe)\b(?! (we|you) should\b)|\((please )?(verify|check)\b|, right\b|\bright\?|\bmaybe\b|"
    r"\bbut then\b",
)
SUBJECTLESS = any_of(  # what says nothing without the sentence before it
    r"^(?![^.]*: \w+ \w)\W*((and|but|so|also|however),? )*(this|that|these|those|it|they|he|she)"
    r"(( \w+)?( (depends?|is|are|was|were|will|would|can|could|should|must|has|have|needs?|still|"
    r"remains?|stays?|comes?|follows?|does|do)\b)|('s|'re|'ll)\b)",
)
CLOSED = any_of(
    r"\bnothing (is )?(left|remains|open|to do)\b|\bno (remaining|open|further|outstanding|unresolved)\b",
    r"\b(all|everything|both) .{0,40}"
    r"\b(done|complete|completed|finished|implemented|pass|passes|passed|resolved|closed|committed)\b",
    r"\b(was|were) missing\b",
    r"[✅✓✔]|\[x\]|~~",
)
_STEPS = (  # for the reader, who sits before a screen, and what they are to do in case
    r"^\W*(\d[.)] )?(if|when|once|whenever|in case|after) ((this|it|that|you|the \w+|\w+ing|vs code|everything|successful)\b)"
    r"[^.]*?[,:] *\W*(please |you (can|could|may|might|should) |just |then )?(try|use|run|check|open|reload|restart|refresh|"
    r"clear|click|let|scale|adjust|consider|go|make sure|follow|select|press|delete|remove|re-?install|copy|paste|set)\b",
    r"^\W*(\d[.)] )?(open|click|press|hit|select|type|copy|paste|reload|refresh|restart|quit|reopen|log (in|out)|"
    r"sign (in|out)|navigate|visit|drag|try|close and (re)?open)\b"
    r"(: ?`|\*{0,2} (on|to|the|a|your|into|out|in|up|down|and|completely|it|this)\b)",
)
_ON_SCREEN = (
    r"(?=.*\b(page|tab|browser|terminal|window|editor|vs ?code|cursor|dev ?tools|console|button|menu|sidebar|entire content|"
    r"localhost|https?|cmd|ctrl|author identity)\b)"
)
_NO_WORK = (  # what has the words of open work and is none
    r"\b(which|that) (is|are) (unrelated|intentional|expected|harmless)\W*$|\bunrelated (to|changes?|files?)\b",
    r"^\W*(\d[.)] )?(we|you|i) (do not|don't) need (?!.*\byet\b)|^\W*no need (to|for)\b(?!.*\bbut\b)",
    r"^\W*(0|zero|no) [\w ]{2,40} (found|returned|entries|results|matches|errors|warnings)\b",
    r"\bshould now (be|work|show|see|have|pass|run|load|start|look)\b",
    CLOSED.pattern,
    UNCHANGED.pattern,
)
NO_WORK = any_of(*_NO_WORK, *_STEPS)
# Of a list of open work, whose heading says what it is: the steps only where a screen is named.
NO_ITEM = any_of(*_NO_WORK, SUBJECTLESS.pattern, *[step.replace("^", f"^{_ON_SCREEN}", 1) for step in _STEPS])
REVIEW = any_of(r"^.{0,60}\b(review|audit|critique)\b")
OBJECTION = any_of(
    r"\b(should|lacks?|missing|deserves?|must|needs?|still|only|hard-?cod(es|ed)|never|no|not)\b",
)

MEANWHILE = any_of(
    r"\b(meanwhile|in the meantime|(has|have|was|were|is|are) (since|already|now) (been )?(\w+ed|done|made|gone|built))\b"
)
WHOLE_DONE = any_of(
    r"\b(entire|whole|full|all|every|feature|epic|milestone|migration|release|refactoring|rewrite|project)\b.{0,100}"
    r"\b(is|are|was|were)( now)?( fully| all)? (complete|completed|done|finished|implemented|released|merged|in place)\b",
)
