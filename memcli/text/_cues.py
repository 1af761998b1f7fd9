"""The words by which people and agents say, in English, that something matters later: what `statements` looks for."""

from __future__ import annotations

import re


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.I)


_OPENING = r"^(ok|okay|good|great|fine|yes|no|nice)?[,. ]*((but|and|also|please|just) )*"
_PRACTICE = (
    r"(commit messages?|comments?|docstrings?|docs|changelog|branch names?|tests|specs|file ?names?|code style|pull requests?)"
)

CODE = _any_of(r"→|\|\||\d>|\.{5}|\bstages: |\bbut wait\b")  # what is no sentence: a chain, a command, a line of output
NUMBER = _any_of(r"^(\d{1,2}[.)]\s+)?(\[ \]\s*)?")  # what stands before an item of a list
ITEM = _any_of(r"\n\s*(?=\d{1,2}[.)]\s)")  # where an item of a list begins
NUMBERED = _any_of(r"\s\d{1,2}[.)]\s")
CLAUSE = _any_of(r"[,;:.]\s+(?:(?:but|and|so)\s+)?|\s+--?\s+|\s+(?:but|because|so)\s+")  # what stands between two clauses
SUBORDINATE = _any_of(r"^\W*(unless|without|only|and|or|but|to)\b")  # how what depends on the clause before it begins
LEADS = _any_of(r"^((and|but) )?(so|that|this|it|they|these|those|therefore|instead|then|which)\b")

REMEMBER = re.compile(r"^\s*(?:#remember\b:?|remember:)\s*(\S.*)$", re.I | re.M)  # what a person says to be kept as it stands
# What a person wants from now on.
INSTRUCTION = _any_of(
    r"\bfrom now on\b",
    r"\bin (the )?future\b",
    r"\b(remember|remind you|make sure) to always\b",
    r"\b(do not|don't|dont) ever\b",
    r"\bevery time you\b",
    r"(^|\b(and|or|to|please|but|you|we|so|also|must|should)\s+|[,:;*–-]\s*)(always|"
    r"never)\s+(?!mind\b)(?!\w*ed\b)(?!\w*[^s]s\b)\w+",
    r"^(please )?(do not|don't|dont|never) \w+ .*\b(without|unless|until|before)\b",
    r"\b(unless|without|only (if|when)) ([\w']+ ){0,4}"
    r"(explicit\w*|ask(ed|ing)?|permission|approv\w*|instruct\w*|tell you|told to|say so)\b",
    r"\b(i|we) (already |just )?(told|reminded|warned|instructed) you (not )?to\b",
    r"\byou (always forget\b|keep \w+ing\b)",
    r"\b(we|you)( should| must| need to)? no longer \w+|\b(do not|don't|dont) (need|have) to\b.*\bany ?(more|longer)\b",
    r"\byou (may|can) \w+ .*\bagain\b",
    r"\b(going forward|from (today|here|this \w+|the next \w+) on(wards?)?|as a rule|by convention|no exceptions?|house rule|"
    r"(keep|bear) (that|this|it) in mind|our (\w+ )?(convention|policy|rule|practice|standard) is)\b",
    r"\bfor (all|any|every) (future|new|other|further) \w+\b|\bin (all|every|any) (texts?|files?|"
    r"tests?|modules?|messages?|commits?)\b",
    r"\b(must|may|shall)( not|n't) (?!contain\b)\w+|\bno more (?!than\b)\w+|\bleave (?!it\b|this\b|that\b|"
    r"them\b)[^,;]{2,60} as (it|they) (is|are)\b",
    r"\bis (the|our) (ceiling|maximum|minimum|limit|floor|baseline)\b|\b(has|have|needs?|must) (to )?(still )?(run|work|"
    r"build|compile) (on|with|under|in)\b",
    r"\bhands off\b|\bstay (away from|out of)\b|\bleave (?!it\b|this\b|that\b|them\b|me\b)[^,.;]{2,40} alone\b",
    r"\bmake sure (that )?(the|our|all|every|no) .{1,60}\b(stays?|remains?|never|always|keeps?)\b|\b(has|have|"
    r"needs?) to (stay|remain|keep)\b",
    r"^(\w+, )?no (?!need\b|problem\b|idea\b|such\b)\w+( \w+)? (in|on|for|within|inside) |"
    r"^treat .* as\b|\bwe only (?!need|have|want|see|got)\w+ (on|in|at|"
    r"with|from|via|by|before|after)\b",
    r"\bin (all|every|any) ([\w-]+ )?(texts?|files?|docs|strings|labels|messages)\b|\byou (should|must|have to) ask\b|"
    r"\b(data|code|secrets?) never \w+s\b",
    r"\b(nobody|no one) (should|may|must|is allowed to|gets to|ever|runs|pushes|merges|deploys|edits|touches|changes|writes)\b",
    r"\b(everything|all|every|each|any)\b[^,.;]{1,60}\b(must|has to|have to|needs? to|should|"
    r"shall) (not )?(be|go|stay|have|use|pass|come)\b",
    r"\bi (want|need|expect) (all|every|each|no) \w+",
    rf"\bi (want|need|expect) (the |your |our )?{_PRACTICE}\b",
    r"\b(is|are) (not allowed|forbidden|prohibited|off[- ]limits|taboo)\b",
    rf"\b{_PRACTICE} (in|of|for) (this|the|our|my) (repo(sitory)?|project|code ?base|team|company) (is|"
    rf"are|must|should|have|use)\b",
    r"\b(forget|scrap|drop|ignore) (the|that|my|our) [^.]{0,40}\b(rule|convention|instruction|"
    r"policy|requirement|guideline)s?\b",
    r"\b(ask|check with|talk to) me (first|before)\b|\bbefore you (commit|push|merge|deploy|release|delete|publish|migrate)\b",
)
LIFTED = _any_of(  # what makes an instruction one that takes the place of another
    r"\bno longer\b|\bany ?(more|longer)\b|\binstead\b|\brather than\b|\byou (may|can)\b|\bi changed my mind\b",
    r"\b(forget|scrap|ignore|drop) (the|that|what|about|my)\b|^\W*actually\b|\bwe('ve| have)? (switched|"
    r"moved|changed) (to|over|from)\b",
)
FORBIDS = _any_of(r"\b(never|not|no|avoid|without|dislike|hate|stop)\b|n't\b|\bdont\b")

# What a person likes or not, does alone, or rules out.
PREFERENCE = _any_of(
    r"\bi (really |strongly |much |generally |usually |always )?(dislike|hate|prefer|(don't|do not|dont) (like|want to see))\b",
    r"\bi('d| would) rather\b",
    r"\b(bothers?|annoys?) me\b|\bi('m| am) bothered by\b",
    r"\bi (still |usually |always |will |want to |prefer to |like to )*(be able to )?"
    r"(?!ran\b|did\b|tried\b|was\b|had\b|have\b|can\b|could\b|no\b|don't\b|do\b|\w+ed\b)[a-z]+ [^.!?]{0,40}"
    r"\b(manually|myself|by hand)\b",
    r"\bi want (ot|to) (manually|personally) |\bi (don't|do not|dont) want (us to|you to|any) ",
    r"\bwe('re| are)( still)? (not (trying|going|aiming) to|(completely |only )?(locked|tied|limited) to)\b",
    r"\bwe (don't|do not|only|never) (use|support|target|ship)\b",
    r"\bwe('re| are) using\b.*\bnot\b",
    _OPENING
    + r"(do not|don't|dont) (?!worry\b|mind\b|forget\b|know\b|think\b|understand\b|see\b|want\b|need\b|bother\b|let\b|get\b)"
    r"\w+ (\w+ ){0,4}(in|into|to|on|with|for|from|about)\b",
    rf"\b(make sure|ensure)\b.*\b{_PRACTICE}\b",
    rf"\b{_PRACTICE}\b (should|must)( not|n't)? (be|have|say|stay|never|always|contain|start|end)\b",
    r"\b(stop|quit|avoid) (?!here\b|now\b|there\b|it\b|this\b|that\b|work|try|do)\w+ing\b",
    r"\bi find (\w+ ){1,4}(noisy|annoying|ugly|confusing|distracting|unreadable|hard to (read|follow))\b",
    r"^(\w+, )?(please )?use \S+( \S+){0,3},? (and )?(not|never|instead of|rather than) ",
    r"\bwe('re| are)? (on|use|using|work with) [^,.;]{2,40}(, | and )?(not|never|instead of|rather than)\b",
    _OPENING
    + r"(do not|don't|dont|never|no) (bump|touch|add|change|rename|use|introduce|upgrade|downgrade|rewrite|reformat|remove|"
    r"delete|move|install|depend|break|edit|modify|commit|mock) (?!it\b|this\b|that\b|them\b|anything\b)([^,.;]+ ){2,}",
)
JUST_NOW = _any_of(  # what makes a wish one for the moment
    r"\b(yet|(right )?now|this time|for the moment|today)\b",
    r"\b(do not|don't|dont) \w+ (me|this|that|these|those|it|them|back|away)\b",
)

# What is left to do: of a heading, a sentence of an agent, and one of a person.
OPEN_HEADING = _any_of(
    r"\b(still to do|(?<!what )to ?dos?(?!\.)|next steps?|remaining (tasks?|steps?|work|issues?|items?|points?)|"
    r"(next|main|top|priority|known) (\w+ )?(tasks?|issues?|problems?|priorit(y|ies)|gaps?)|current (tasks?|gaps?)|"
    r"open (points?|questions?|issues?)|left to do|what('s| is) left|follow[- ]?ups?|outstanding|blocked|blockers?|pending)\b",
    r"^(the |our |my )?(\w+ )?priorities( (are|now|next))?$",
    r"\bpinned (issues?|items?|tasks?)\b|\b(logical|recommended|suggested|right) order\b|\bfocus (remains|is) on\b",
    r"\b(future|planned) (\w+ )?(improvements?|work|enhancements?|tasks?)\b",
    r"\b(add(ed)?|put|not(ed|ing)|record(ed)?)\b.{0,80}\b(to|in) (the |your |our )?(to-?do|backlog|roadmap)",
    r"\bwe('d| would|'ll| will) (still )?need (tests?|to)\b",
    r"\bwhat('s| is| remains)? (still )?(missing|open|unresolved)\b|\bleft (for|out|open|undone)\b|"
    r"\bloose ends?\b|\bdeferred\b|"
    r"\bout of scope\b|^(for |to \w+ (\w+ )?)?later$|^to (look into|check|decide|clarify|verify)\b|\bunfinished\b|"
    r"\bnot (yet )?(done|covered|handled|included|tested|addressed|implemented|verified|finished)\b|\bstill (missing|open)\b|"
    r"\bwhat (i|we) (did not|didn't|have not|haven't)\b|\bquestions? for you\b|^open$|^not (part of|in|covered by)\b",
)
OPEN = _any_of(
    r"\bthe next task\b",
    r"\bstill to do\b|\bto-?do:|\bleft to do\b|\bleft open\b",
    r"\bremaining (tasks?|steps?|work|issues?|items?|unstaged|uncommitted|untracked|unpushed)\b",
    r"\bremains? (to be|open|uncommitted)\b",
    r"\bnext steps?( is\b| are\b|:| would\b| appears\b)",
    r"\bnot yet\b|\bstill (missing|open|to be|fails?|failing|broken|lacks?)\b|(only|still) half\b",
    r"\bopen (points?|questions?):?",
    r"\b(is|are|stays?|remains?|left|leave it) uncommitted\b",
    r"\bnot (yet )?(been )?(committed|pushed|merged|tested)\b",
    r"\bblocked (on|by)\b|\bwaiting for\b|\bunresolved\b|\bunchecked\b",
    r"\bplease (push|merge|decide)\b",
    r"\b(on|next) (monday|tuesday|wednesday|thursday|friday|week)\b|\btomorrow:",
    r"\bwhen(ever)? you('re| are) ready\b.*\b(we|i) (can|could|will)\b|\bready to (continue|proceed|start) with\b",
    r"\b(no|not|nobody|none)\b(?:[^.;]|\.\S){0,60}\byet\b",
    r"\b(nobody|no one|nothing) (has (tried|tested|checked|verified)|(yet )?(checks|tests|verifies|enforces|catches))\b",
    r"\b(has|have|needs?) to be\b(?:[^.;]|\.\S){0,60}\b(again|before|later|manually|by hand|once)\b|"
    r"\bstill (has|have|needs?) to\b|\bstill must\b",
    r"\bwhat (i|we)('ve| have)? (not|did not|didn't|haven't) (do|done|touch|touched|test|tested|check|checked|cover|covered)\b",
    r"\bi (have not|haven't|did not|didn't) (test|check|verif|try|tried|cover|handle|migrat|measur|look|updat|document)\w*\b",
    r"\b(somebody|someone) (should|must|has to|needs to)\b|^not (part of|in|covered by) (this|it)\b|\bnot part of this\b",
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
    r"\b(disabled|switched off|turned off|commented out|skipped|hard-?coded|stubbed|"
    r"pinned)\b(?:[^.;]|\.\S){0,60}\b(for now|temporarily|until)\b",
    r"\b(in|for|to|until) (a )?(later|follow-?up|separate|another|future) (PR|pull request|commit|"
    r"session|change|release|ticket|issue)\b",
    r"\bdeferred\b|\bout of scope\b|\b(is|are|still) to be (done|decided|confirmed|clarified)\b",
    r"\b(must|has to|have to|needs? to|should) (?:[^.;]|\.\S){0,60}\bbefore (the |we |you )?(release|merg|"
    r"deploy|ship|going live|go-?live|production)",
)
FILED = _any_of(
    r"\b(discovered (and|&) )?filed\b.{0,80}(\b(bugs?|issues?|tickets?|follow-?ups?)\b|#\d)",
    r"\b(opened|created|filed) (an? |the )?(new |follow-?up )?(issue|ticket|bug)\b",
)
LATER = _any_of(
    r"\b(did|do|have|has)(n't| not) (\w+ )?(try|tried|start|started|begun|finish|finished|touched|"
    r"tidied|tested|pushed|merged)\b",
    r"\b(go on|continue|resume|finish) (on (mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|later|next)\b",
    r"\b(next (time|session)|tomorrow) (we|i|you)\b",
    r"\bleave (it|this|that|them) (uncommitted|for (later|next|tomorrow|monday))\b",
    r"\bnot (this|until next|before next) (week|month|quarter|year|sprint|release)\b|\blet'?s wait\b",
    r"\b(postpone|put off)\b.*\b(until|till|to) (later|next|tomorrow)\b",
)
CLOSED = _any_of(
    r"\bnothing (is )?(left|remains|open|to do)\b|\bno (remaining|open|further|outstanding|unresolved)\b",
    r"\b(all|everything|both) .{0,40}"
    r"\b(done|complete|completed|finished|implemented|pass|passes|passed|resolved|closed|committed)\b",
    r"\b(was|were) missing\b",
    r"[✅✓✔]|\[x\]|~~",
)
REVIEW = _any_of(r"^.{0,60}\b(review|audit|critique)\b")
OBJECTION = _any_of(
    r"\b(should|lacks?|missing|deserves?|must|needs?|still|only|hard-?cod(es|ed)|never|no|not)\b",
)

MEANWHILE = _any_of(
    r"\b(meanwhile|in the meantime|(has|have|was|were|is|are) (since|already|now) (been )?(\w+ed|done|made|gone|built))\b"
)
TAG = _any_of(r"[,-] (right|ok|okay|correct|no|yes)\?$")  # behind what is no question
WHOLE_DONE = _any_of(
    r"\b(entire|whole|full|all|every|feature|epic|milestone|migration|release|refactoring|rewrite|project)\b.{0,100}"
    r"\b(is|are|was|were)( now)?( fully| all)? (complete|completed|done|finished|implemented|released|merged|in place)\b",
)

# What an agent only announces or agrees to.
ANNOUNCES = _any_of(
    r"^\W*((good|great|perfect|excellent|ok(ay)?|now|first|next|then|all right)\b[,.! ]*)*"
    r"(let me|let'?s|let us|i'?ll|i will|i need to|i'?m going to|"
    r"(?<=now )(commit|run|wire|add|update|create|write|fix|check|verify|implement|test|push|stage|rename|remove|move))",
)
AGREES = _any_of(
    r"^\W*((oh|ah|ok|okay|yes|no|well)\b[, ]*)?(you'?re (\w+ )?right( [\w ']{0,30})?|you have an? \w+ point|i see( \w+){0,3}|"
    r"(good|great|excellent|fair) (catch|points?|questions?|idea|news)|excellent|perfect|great|good|nice|ah|oh|"
    r"interesting|wonderful|awesome|done|got it|understood|exactly|absolutely|sure|of course|committed)\W*$",
)
REASONED = _any_of(r"\b(because|since|so that|fails?|failed|error|issue|problem|but|instead|turns out)\b")
HEDGED = _any_of(r"\b(maybe|might|perhaps|let me|let's|i think|i need to|seems?|probably|hmm|wait|actually|this session)\b")

# What was decided, and why; what was dropped; which command works; what was learned.
DECISION = _any_of(
    r"\b(decided|decision|chose|chosen|choose|went with|go(ing)? with|opt(ed)? for|prefer(red)?|"
    r"recommend(ation|ed)?|(leav|keep)(e|ing|s) (it|them|this|that)|stick(ing)? with)\b",
)
EXPLAINS = _any_of(r"\w: \w|\b(but|as|which|leak\w*|would|breaks?|broke|fails?|failed)\b")
REASON = _any_of(r"\b(because|since|so that|otherwise|to avoid|the reason|in order to)\b")
DECIDED = _any_of(
    r"\b(decided (to|on|against)|(we|i) chose|chose to|opted (for|to)|settled on|agreed (to|on))\b|"
    r"\b(deliberately|on purpose)\b|\bended up (using|with|keeping)\b|\b(picked|took|selected|favou?red|"
    r"went for) (?:[^.;]|\.\S){1,60} (over|rather than)\b|"
    r"\bdecision: |\binstead of\b.*\b(because|since|so that)\b|\brather than\b.*\b(because|since|so that)\b"
)
DECISION_HEADING = _any_of(
    r"^why .*\b(not|over|instead|rather)\b|^why (we|i) (use|chose|keep|do not|don't)\b|\b(decisions?|"
    r"rationale|trade-?offs?|design choices?)\b"
)
CHOICE = _any_of(
    r"\blet'?s (go with|use|keep|stick with|switch to)\b",
    r"^(ok,? |yes,? |no,? )?(go with|stick with|keep|use) ",
    r"^(ok,? |yes,? |no,? )?(please )?(ignore|skip|leave out) (number |point |item |step |option )?#?\d",
    r"\b(i|we) decided\b|^(so )?we('ll| will) (use|keep|go with)\b",
)
DROPPED = _any_of(
    r"\b(reverted|rolled back|took (it|them|this|that) (out|back)|put (it|them) back|gave up|abandoned|backed (it )?out|"
    r"undid|dead end|(did|does|do)(n't| not) (work|help)|could(n't| not) reproduce|saves? nothing|"
    r"no (gain|improvement|effect))\b",
    r"\btried\b.{0,200}\b(but|failed|however|instead)\b",
    r"\b(took|taken|take) (?:[^.;]|\.\S){1,40} (out|back)\b|\bput (?:[^.;]|\.\S){1,60} back\b|\bremoved (?:[^.;]|"
    r"\.\S){1,40} again\b|\bwent back to\b|"
    r"\b(i|we)('ve| have)? restored\b",
    r"\bnot worth (it|the|keeping|doing)\b|\b(is|are|was|were)(n't| not| no longer) an option\b|\b(is|are) out for now\b|"
    r"\bruled out\b|\b(makes?|made) no (\w+ )?difference\b",
    r"\bdid(n't| not) (go|make it) in\b|\b(was|were)(n't| not) (merged|kept|adopted)\b|\bdiscarded\b|\bthrew (it|that|"
    r"them) away\b|"
    r"\bha(s|ve) to wait\b|\b(everything|it|all) is back (at|to|on)\b|\bexperimented with\b.*\b(but|lost|no|not|worse|"
    r"slower)\b",
)
COMMAND = _any_of(
    r"\b(that works|working command|the command|run (it|them|this|the \w+)|to run|start (it|them) with)\b.*:$",
)
LESSON_HEADING = _any_of(
    r"\b(what you should know|(worth|good) (to know|knowing|noting)|to flag|heads[- ]up|pitfalls?|things to (know|note|"
    r"watch))\b",
    r"\b(root cause|gotchas?|caveats?|lessons? learned|key (findings?|insights?|lessons?)|"
    r"(critical|main|important) (findings|insights|lessons))\b",
)
FLAGGED = _any_of(r"\b(what you should know|to flag|heads[- ]up)\b")
LESSON = _any_of(
    r"\broot cause\b|\bturn(s|ed) out\b|\bgotchas?\b|\bcaveats?\b",
    r"\b(known|upstream|compiler) (bug|limitation|issue)\b",
    r"\b(lesson|insight|finding|discovery)( learned)?( is| was)?:",
    r"\bonly works? (if|when|with|for|on)\b|\bhas no effect\b",
    r"\b(does not|doesn't|do not|don't|cannot|can't|won't) "
    r"(support|inherit|access|work (with|without|when|if|because)|know about)\b",
    r"\bthe (real |actual )?(problem|reason|issue|cause|culprit) (is|was)\b.*"
    r"\b(because|not|n't|only|always|never|instead|both|directly)\b",
    r"\b(is|are) not (installed|available|supported) (here|in|by|on)\b",
    r"\bonly \w+ (if|when|as long as|while)\b|\bonly \w+ (understands|supports|knows|accepts|reads)\b",
    r"\bonly (hides|masks|papers over)\b|\b(is|are)(n't| not) reversible\b|\birreversible\b",
    r"\bthe (obstacle|snag|hurdle|(hard|tricky) part|difficulty|bottleneck) (is|was)\b",
    r"^note( that|:)|\b(be aware|beware|watch out|keep in mind)\b|\b(the (only )?catch|pitfall)\b",
    r"\bthe (\w+ )?(cause|culprit|reason) (was|is)\b|\b(was|is) caused by\b|^found (it|the \w+)\W",
    r"\b(every|any|all|each)\b(?:[^.;]|\.\S){1,60}\b(must|has to|have to) ",
    r"`[^`]+` (needs|requires|expects|hangs|breaks|ignores|assumes|only works) ",
    r"\b(without|with the default) [^,.;]{1,50},? (it|they|this|the \w+) (fails?|hangs?|breaks?|"
    r"crash(es)?|(does|do|will) not|won't)\b",
    r"\b(fails|hangs|crashes|breaks) (with|when|if|unless|without|on)\b",
    r"\b(will|would) (fail|hang|crash|break) (with|when|if|unless|without|on)\b|\b(known|is a|are) false positives?\b",
    r"\b(expects?|needs?|requires?|has|have) to be (run|called|started|built|installed|executed|invoked)\b",
    r"\btakes? (about |around |roughly |up to |almost |over )?\d[\d.,]* (minutes|hours)\b|\bkey fix\b",
    r"\b(documentation|docs|manual|spec|specification|changelog) (says?|shows?|states?|requires?) that\b",
)
TALK = _any_of(  # what an answer begins with that talks rather than explains
    r"^\W*(you('re| are) |you raise|(great|good|excellent|fair) (question|point|catch)|interesting|excellent|perfect|"
    r"i (was|am|see|'ll|will)\b|"
    r"i'(m|ll)|we should|sorry|apolog)|\b(let'?s|let me|i'll|shall we)\b",
)
# A prompt that asks how something is, or why: its answer is what was found out.
WHY_ASKED = _any_of(
    r"\b(why|where (does|do|did) .{1,60} come from|what (causes|caused|makes|happens)|how come|how (does|do|is|are|"
    r"was) (?!it going\b|you\b))",
    r"\b(find|figure) out\b|\binvestigate\b|\btrack down\b|\b(could|can) (the|a|an|two|\w+s) .{1,80}\?",
)
# What is to be written into the instructions of a repository for agents.
RULES_WANTED = _any_of(r"\b(CLAUDE|AGENTS|GEMINI|copilot-instructions)\.md\b|\b(instructions?|guidelines?|conventions?|rules)\b")
RULE = _any_of(r"^\W*(always|never)\s+(?!\w*ed\b)\w+|[:(]\s*[\"“'`]?(always|never)\s+(?!\w*ed\b)\w+")
