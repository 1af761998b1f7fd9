"""The plain words of what was tried and given up, of reasons, and of gotchas under a label."""

from __future__ import annotations

_LIMITS = r"(must|has to|have to|needs? to|should|may)( only| not|n't)?"
_ELSE = (
    r"(otherwise|or else|else|because|since|or [\w`.-]+( [\w`.-]+)? (will|does|is|are|can|won't|cannot|can't|would|"
    r"fails?|breaks?|hangs?|\w+s))"
)
_GIVEN_UP = (
    r"(so (i|we) (dropped|removed|reverted|went|kept|left|switched|took|stayed|chose|wrote)|so (the|it|that|"
    r"this) (\w+ )?(stays?|went|"
    r"remains?|is (out|gone))|gave (it |that )?up|(dropped|removed|abandoned|reverted|discarded) (it|that|them|this)|"
    r"slower|worse|no (gain|faster|better)|too (slow|big|expensive|fragile|much))\b"
)

DROPPED = (
    rf"\b(tried|first attempt|experiment\w*|prototyp\w*|started (out )?with)\b.{{0,200}}\b{_GIVEN_UP}",
    r"\b(my|our|the|a) (first|initial|previous|earlier|naive|obvious) (\w+ )?(idea|attempt|approach|try|version|solution)\b"
    r".{0,160}[;,:] .{0,100}\b(slower|worse|stays?|more memory|too \w+|lost|broke)\b",
    r"^(at first|initially|originally),? (i|we) .{0,200}[;,:] .{0,120}\b(so (i|we)|instead)\b",
    r"[^.]{12,160}, so (i|we) (dropped|removed|reverted|undid|abandoned|discarded|gave up on|took out) (it|that|this|them)\b|"
    r", so (i|we) went back to\b",
    r"\b(gained|brought|saved|bought) (us )?(nothing|little)\b",
)
LEFT_OUT = (  # what was weighed and not done: no rest of the work
    r"\b(considered|tried|tested|experimented with|looked (at|into)|thought (of|about)|evaluated|benchmarked|"
    r"prototyped|measured)\b"
    r".{0,200}\b(but|however|yet)\b.{0,160}\b(left|leave|leaving|kept|keep) (it|that|this|them|those) (out|as (it|"
    r"they) (is|are|was|were)|"
    r"alone|away)\b(?! (for now|until|till))",
)
DECIDED = (
    r"\bwe (?!will\b|can\b|could\b|should\b|need\b|have to\b)\w+ (?:[^.;:]|\.\S){2,60}(\band not|, not|\brather than|"
    r"\bover|\binstead of) (?:[^.;:]|\.\S){2,60}(: |, (because|since|as|so)\b| (because|since|so that)\b)",
    r"\b(stays?|remains?|is kept|are kept|lives?) (?:[^.;:]|\.\S){2,60}\b(so that|because|since|in order to)\b",
)
LABEL = (  # in front of a gotcha
    r"^\W*(careful|caution|warning|attention|note|notice|nb|n\.b\.|heads[- ]up|gotcha|trap|pitfall|catch|root cause|cause|"
    r"lesson( learned)?|learned|learnt|tip|hint|important|remember|fyi|beware|achtung|vorsicht|ursache|remarque|"
    r"cuidado)( here)?\W{0,2}[:–—]\W{0,3}\s"
)
LESSON = (
    LABEL,
    rf"\b{_LIMITS} (be|stay|come|have|run|use|contain|start|end|live|go|match|fit|keep|stand)\b(?:[^.;]|"
    rf"\.\S){{1,80}}[,;] {_ELSE}\b"
    r"(?:[^.;]|\.\S){2,80}",
    r"\b(which|that|as) (the|our|its) [\w`. -]{2,40} (does not|doesn't|do not|don't|cannot|can't|never) (know|handle|"
    r"check|cover|accept|see|expect|validate|allow|understand|recogni[sz]e|notice|support)\b",
    r"\b(writes?|sends?|reads?|deletes?|connects?|posts?|points?|falls? back) (?:[^.;]|\.\S){0,50}\b(when|if|"
    r"unless) (?:[^.;]|\.\S){1,40} (is|are) (not |un)(set|given|defined)\b",
)
