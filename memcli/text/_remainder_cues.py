"""The words by which somebody says that a rest is left, at the end of a report of what is done."""

from __future__ import annotations

OPEN = (
    r"\b(is|are) (now )?(all|what|everything|the (only|last|one) (\w+ )?(thing|part|piece|one|point|item|step))( that)?"
    r"( is|'s| are)? (still )?(left|missing|open|remains?|to (do|come)|outstanding|pending)\b",
    r"\bonly (?!if\b|when\b|way\b)(?:[^.;:]|\.\S){2,80} (is|are|'s) (still )?(left|missing|open|outstanding|pending|"
    r"to (do|come))\b",
    r"^(?!.*\b(no|none|nothing|neither|not|never|how|if|whether|same)\b)(?:[^.;:]|\.\S){2,90} "
    r"(remains?|(is|are) (still )?(left|outstanding|pending|due))\W*$",
    r"^(?:[^.;:]|\.\S){2,90}: (is |are )?(still |yet )?(open|missing|pending|outstanding|to-? ?do|left|not (yet )?(done|"
    r"started|written|begun|finished))\W*$",
    r"^(and |then )?(next( up)?|up next|after that|then|to come|still to come|left|outstanding|pending|missing)"
    r"( (is|are|comes?|would be|will be))?: (?!i\b|we\b|you\b)",
    r"^(and |then )?(next( up)?|up next) (is|are|comes?|would be|will be)\b|\b(follows?|comes?) (next|after that|afterwards)\b",
    r"\b(there('s| is| are)|leaves?|leaving|that leaves|which leaves)( still| only)? (?:[^.;:,]|\.\S){2,60} (left|missing|"
    r"left to do|open)\b(?! \w+ing\b)|\b(that|which|this) leaves (?!us\b|you\b|it\b|them\b|me\b)\w+|"
    r"\b(all( that)?|what|everything that|the (only|one|last) (thing|part|piece|point|item|step)( that)?) ((is|are|"
    r"'s) )?(still )?(remains?|left|missing|open|outstanding|pending|to do) (is|are)\b|^(all that|what|the (only|one) (thing|"
    r"part) that) remains\b",
    r"\b(have|has|had)(n't| not) (yet )?(done|written|begun|started|finished|added|addressed) (the|a|an|that|those|our|its)\b|"
    r"\b(have|has)(n't| not) been (done|written|begun|started|finished|added|addressed)\b",
    r"\b(did|have|has|do)(n't| not) (get|got|gotten|manage|come) (to|around to|round to) (?!work\b|run\b|the bottom\b|"
    r"know\b|see\b)\w+",
    r"\b(nobody|no one|none of us) (has|have|ever|'s) (yet )?(tried|tested|checked|verified|reviewed|measured|confirmed|"
    r"run|seen|built|read)\b|"
    r"\b(has|have) never been (run|tried|tested|executed|verified|checked|reviewed|measured)\b|^(untested|untried|"
    r"unverified|(not|never) (run|tested|tried|checked|verified|measured) (on|with|under|against|in))\b",
    r"\b(es bleib(t|en)|übrig (ist|sind|bleib\w*)|fehlt (nur )?noch|als nächstes (kommt|folgt))\b|^(bleibt|fehlt|offen|"
    r"als nächstes)( noch)?: |\b(ist|sind|bleibt|steht) (noch )?(übrig|aus|offen)\W*$",
    r"\b(il )?reste(nt)? (le|la|les|l'|un|une|des|seulement)\b|\b(solo |sólo )?(queda|falta)n? (el|la|los|las|un|una|solo|"
    r"sólo)\b",
)
