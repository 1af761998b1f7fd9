"""The plain words of standing instructions: for all work here, told before, what each commit needs, what money is."""

from __future__ import annotations

_WORK = (
    r"(work|code|changes?|commits?|sessions?|tasks?|prs?|pull requests?|everything you do|repo(sitory)?|project|files?|"
    r"modules?)"
)
_EVENT = (  # of work, at each of which something is to be done
    r"(before|after|with|on|at|for) (each|every|any) ([\w-]+ )?(commits?|push(es)?|merges?|releases?|prs?|pull requests?|"
    r"changes?|deploy\w*|edits?|sessions?|steps?|migrations?|features?|(bug ?)?fix(es)?|refactoring)\b"
)
_NO_RULE = (  # how a sentence begins that tells of a thing, or asks
    r"(?!(i|it|its|this|that|these|those|the|an?|there|he|she|they|we|you|my|your|why|how|what|when|where|who|if|but|and|or|"
    r"check|see|find|look|explain|fix|show|tell|because|since|maybe|here|nothing|everything|something|yes|no|ok|okay|"
    r"thanks?)\b)"
)
_THING = r"[\w`/.-]+( [\w`/-]+){0,2}"
_FAULT = (
    r"(?!(broken|wrong|slow|red|failing|cold|empty|missing|late|down|stale|flaky|null|none|undefined|zero|true|false|good|nice|"
    r"hard|easy|tricky|fun|going|the (same|case|problem))\b)"
)
_AT_HAND = r"(?!(this|that|it|these|those|them|now|me|us|you|here|the moment|today|case|general|particular|which|what)\b)"
_POLITE = (
    r"(?!need\b|problem\b|idea\b|such\b|worries\b|way\b|thanks?\b|rush\b|hurry\b|matter\b|wonder\b|doubt\b|luck\b|now\b|yet\b)"
)
_WRITTEN = r"(messages?|comments?|docs|documentation|docstrings?|names?|texts?|labels?|strings|titles?|answers?|logs?|reviews?)"
_SUBJECT = r"([\w-]+(nachrichten|kommentare|meldungen|texte|namen|titel)|kommentare|doku(mentation)?|fehlermeldungen)"

INSTRUCTION = (
    rf"\bfor (all|any|every|each)\b ((of )?(your|our|the) )?{_WORK}( \w+){{0,3}} ?(here|in this|in the|in our|you do)\b|"
    r"\bfor everything (here|you do|in (this|the|our))\b",
    r"\b(things?|rules?) (that )?(you should|you must|you need to|to) (know|keep in mind|remember|follow) (for|in|about|"
    r"when) (all|any|every|your|this)\b",
    r"\b(i|we)('ve| have)? (already |just )?(told you|asked you|reminded you|said (it|this|so))( that| this)? (before|"
    r"already|earlier|last time|yesterday|twice|many times|once|again|several times)\b|^as (i|we)('ve| have)? (already )?(said|"
    r"told you)( \w+)?[,:]|"
    r"\bhow (often|many times) (do|must|have) i\b|\b(i|we)('ve| have)? (already )?(told|reminded) you\b[^.?!,:]{0,20}:",
    rf"^(please )?{_NO_RULE}[a-z]+ (?:[^.;?!]|\.\S){{2,60}} {_EVENT}|^(please )?{_EVENT},? {_NO_RULE}\w+",
    rf"^{_NO_RULE}{_THING} (is|are|stays?|goes?|gets?|comes?) (always|never|only ever) {_FAULT}\w+(?![^.?]*\?)",
    rf"^{_NO_RULE}{_THING} (is|are|goes?|lives?|stays?|comes?) (?:[^.;?!]|\.\S){{2,60}}, never \w+",
    rf"^we ([a-z]+) (?:[^.;?!,]|\.\S){{2,50}} only\W*$|^{_NO_RULE}{_THING} (in|as|with|via|from|"
    rf"through) [\w`/-]+( [\w`/-]+)? only\W*$|"
    r"^we (write|name|keep|document|comment|format|store) (our|all|every) \w+",
    rf"^(please )?(no|never any) {_POLITE}(?!more\b|longer\b|one\b|changes?\b|difference\b|output\b|"
    rf"errors?\b)[\w-]+( [\w-]+){{0,2}} (in|on|inside|within|outside|for) {_AT_HAND}[\w-]+( [\w-]+){{0,3}}(, please)?\W*$",
    rf"^{_NO_RULE}[\w-]+( [\w-]+){{0,2}},? (please|bitte),? (and )?(no|not|never|keine?n?) {_POLITE}[\w-]+( [\w-]+){{0,2}}\W*$",
    rf"\b(no|not|never)( use| more)? {_POLITE}[\w-]+( [\w-]+)? any ?(more|longer)\W*$",
    rf"^([\w-]+ ){{0,2}}{_WRITTEN} (in|as|with|under|without) [\w-]+( [\w-]+)?,? (please|from)\b",
    r"^(every|each|all) [\w-]+( [\w-]+){0,2} go(es)? (through|via|into|under|in|to)\b|"
    r"^(the|our|all) (?:[^.;?!,]|\.\S){2,60} must (always )?(stay|remain|be kept|never)\b",
    r"\b(hab|habe|haben) (ich |wir )?(dir|es dir) (schon|doch|bereits|gestern|oft|mehrmals)\b.{0,20}\bgesagt\b|"
    r"^(für|bei) (alle[ns]?|jede[rsmn]?) (arbeiten|änderung\w*|commits?|code\w*|datei\w*|aufgaben?)\b|"
    r"^(vor|nach|bei|mit) jede[mrn] (commit|push|release|merge|änderung|deploy\w*)\b|"
    rf"^{_SUBJECT},? (bitte |immer |nur |stets )+(auf|in|mit|ohne)\b",
    r"^(ok,? |no,? )?[\w-]+( [\w-]+)? (is|are) out(,| now,?)? (please )?(use|take|write)\b",
    r"^(please,? )?(let'?s )?(go |switch |change )?back to (?!work\b|it\b|this\b|that\b|the\b|where\b|you\b)[\w-]+( [\w-]+)?,? "
    r"(please|from now on)\b",
)
LIFTED = (rf"^[\w-]+( [\w-]+){{0,2}},? please,? (and )?(no|not) {_POLITE}[\w-]+",)
