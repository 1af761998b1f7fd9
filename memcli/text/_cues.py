"""The words by which people and agents say, in English, that something matters later: what `statements` looks for."""

from __future__ import annotations

import re

from memcli.text import _cues_other_languages as _languages
from memcli.text import _instruction_cues, _lesson_cues


def any_of(*patterns: str) -> re.Pattern[str]:
    """Returns the expression that matches where one of some patterns does, in capitals and small letters."""
    return re.compile("|".join(patterns), re.I)


_OPENING = r"^(ok|okay|good|great|fine|yes|no|nice)?[,. ]*((but|and|also|please|just) )*"
_PRACTICE = (
    r"(commit messages?|comments?|docstrings?|docs|changelog|branch names?|tests|specs|file ?names?|code style|pull requests?)"
)
_PLURAL = (  # what a practice is about
    r"(commits|(commit|error|log) messages|logs|migrations|secrets|credentials|passwords|settings|options|endpoints|functions|"
    r"methods|classes|modules|tests|specs|prs|pull requests|releases|branch(es| names)|comments|docstrings|names|variables|"
    r"constants|strings|texts|labels|dependencies|imports|queries|errors|exceptions|files|scripts|config(uration)?|documentation|docs|"
    r"translations|"
    r"fixtures|types|components|hooks|lines|dates|times(tamps)?|paths|urls|ids)"
)
_CHANGE = r"(add|change|rename|edit|touch|create|write|modify|move|remove|delete|update|introduce|release|deploy|merge|fix)"

CODE = any_of(r"→|\|\||\d>|\.{5}|\bstages: |\bbut wait\b")  # what is no sentence: a chain, a command, a line of output
NUMBER = any_of(r"^(\d{1,2}[.)]\s+)?(\[ \]\s*)?")  # what stands before an item of a list
LABEL = any_of(r"^(?:\d{1,3}[.)]\s+|\[[^\]\n]{1,60}\](?!\()\s*)+")  # the same of what a person asks for, or a label of a client
ITEM = any_of(r"\n\s*(?=\d{1,2}[.)]\s)")  # where an item of a list begins
NUMBERED = any_of(r"\s\d{1,2}[.)]\s")
CLAUSE = any_of(r"[,;:.]\s+(?:(?:but|and|so)\s+)?|\s+--?\s+|\s+(?:but|because|so)\s+")  # what stands between two clauses
SUBORDINATE = any_of(r"^\W*(unless|without|only|and|or|but|to)\b")  # how what depends on the clause before it begins
LEADS = any_of(r"^((and|but) )?(so|that|this|it|they|these|those|therefore|instead|then|which)\b")

FINISHED = any_of(r"^\W*(done|fixed|finished|implemented|committed|built|added|all (tests|checks|done))\b")  # a report of work
BACK = any_of(  # what a sentence refers back with, elsewhere than at its beginning
    r"\b(these|those|them|it|this|that)(?=\W*$|\s+(manually|myself|until|for|before|after|again|any ?more|now|later|"
    r"either|too|by|from|"
    r"is|are|was|as)\b)"
)
# What a person says to be kept as it stands, as a line or as its last sentence.
REMEMBER = re.compile(r"(?:^|(?<=[.!?]\s))\s*(?:#remember\b:?|remember:)\s*(\S.*)$", re.I | re.M)
REMINDER = any_of(
    r"(^|[,.;] )(please |and )?(remember|note) (this|that|it)\W*$|^(please )?remember that\b|^(for the record|fyi|"
    r"just so you know)\b",
    *_languages.REMINDER,
)
TASK = any_of(r"^\W*(to (?!be\b)\w+|(call|ask|tell|write to|mail|talk to) [A-Z]\w+)\b")  # ... if it is to be done
# What a person wants from now on.
INSTRUCTION = any_of(
    r"\bfrom now on\b",
    r"\bin (the )?future\b",
    r"\b(remember|remind you|make sure) to always\b",
    r"\b(do not|don't|dont) ever\b",
    r"\bevery time you\b",
    r"(^|\b(and|or|to|please|but|you|we|so|also|must|should)\s+|[,:;*–-]\s*)(always|"
    r"never)\s+(?!mind\b)(?!(the|an?|some\w*|so|seen?|been|had|got|there|in|at|on|told|said|did|went|saw|came|knew|"
    r"thought|gave|took|wrote|ran|broke|"
    r"have \w+(ed|en|t|ne))\b)(?!\w*ed\b)(?!\w*[^s]s\b)\w+",
    r"^(please )?(do not|don't|dont|never) \w+ .*\b(without|unless|until|before)\b",
    r"\b(unless|without|only (if|when)) ([\w']+ ){0,4}"
    r"(explicit\w*|ask(ed|ing)?|permission|approv\w*|instruct\w*|tell you|told to|say so)\b",
    r"\b(i|we) (already |just )?(told|reminded|warned|instructed) you (not )?to\b",
    r"\b(we|you)( should| must| need to)? no longer \w+|\b(do not|don't|dont) (need|have) to\b.*\bany ?(more|longer)\b",
    r"\byou (may|can) \w+ .*\bagain\b",
    r"\b(you|we) (may|are (allowed|free) to) (now )?(?!now\b|see\b|find\b|go\b)\w+ (?!it\b|this\b|that\b|them\b)[^.?]*"
    r"\b(now|any ?time)\b|\b(you|we) can \w+ [^.?]*\b(from now on|any ?time)\b",
    r"\b(is|are) (fine|ok|okay|allowed|welcome|permitted) (again|now|from now on)\b|\bit('s| is) (now )?(fine|ok|okay|all right) "
    r"(now )?to \w+|\bno need to ask\b",
    r"\b(going forward|from (today|here|this \w+|the next \w+) on(wards?)?|as a rule|by convention|no exceptions?|house rule|"
    r"(keep|bear) (that|this|it) in mind|our (\w+ )?(convention|policy|rule|practice|standard) is)\b",
    r"\bfor (all|any|every) (future|new|other|further) \w+\b|\bin (all|every|any) (texts?|files?|"
    r"tests?|modules?|messages?|commits?)\b",
    r"\b(must|may|shall)( not|n't) (?!contain\b)\w+|\bno more (?!(than|errors?|warnings?|failures?|crashes|retries)\b)\w+|"
    r"\bleave (?!it\b|this\b|that\b|them\b)[^,;]{2,60} as (it|they) (is|are)\b",
    r"\bis (the|our) (ceiling|maximum|minimum|limit|floor|baseline)\b|\b(has|have|needs?|must) (to )?(still )?(run|work|"
    r"build|compile) (on|with|under|in)\b",
    r"\bhands off\b|\bstay (away from|out of)\b|\bleave (?!it\b|this\b|that\b|them\b|me\b)[^,.;]{2,40} alone\b",
    r"\bmake sure (that )?(the|our|all|every|no) .{1,60}\b(stays?|remains?|never|always|keeps?)\b|\b(has|have|"
    r"needs?) to (stay|remain|keep)\b",
    r"^(\w+, )?no (?!(need|problem|idea|such|space|route|response|answer|reply|effect|access|connection|credentials|"
    r"changes?|errors?|sign|trace|time|luck|chance)\b)\w+( \w+)? (in|on|for|within|inside) (?!(that|this|it)\b)|"
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
    r"^(please )?(ask|check) before (you )?\w+|\b(do not|don't|dont|never) [^,.;]{2,60} (yourself|on your own)\b|\balways\W*$",
    rf"^(please )?((all|our|new|public|unit) )*{_PLURAL} (should|must|need|have to|go (in|into|to|under)|belong|come first|"
    rf"live in|"
    rf"stay|follow)s?\b",
    r"^(all|every|each|any) ([\w-]+ ){1,4}(needs?|must|requires?|has to|have to) \w+",
    rf"\b(whenever|(each|every) time) you {_CHANGE}\b|^(when|if) you {_CHANGE} (an?|any|some|something|anything|new|files?)\b"
    r"[^.?]{0,60}, \w+",
    r"^when(ever)? in doubt\b|\bit('s| is) (important|essential|crucial) that\b|\bit must (stay|remain|always|never)\b",
    r"^(please )?only (\w+ )?(use|touch|edit|change|commit|push|add|write|log|import|call|run|deploy|create)\b",
    r"^(please )?(no|not) more than (an?|one|two|three|\d+) [\w ]{2,40} (per|in|a|an|each) ",
    r"\b(go(es)?|happens?) through (the |a )?(pull requests?|prs?|reviews?|pipeline|ci)\b",
    r"^we (always |only |never )?(follow|prefer|stick to|require|squash|enforce|adhere to|pin)\b|^we use [^,.;]{3,50}\W*$",
    r"\b(tests?|specs?) (come |go )?first\b",
    *_instruction_cues.INSTRUCTION,
    *_languages.INSTRUCTION,
)
ONCE = any_of(*_instruction_cues.ONCE)
AT_WORK = any_of(*_instruction_cues.AT_WORK)
LASTING = any_of(*_instruction_cues.LASTING)
EXPLICIT = any_of(*_instruction_cues.EXPLICIT)
LIFTED = any_of(  # what makes an instruction one that takes the place of another
    r"\b(is|are|it's) (now )?(fine|ok|okay|all right|allowed|welcome|permitted)\b|\bno need to\b",
    r"\bno longer\b|\bany ?(more|longer)\b|\binstead\b|\brather than\b|\byou (may|can)\b|\bi changed my mind\b",
    r"\b(forget|scrap|ignore|drop) (the|that|what|about|my)\b|^\W*actually\b|\bwe('ve| have)? (switched|"
    r"moved|changed) (to|over|from)\b",
    *_instruction_cues.LIFTED,
    *_languages.LIFTED,
)
FORBIDS = any_of(r"\b(never|not|no|avoid|without|dislike|hate|stop)\b|n't\b|\bdont\b", *_languages.FORBIDS)

# What a person likes or not, does alone, or rules out.
PREFERENCE = any_of(
    r"\bi (really |strongly |much |generally |usually |always )?(dislike|hate|prefer|(don't|do not|dont) (like|want to see))\b",
    r"\bi('d| would) (rather|prefer)\b|\bi('d| would) like (every|all|each|no|any|our)\b|\bi('m| am) (not a|"
    r"no) (big )?fan of\b",
    r"\bi (really |generally )?like (?!it\b|this\b|that\b|the\b|your\b|how\b|what\b|to\b|them\b|those\b|these\b)\w+ \w+",
    *_instruction_cues.PREFERENCE,
    *_languages.PREFERENCE,
    rf"^(please )?(prefer|favou?r|stick (to|with)) (?!this\b|that\b|it\b|option\b)\w+|^(please )?(limit|restrict) {_PLURAL}\b",
    r"^(please )?(try to )?avoid (?!this\b|that\b|it\b|the\b)\w+",
    r"\blet'?s (not|never|always|avoid|try to avoid) (?!now\b|worry\b|loo?se\b|forget\b|do (it|that|this)\b|go there\b)\w+ \w+",
    rf"^(please )?keep (all|every|each|any|our|{_PLURAL}) |^(please )?keep the ([\w-]+ ){{1,4}}"
    r"(in|out of|free|up to date|documented|under|below|small|short|clean|consistent|inside|sorted|compatible|in sync)\b",
    r"^(please )?(answer|reply|respond|write|explain|document|comment|speak|talk)( [\w-]+){0,3} in (\w+ )?(english|"
    r"german|french|spanish|portuguese|italian|dutch|polish|japanese|chinese|plain|simple|short)\b",
    r"\b(you|we) (do not|don't|dont|need not|needn't)( need to| have to)? \w+ [^,.;]{0,60}\b(each|every) \w+|^you (needn't|"
    r"need not) ",
    r"^(please )?(do not|don't|dont) (bother|worry) (with|about|to|adding|supporting|writing) "
    r"(?!it\b|this\b|that\b|them\b|those\b|these\b|the\b|me\b)\w+|\bno need to \w+ [^,.;]{0,40}\b(for|in|on|"
    r"with) ([\w-]+ )?\w{3,}s\b",
    r"\b(there('s| is) )no need (for|to) (\w+ )?(compatib|support|backward|handl)\w*",
    r"\bi (still |usually |always |will |want to |prefer to |like to )*(be able to )?"
    r"(?!ran\b|did\b|tried\b|was\b|had\b|have\b|can\b|could\b|no\b|don't\b|do\b|\w+ed\b)[a-z]+ [^.!?]{0,40}"
    r"\b(manually|myself|by hand)\b",
    r"\bi (don't|do not|dont) want (us to|you to|any)\b",
    r"\bwe want (?!to\b|you\b|it\b|that\b|this\b)\w+ \w+ \w+",
    r"\bwe('re| are) not (trying|going|aiming) to\b",
    r"\bwe (don't|do not|only|never) (use|support|target|ship)\b",
    r"\bwe('re| are) using\b.*\bnot\b",
    _OPENING
    + r"(do not|don't|dont) (?!worry\b|mind\b|forget\b|know\b|think\b|understand\b|see\b|want\b|need\b|bother\b|let\b|get\b)"
    r"\w+ (\w+ ){0,4}(in|into|to|on|with|for|from|about)\b",
    rf"\b(make sure|ensure)\b.*\b{_PRACTICE}\b",
    rf"\b{_PRACTICE}\b (should|must)( not|n't)? (be|have|say|stay|never|always|contain|start|end)\b",
    r"\b(stop|quit|avoid) (?!here\b|now\b|there\b|it\b|this\b|that\b|work|try|do)\w+ing\b",
    r"\bi find (\w+ ){1,4}(noisy|annoying|ugly|confusing|distracting|unreadable|hard to (read|follow))\b",
    r"^(\w+, )?(please )?use \S+( \S+){0,6},? (and )?(not|never|instead of|rather than) ",
    r"\bwe('re| are)? (on|use|using|work with) [^,.;]{2,40}(, | and )?(not|never|instead of|rather than)\b",
    _OPENING
    + r"(do not|don't|dont|never|no) (bump|touch|add|change|rename|use|introduce|upgrade|downgrade|rewrite|reformat|remove|"
    r"delete|move|install|depend|break|edit|modify|commit|mock) (?!it\b|this\b|that\b|them\b|anything\b)([^,.;]+ ){2,}",
)
MOMENT = any_of(  # what limits a wish, or a choice, to the work at hand
    r"\b(for|in|on|to|with) (this|that) (one|time|case|prs?|pull request|commit|change|branch|task|step|turn|ticket|bug|"
    r"function|"
    r"method|test|file|class|prototype|spike|experiment|session|release)\b(?!s)",
)
JUST_NOW = any_of(  # what makes a wish one for the moment
    r"\b(yet|(right )?now|this time|for the moment|today)\b",
    MOMENT.pattern,
    r"\b(do not|don't|dont) \w+ (me|this|that|these|those|it|them|back|away)\b",
)
MOOD = any_of(  # how somebody feels about what happens, or how to go about it now: no rule for later work, nor a choice
    r"\b(i|we) (really |just )?(hate|dislike|can't stand|don't like|do not like) "
    r"(wasting|having to|being|how|when (it|you|that|this)\b|that you)\b",
    r"\b(this|that)( \w+){0,3}? (really )?(bothers|annoys|bugs|worries) me\b(?! (that|when|if|to)\b)",
    r"\b(hate|dislike|don't like|do not like) (the|this|that|these|those|your) [^.;!?]*,? (can|could|would) \w+",
    r"^(\w+,? )?let'?s (not |never |all |try to |please |just )*(get ahead|rush|panic|hurry|overthink|"
    r"over-?complicate|worry|jump|be careful|be honest|(stay|keep) calm|slow down|"
    r"focus|think|see|get back to \w+ing|take (a|our|it|one)\b)\b",
)
TAG = any_of(r"[,-] (right|ok|okay|correct|no|yes)\?$")  # behind what is no question
HEDGED = any_of(r"\b(maybe|might|perhaps|let me|let's|i think|i need to|seems?|probably|hmm|wait|actually|this session)\b")

# What was decided, and why; what was dropped; which command works; what was learned.
DECISION = any_of(
    r"\b(decided|decision|chose|chosen|choose|went with|go(ing)? with|opt(ed)? for|prefer(red)?|"
    r"recommend(ation|ed)?|(leav|keep)(e|ing|s) (it|them|this|that)|stick(ing)? with)\b",
)
# What a writer did about a choice, with the reason, or with what it is for.
CHOSEN = any_of(
    r"\b(i|we)('ve|'ll| have| will)? (\w+ly )?(keep|kept|left|pick(ed)?|choose|chose|chosen|use|made|make|put|avoid(ed)?|"
    r"stay(ed)?|"
    r"retain(ed)?|went|opted|stuck)\b",
)
PURPOSE = any_of(
    r"\b(because|since|so that|to avoid|in order to|to (keep|let|allow|prevent|stay)|otherwise)\b|, (so|as) \w+|"
    r"\bwhich (avoids|keeps|means|needs|saves|would)\b|\bso (that )?(existing|old|nobody|no one|callers)\b",
)
FAULT = any_of(
    r"\b(fail(s|ed|ing)?|errors?|bugs?|broke(n)?|breaks?|crash\w*|caus(e|ed|es)|wrong|hangs?|complain\w*|issue|problem)\b"
)
EXPLAINS = any_of(r"\w: \w|\b(but|as|which|leak\w*|would|breaks?|broke|fails?|failed)\b")
REASON = any_of(r"\b(because|since|so that|otherwise|to avoid|the reason|in order to)\b", *_languages.REASON)
DECIDED = any_of(
    r"\b(decided (not )?(to|on|against)|(we|i) chose|chose to|opted (for|to|against)|settled on|agreed (to|on))\b|"
    r"\b(deliberately|on purpose)\b|\bended up (using|with|keeping)\b|\b(picked|took|selected|favou?red|"
    r"went for) (?:[^.;]|\.\S){1,60} (over|rather than)\b|"
    r"\bdecision: |\binstead of\b.*\b(because|since|so that)\b|\brather than\b.*\b(because|since|so that)\b",
    *_lesson_cues.DECIDED,
    *_languages.DECIDED,
)
ANNOUNCED = any_of(  # how a list of what was tried in vain is announced, or that something was, which is not named
    r"^(\w+: )?what (did|does|do)(n't| not)\b",
    r"\b(several|various|many|multiple|a few|two|three|different) (other |different )?(methods|approaches|ways|things|attempts|"
    r"times)\b",
    r"^(it (seems|looks|appears)[^.]{0,12} )?(it|this|that|the [\w-]+) (did(n't| not)|does(n't| not)) (seem to )?work( as "
    r"(expected|intended|hoped|planned))?\W*$",
)
STEP = any_of(  # how somebody at work says what comes next, whatever the reason
    r"\bi('ll| will| am going to|'m going to) (\w+ )?(it|them|these|this|those|all|both|each)\b|^\W*(we |i )?need to\b",
    r"\blet'?s (move on|get started|continue|start with|focus on|tackle|take a look|have a look)\b",
)
DROPPED = any_of(
    r"\b(reverted|rolled back|took (it|them|this|that) (out|back)|put (it|them) back|gave up|abandoned|backed (it )?out|"
    r"undid|dead end|(did|does|do)(n't| not) (work|help)|could(n't| not) reproduce|saves? nothing|"
    r"no (gain|improvement|effect))\b",
    r"\btried\b.{0,200}\b(but|failed|however|instead)\b",
    r"\b(i|we)('ve|'d| have| had)? (first|initially|originally|at first) \w+(ed|t)\b.{0,200}\b(but|however)\b|"
    r"^(at first|initially|originally),? (i|we) .{0,200}\b(but|however)\b|"
    r"\b(my|our|the|a) (first|initial|previous|earlier|naive|obvious) (\w+ )?(idea|attempt|approach|try|version|solution|"
    r"implementation|fix)\b.{0,120}\b(but|however|failed|did(n't| not)|broke|was(n't| not| too)|turned out)\b",
    *_lesson_cues.DROPPED,
    *_languages.DROPPED,
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
LESSON = any_of(
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
    r"\b(is|are|gets?) (also )?(imported|used|read|called|parsed|shared|loaded|executed|included|generated|overwritten|"
    r"written) "
    r"(by|from|in) [^.;]{2,60}\b(too|as well)\b|\b(is|are|gets?) also (imported|used|read|called|parsed|shared|loaded|executed|"
    r"included) (by|from|in)\b",
    r"\b(one|another|a) (thing|surprise|catch|trap|detail)( that| which)?( i| we)? (noticed|learned|learnt|discovered|found|"
    r"to (know|remember|watch))\b|\b(worth|good) (knowing|noting|remembering)\b",
    r"\b(otherwise|or else)\b[^.;]{0,60}\b(hides?|breaks?|fails?|crash(es)?|hangs?|loses?|corrupts?|leaks?|deadlocks?|blocks?|"
    r"overwrites?|masks?|swallows?|errors?|times? out|never|not|stale|wrong)\b",
    r"(`[^`]+`|\bit\b)[^.;]{0,80}, (so|which means|and) [^.;]{2,60}\b(breaks|fails|crashes|hangs|loses|corrupts|leaks|"
    r"deadlocks|"
    r"overwrites|overflows|swallows|times out|is lost|are lost)\b",
    *_lesson_cues.LESSON,
    *_languages.LESSON,
    r"\b(documentation|docs|manual|spec|specification|changelog) (says?|shows?|states?|requires?) that\b",
)
LABELLED = any_of(_lesson_cues.LABEL)
LEFT_OUT = any_of(*_lesson_cues.LEFT_OUT)
TALK = any_of(  # what an answer begins with that talks rather than explains
    r"^\W*(you('re| are) |you raise|(great|good|excellent|fair) (question|point|catch)|interesting|excellent|perfect|"
    r"i (was|am|see|'ll|will)\b|"
    r"i'(m|ll)|we should|sorry|apolog)|\b(let'?s|let me|i'll|shall we)\b",
)
# A prompt that asks how something is, or why: its answer is what was found out.
WHY_ASKED = any_of(
    r"\b(why|where (does|do|did) .{1,60} come from|what (causes|caused|makes|happens)|how come|how (does|do|is|are|"
    r"was) (?!it going\b|you\b))",
    r"\b(find|figure) out\b|\binvestigate\b|\btrack down\b|\b(could|can) (the|a|an|two|\w+s) .{1,80}\?",
)
# What is to be written into the instructions of a repository for agents.
RULES_WANTED = any_of(r"\b(CLAUDE|AGENTS|GEMINI|copilot-instructions)\.md\b|\b(instructions?|guidelines?|conventions?|rules)\b")
RULE = any_of(r"^\W*(always|never)\s+(?!\w*ed\b)\w+|[:(]\s*[\"“'`]?(always|never)\s+(?!\w*ed\b)\w+")
