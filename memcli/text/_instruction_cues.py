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
    r"hard|easy|tricky|fun|going|flaky|unstable|random\w*|the (same|case|problem))\b)"
)
_AT_HAND = r"(?!(this|that|it|these|those|them|now|me|us|you|here|the moment|today|case|general|particular|which|what)\b)"
_POLITE = (
    r"(?!need\b|problem\b|idea\b|such\b|worries\b|way\b|thanks?\b|rush\b|hurry\b|matter\b|wonder\b|doubt\b|luck\b|now\b|yet\b)"
)
_WRITTEN = r"(messages?|comments?|docs|documentation|docstrings?|names?|texts?|labels?|strings|titles?|answers?|logs?|reviews?)"
_SUBJECT = r"([\w-]+(nachrichten|kommentare|meldungen|texte|namen|titel)|kommentare|doku(mentation)?|fehlermeldungen)"
_HERE = (
    r"((in|for|with|across|throughout) (this|our|the( whole| entire)?) (repo(sitory)?|project|code ?base|team|company)|"
    r"around here)"
)
_SOMEBODY = r"(you|we|someone|somebody|anyone|an? agent)"
_SHARED = (  # who keeps a practice, and how
    r"(the|our) (whole |entire )?(team|company|project|code ?base|repo(sitory)?|style ?guide) "
    r"(prefers?|uses?|follows?|requires?|wants?|likes?|avoids?|favou?rs?|supports?|forbids?|doesn't|does not)"
)
_MADE_ELSEWHERE = (  # why something is left to others, always
    r"(it|they|that|those|ci|the (ci|build|pipeline|generator|release|bot))( (is|are|gets?|will be|would be))?( (always|"
    r"only|all))? "
    r"(generated|overwritten|vendored|managed|written|synced|created|built|shared|checked|owned|does|do|builds?|writes?|"
    r"generates?|owns?|handles?|runs?|checks?)"
)
_GENERAL = (  # a rest of a sentence that names nothing at hand
    r"(?:(?!\b(the|this|that|these|those|it|them|me|my|him|her|now|yet|here|again|today|anything|everything|else|either|too|so|"
    r"for a|just|both|other)\b)[^?])+"
)
_PRACTICES = (
    r"([\w-]+ )?(commits|messages|logs|migrations|secrets|credentials|passwords|settings|endpoints|functions|methods|classes|"
    r"modules|tests|specs|prs|pull requests|releases|branches|names|comments|docstrings|variables|constants|strings|labels|"
    r"dependencies|imports|queries|exceptions|files|scripts|translations|fixtures|types|components|hooks|dates|"
    r"timestamps|paths|"
    r"urls|ids|changes|features|keys|prices|amounts|flags|tickets|tags|titles|descriptions|subjects|bodies|headings|summaries|"
    r"entries|assertions|mocks|stubs|helpers|screens|styles|colou?rs|icons|resources|charts|snapshots|jobs|workflows|images|"
    r"responses|replies|payloads)"
)
_GOING_WRONG = (
    r"(?!(still|now|not|no longer|too|so|very|also|all|already|currently|being|getting|a mess|the|in the|there|here|what|why|"
    r"where|how|failing|failed|broken|missing|slow|wrong|red|empty|gone|lost|stuck|cut|late|unreadable|bad|weird|strange|"
    r"green|passing|flaky|unstable|fine|ok|okay|done|ready|errors?|problems?|issues?|to|it|this|that)\b)"
)

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
    rf"\b(each|every|any) ?time (that )?{_SOMEBODY} (?!was\b|were\b|\w+ed\b)\w+[^.?]*, \w+",
    rf"^when(ever)? {_SOMEBODY} (are (done|finished) with|finish|start|close|open|complete|need|find|see|notice|meet|hit) "
    r"(an?|any|some|something|new|more than) [^.?]{0,60}, \w+",
    rf"^(please )?(?!add\b|fix\b|put\b|create\b|show\b|find\b|check\b|look\b|explain\b)(use|write|name|follow|format|"
    rf"indent|sort|import|keep|store|treat|call|support|target|pin|avoid|prefer|answer|document) [^.;?]{{2,60}} {_HERE}\W*$",
    rf"^{_HERE},? (all|every|each|we|you|never|always|no|only|use|write|keep|avoid|prefer|[\w-]+s (are|go|live|use|have|get|"
    r"must|should))\b",
    r"^(tests?|specs?|fixtures?|migrations?|styles?|types|assets|docs|configs?|helpers?|scripts?|components?) (go|live|"
    r"belong|sit) "
    r"(next to|beside|in|into|under|inside|outside|with)\b",
    r"^(for|in|on|with|as) [\w`-]+( [\w`-]+){0,3},? (always|never) (?!\w+ed\b|\w*[^s]s\b)\w+",
    rf"^{_SHARED}\b",
    rf"^(please )?(do not|don't|dont|never) \w+ [^;?]{{2,80}}(,| -| –|:| \(| because| since| as) {_MADE_ELSEWHERE}\b",
    r"^(our )?([\w-]+ )?(policy|rule|convention|guideline|house style|requirement)s?( here| of ours)?: \w+",
    r"^(each|every) [\w-]+( [\w-]+)? (gets?|has|carries|starts with|ends with|comes with) (its|an?|exactly) (own )?\w+\W*$",
    r"^(please )?(just )?call me [A-Z]\w+\b",
    r"\bi (don't|do not|dont) want (to see )?(any )?([\w-]+ )?[\w-]*[^s]s ((or|and) [\w-]+ )?(in|inside|within) (the|our|my|"
    r"any) (code|code ?base|repo(sitory)?|commits?|commit messages|docs|tests|answers|ui|texts?|logs)\b",
    rf"^no (?!need\b|problem\b|idea\b|one\b|way\b|more\b|longer\b)[\w-]+ ([\w-]+ )?(to|from|by|via|at|between) {_GENERAL}$",
    r"^((only|exactly|at most|just) )?(one|two|a single|a) [\w-]+( [\w-]+)? per (pull request|pr|commit|file|test|"
    r"function|class|module|"
    r"branch|feature|ticket|release|line|endpoint|migration)\W*$",
    rf"^we (do not|don't|dont) [^.;?]{{3,60}} {_HERE}\W*$|"
    rf"^we (only |just )?(support|target|allow|accept|guarantee|promise|version|review|document|test|pin) (only |"
    rf"just )?{_GENERAL}$",
    r"^you (can|may|should) (always )?(assume|expect|rely on|count on) (?!it\b|this\b|the (test|build)\b)\w+",
    r"^((and|also|so),? )?(in general|generally|as a habit|by default|in principle)[,:] ?\w+",
    r"^whenever (?!i\b|it\b|the\b|this\b|that\b)[^,?]{4,60}, (?!i\b|it\b|the\b|there\b|this\b|we get\b|they\b)\w+",
    r"^if (you('re| are) )?(unsure|in doubt|unclear|not sure|uncertain)\b[^,?]*, \w+|^(please )?(ask|check|verify|"
    r"look it up|measure),? "
    r"(do not|don't|dont|never|instead of|rather than) (assum|guess|speculat)\w+|\b(do not|don't|dont|never) (guess|"
    r"assume)\b.*\bask\b",
    rf"^for (?!the\b|this\b|that\b|these\b|those\b|now\b|example\b)[\w -]{{2,30}}s,? (use|prefer|take|write|avoid|"
    rf"stick to|go with) "
    rf"{_GENERAL}$",
    r"^when (writing|adding|naming|creating|changing|committing|reviewing|deploying|releasing|debugging|refactoring|"
    r"renaming|removing|"
    r"editing|fixing|testing|logging) (?!the\b|this\b|that\b|it\b|them\b)[^,?]{2,50}, (?!i\b|the\b|it\b|there\b|this\b|"
    r"we get\b)\w+",
    rf"^(our |all |new )?{_PRACTICES} (are|start|end|begin|have|use|carry|get|need|belong|come|stay|live|follow|"
    rf"say) {_GOING_WRONG}"
    rf"[^?]{{3,}}$",
    r"\bkeep (it|them) that way\b|^let'?s agree\b",
    r"^(please )?(speak|talk|answer|reply|write)( (to|with) me)?( in)? (english|german|french|spanish|portuguese|"
    r"italian|dutch|polish|"
    r"japanese|chinese|korean|russian|turkish|swedish|danish|hindi)\b",
)
ONCE = (  # what ties an order to the work at hand ...
    r"\b(this|just (this )?once|this once|one more time|for now|for the moment|right now|today|for a (moment|minute))( time)?\b"
    r"(?=\W*$|,|;)",
    r"\b(this time|for now|for the moment|just once|this once)\b",
    r"\b(in|for|on|to|with|from|of|delete|change|edit|rename|move|push|merge|close|drop|touch) (this|that|these|"
    r"those) (one|time|"
    r"case|prs?|pull request|commits?|change|branch(es)?|task|step|turn|ticket|bug|function|method|test|file|class|prototype|"
    r"spike|experiment|session|release|row|column|table|query|loop|button|page|endpoint|module|line|button)\b",
    r"^before you \w+[^,]*, (?:[^.;?]|\.\S)*\b(the (last|first|latest|current|failing|broken|two|three|other)|these|"
    r"those|it|them|that)\b",
    r"\b(fix|change|correct|repair) (it|that|this)\W*$",
    r"^(the|each|every|all|any) ([\w-]+ ){0,2}(buttons?|headers?|footers?|items?|rows?|columns?|pages?|dialogs?|modals?|"
    r"menus?|icons?|"
    r"fields?|forms?|lists?|tables?|cards?|tabs?|links?|images?|labels?|tooltips?|inputs?|sidebars?|charts?) (should|"
    r"needs?|must) "
    r"(always |never )?(be|have|show|an?|the|its)\b",
    r"^(please )?only (\w+ )?(change|edit|touch|update|fix|run) the\b",
    r"^(?!.*\b(never|always)\b).*\b(until|before) (i|we)('ve| have)? [^.;]{0,30}\b(it|this|that|them)\W*$",
    r"^when(ever)? (you('re| are)|that('s| is)|this is|it('s| is)|everything is|all is|they are) "
    r"(done|finished|ready|green)\b(?! with)",
    r"^always (happy|glad|good|nice|fun|welcome|great|a pleasure)\b",
)
AT_WORK = (  # what is to be done, or not said, once, whatever it says
    r"^((and|also|then|so|ok|okay|now|please),? )*((can|could) you|i want you to|let'?s) (please )?(update|add|create|put|move|"
    r"fix|change|look|implement|build|rename|remove|delete|rewrite|refactor|review|find|investigate|analy[sz]e|extend|turn|"
    r"read|check|record|document|write (down|a|an|the)|make (a|an|the))\b"
    r"(?!.*\b(before|after|for|with|at|in) (you|each|every|any)\b)",
    r"^((and|also|then|so|ok|okay|now|please),? )*(update|add|create|extend|change|write|make|put) (me )?(a|an|the|that|this|"
    r"our|your|another) ([\w-]+ ){0,2}(rule|guidelines?|instructions?|convention|policy|playbook|hook|task|ticket|issue)\b"
    r"(?! (for|with|at|in) (each|every|any)\b)",
    r"^((and|also|then|so|ok|okay|now|please),? )*(update|add to|put into|extend) [\w./-]+\.(md|mdc|txt|rst)\b",
    r"\b(do not|don't|dont|never) (say|mention|claim|state|write)\b[^.;]* (we|i|it|you|he|she|they)( have| had|'ve)? "
    r"(\w+ed|was|were|had|did|took|made|broke)\b",
    r"\b(do not|don't|dont|without) (writ(e|ing)|run(ning)?|chang(e|ing)|do(ing)?|implement(ing)?|edit(ing)?|touch(ing)?|"
    r"tak(e|ing)|mak(e|ing)|execut(e|ing))( or \w+)? (any |a |some |more |further |new )*(code|anything|commands?|changes?|"
    r"actions?|edits?)\b(?! (without|before|until|unless|in|to|for|that|yourself|on)\b)",
)
LASTING = (  # ... and what says that it outlasts it
    r"\b(from now on|going forward|in (the )?future|as a rule|by convention|every ?time|each time|any ?time|whenever|ever|"
    r"any ?more|any longer|no exceptions?|from (here|today|this \w+|the next \w+) on(wards?)?)\b",
)
EXPLICIT = (  # what says outright that it holds from now on, or no longer does
    r"\b(before|after|with|on|at|for) (each|every) (new |single )?(commit|push|merge|release|deploy\w*|feature|change|"
    r"(bug ?)?fix|pr|"
    r"pull request|session|task|subtask|step|build|version|migration|refactor\w*)\b",
    r"\b(from now on|going forward|as a rule(?! of thumb)|no exceptions?|from (here|today|this \w+|the next \w+) on(wards?)?)\b",
    r"\bleave (?!it\b|this\b|that\b|them\b)[^,;]{2,60} as (it|they) (is|are), \w+",
    r"\b(do not|don't|dont) ever\b|\b(forget|scrap|drop|ignore) (the|our|my) [^.,;]{0,40}\b(rule|convention|policy)s?\b",
    r"\b(when|every ?time|each time|any ?time)(ever)? you\b|\bon (each|every) \w+\b",
    r"^((please|and|also|but|so|ok|okay|no|yes|good|great),? )*(always|never)\b",
    r"\b(you|we) (may|can|are allowed to|are free to|don't (need|have) to|do not (need|have) to|no longer) [^.?]*"
    r"\b(again|now|any ?time|any ?more|any longer|ever)\W*$",
)
LIFTED = (rf"^[\w-]+( [\w-]+){{0,2}},? please,? (and )?(no|not) {_POLITE}[\w-]+",)
PREFERENCE = (  # what is never to be done, where nothing at hand is named
    rf"^(please )?(do not|don't|dont) (?!worry\b|mind\b|forget\b|bother\b|panic\b|hesitate\b|think\b|know\b|see\b|understand\b|"
    rf"need\b|want\b|get\b|be\b|let\b|look\b|do\b)\w+ [\w-]+ {_GENERAL}$",
)
