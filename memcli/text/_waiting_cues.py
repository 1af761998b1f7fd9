"""The words by which somebody says that work waits: for a person, a moment, another work."""

from __future__ import annotations

_WORK = (
    r"(release|merge|rollout|roll-out|deploy\w*|migration|upgrade|publishing|publication|switch|launch|cut-?over|"
    r"clean-?up|rest|pr|"
    r"pull request|ticket|refactoring|rewrite|removal|change|feature|work|decision|fix|backport|announcement)"
)
_ANSWER = (  # what others have to give
    r"(sign[- ]?off|approval|review|reply|decision|confirmation|go[- ]ahead|feedback|permission|clearance|credentials|verdict|"
    r"answers? (from|of|by)|ok from|access (to|from))"
)
_OTHERS = (
    r"(legal|security|product|management|marketing|finance|procurement|compliance|ops|qa|upstream|"
    r"the (\w+ )?(team|customer|client|vendor|lawyers?|designers?|board|people|maintainers?|provider|bank|auditors?)|"
    r"(?-i:[A-Z][a-z]+)( \w+)?(?= (has|have|is|are|signs?|answers?|approves?|confirms?|decides?|agrees?|replies)\b)|"
    r"(?-i:[A-Z][a-z]+)'s)"
)
_LATER = (
    r"(the )?((end of (the )?)?(next |this )?(summer|holidays|vacation|quarter|year|month|sprint|release|freeze|audit|"
    r"launch|spring|"
    r"autumn|winter|go-?live|migration)|next week|new year|q[1-4]\b|\d{4}-\d\d)"
)
OPEN = (  # of a report
    rf"\b{_WORK} (itself )?((still|now|only|then) )?(waits?|has to wait|will wait|is (held|parked|paused|"
    rf"on ice)) (for|on|until|till)\b|"
    rf"\b(waits?|held( back| up)?|parked|paused|blocked|on ice) (for|on|until|till) [^.;]{{0,40}}\b({_ANSWER}|{_OTHERS})",
    r"\b(stays?|remains?|is kept|are kept) (out|off|open|disabled|unchanged|as (it is|is|they are)|where (it is|they are)|pinned|"
    r"closed) (until|till) ",
    rf"\b(is|are|was|were|stays?) (left|planned|scheduled|postponed|deferred|moved) (for|until|till|to) {_LATER}",
    r"\bcomes? with the [\w-]+ (work|change|release|refactoring|migration|rewrite|upgrade|ticket|pr)\b",
    r"\b(to be|can be|should be|worth being) (revisited|reconsidered|looked at again|tried again|re-?tried|re-?enabled|unpinned|"
    r"picked up)\b(?! (by|in this)\b)|\b(revisit|reconsider|retry) (this|it|that) (once|when|as soon as|after|in)\b",
    r"\bneeds? (a |an |some |the |your )?(native (speaker|review)|second pair of eyes|sign[- ]?off|human (review|eye|translator)|"
    r"(design |product |legal |security |your )(decision|review|input|approval|sign[- ]?off))",
    r"\bi need (your|somebody's|someone's|a) (decision|answer|input|go[- ]ahead|approval|confirmation|credentials)\b|"
    r"^(still )?uncommitted( \w+)?: ",
    r"\b(that|this|it)( is|'s) (a |an |for )?(separate|another|different) (rollout|change|pr|pull request|step|task|"
    r"story|ticket|job|"
    r"release|piece of work)\b",
    r"\b(i|we) (could(n't| not)|can(not|'t)|was(n't| not) able to|were(n't| not) able to) (test|verify|confirm|try out|measure) "
    r"(?!why\b|how\b)[\w`]",
    r"\b(i|we) (did not|didn't|have not|haven't) (bump|upgrade|roll(ed)? out|deploy|delete|enable)(d|"
    r"ed)? (?!anything\b|because\b)\S+",
)
LATER = (  # of a person
    r"\b(blocked|on hold|on ice|parked) (on|by|until|till|for)\b|\b(is|are|we're|i'm) (still )?waiting (for|"
    r"on) (?!you\b|it\b|this\b)",
    r"\b(hold|park|pause|freeze|defer) (off )?(on )?(the|this|that|it) ?[^.;?]{0,40}\b(until|till)\b",
    rf"\b(but|and|only|not|just) [^.;?,]{{0,20}}\b(after|in|until|till|before) {_LATER}",
    rf"\b(but )?not now\b[,. ]*((but|maybe|only) )*({_LATER}|later|next \w+)|\b(later|postponed|deferred) (to|until|"
    rf"till) {_LATER}",
)
