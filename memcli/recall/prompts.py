"""What the words of a question ask for, and what is relevant to a prompt, with which most hits share only a word."""

from __future__ import annotations

from memcli.recall import languages
from memcli.records import replace
from memcli.store import search
from memcli.store.memories import OBSERVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.recall.candidates import Matches, ParsedQuery
    from memcli.recall.relevance import Scored
    from memcli.store import Connection

PROMPT_WORDS = 2  # of a prompt that a memory must hold, one of them of its subject; of a question, one is enough
WORDS_NEAR = 0.2  # cosine of word vectors that what somebody wrote and holds as many must have
WORD_NEAR = 0.4  # ... and with which a single word of the subject is enough
RARE = 3  # memories that hold a word at most, for it alone to be enough in a title
_PART = 3  # letters that a part of a word has at least, to say something
COMMAND_WORDS = 4  # of a prompt that is a command line and no sentence
# Words that people say to an agent in any project, whatever it is about: a prompt is not about them. Verbs of instruction, what
# is said of work as such, and what fills a sentence; none that names a subject somewhere, such as message, queue, retry.
CHATTER = frozenset(
    """
    please thanks thank ok okay yes yeah yep no nope sure great good nice fine right wrong correct perfect well hi hello hmm
    looks look looking works work working worked
    go going ahead continue proceed start begin finish finished done next step steps again back still now already first last
    same other another else instead way ways thing things something anything everything nothing bit lot part rest one ones
    run runs running rerun try tries trying do does doing did make makes making made write writes writing add adds adding
    create creates creating fix fixes fixing update updates updating change changes changing changed remove removes removing
    rename refactor clean cleanup undo redo implement finalize commit commits committing push
    show shows tell explain describe summarise summarize check checks see give let take get got put use uses using used
    need needs needed want wants think know mean ask say said
    code file files test tests testing function functions project repo repository diff
    many much more most less few best worst time times day today tomorrow minute moment second wait hold question answer help
    simple simpler better shorter longer clearer easier quick quickly long short ready new old
    """.split()
)
# What people say to be polite, or to agree; and what they say who want to go on with their work. Neither names a subject.
_GREETINGS = frozenset(
    """
    please thanks thank ok okay yes yeah yep no nope sure great good nice fine right perfect well cool awesome hi hello hey hmm
    look looks looking morning evening bye cheers lgtm
    """.split()
)
_BESIDE_A_GREETING = frozenset(
    "everything everyone everybody anything all lot much far day night weekend there team folks".split()
)
_WORK = frozenset(
    """
    left remains remaining remain open todo todos next step steps status progress pending unfinished outstanding blocked continue
    resume go goes going ahead proceed stand stood stop stopped stopping state start started begin pick finish finished work
    working again back now today last time leave left off still yet done
    """.split()
)
_WORK_ITEMS = frozenset("task tasks item items point points list anything else".split())  # beside one of these: open points
OF_ANY_TIME = CHATTER | frozenset("decide decided decision decisions happen happened learn learned week month year last".split())
# Programs whose name begins a command line that people type to an agent.
COMMANDS = frozenset(
    """
    git ls cd pwd cat rm mv cp mkdir touch echo whoami date clear exit quit history which man top ps kill df du make npm npx yarn
    pnpm node python python3 pip uv pytest cargo go docker kubectl curl wget ssh grep rg find sed awk head tail less vim nano
    """.split()
)

# What a question asks for, by its words: the roles of statements (memcli/text/statements.py) that answer it.
_MAY = frozenset("may must should shall can ought".split())
_OF_RULES = frozenset(
    """
    allowed forbidden permitted prohibited welcome rule rules convention conventions policy style guideline guidelines respect
    obey always never preferred prefer
    """.split()
)
_OF_OPEN = frozenset(
    """
    left remains remaining remain open todo todos pending unfinished outstanding blocked missing unresolved uncommitted unstaged
    unpushed next later finished
    """.split()
)
_OF_CHOICES = frozenset(
    "why decide decided decision decisions chose chosen choose choice reason reasons rationale instead".split()
)
_OF_ATTEMPTS = frozenset(
    "tried try attempt attempts reverted dropped abandoned gave rejected ruled experiment experiments".split()
)
_OF_COMMANDS = frozenset("command commands run start launch invoke execute".split())
_OF_CAUSES = frozenset(
    "why cause reason fail fails failed failing hang hangs broken break breaks crash crashes work works".split()
)
# "What did not work": what was tried in vain, where no other subject is named.
_NEVER = frozenset("didn't hasn't haven't never".split())
_HAVE = frozenset("did has have".split())
_WORKED = frozenset("work worked help helped succeed succeeded".split())
_ATTEMPTS = frozenset("attempt attempts approach approaches idea ideas experiment experiments solution solutions".split())
# Nouns for all statements of a role, and words beside them that name no subject.
_KINDS = {
    **dict.fromkeys(
        "instruction instructions rule rules convention conventions always never".split(), ("instruction", "preference")
    ),
    **dict.fromkeys("preference preferences prefer".split(), ("preference",)),
    **dict.fromkeys("decision decisions decide decided choose chose chosen choices".split(), ("decision",)),
    **dict.fromkeys("todo todos open".split(), ("open",)),
    **dict.fromkeys("dropped attempts tried rejected abandoned".split(), ("dropped",)),
    **dict.fromkeys("lesson lessons gotcha gotchas pitfalls learn learned learnt".split(), ("lesson",)),
    **dict.fromkeys("command commands".split(), ("command",)),
}
# Of a vague question, words that ask for what is left to do, and not how something is that is at hand.
_LEFT = frozenset(
    "left remains remaining remain open todo todos pending unfinished outstanding blocked leave stop stopped still".split()
)
_WHERE_WE_WERE = (["where", "were", "we"], ["where", "were", "we?"], ["where", "was", "i"], ["where", "was", "i?"])
_OF_ALL = frozenset(
    """
    hold holds holding valid current currently standing list all every ask asked keep kept follow obey must far failed vain
    """.split()
)
_ASKING = frozenset("what which who whom whose when where why how did do does was were is are have has had".split())
_POLITE, _ASKED = frozenset("can could would will".split()), frozenset("you we".split())  # who is asked to work
_TELLING = frozenset("tell remind explain recall say remember".split())  # ... or to tell what is known
_SELF = frozenset("i we you one somebody someone everybody people who".split())
_ROLES = (
    (_OF_RULES, ("instruction", "preference")),
    (_OF_OPEN, ("open",)),
    (_OF_CHOICES, ("decision", "dropped")),
    (_OF_ATTEMPTS, ("dropped",)),
    (_OF_COMMANDS, ("command",)),
    (_OF_CAUSES, ("lesson", "fix")),
)


def wanted_roles(text: str) -> frozenset[str]:
    """Returns the roles of the statements that a question asks for; none for most questions."""
    words = _plain(text)
    roles = {role for cues, names in _ROLES if not cues.isdisjoint(words) for role in names}
    if _is_of_failures(words):
        roles.add("dropped")
    # "What must I ...", "May I ...", "How should commit messages ...": what the person wants, and what was learned to be better
    if not _MAY.isdisjoint(words[:3]) or any(pair[0] in _MAY and pair[1] in _SELF for pair in zip(words, words[1:])):
        roles |= {"instruction", "preference", "lesson"}
    return frozenset(roles)


def wanted_kinds(terms: Sequence[str], text: str, is_prompt: bool = False, is_of_time: bool = False) -> tuple[str, ...]:
    """Returns the roles of which a question wants every statement that holds, as it names no subject. `terms`: as for `is_vague`.

    A prompt must be a question, since it may be about what the session does. `is_of_time`: the question mentions a time, and
    without more wants all of that.
    """
    words = text.lower().split()
    if is_prompt and not asks(words):
        return ()
    if _is_of_failures(_plain(text)) and (_WORKED | _ATTEMPTS | _OF_ALL | CHATTER).issuperset(terms):
        return ("dropped",)
    if is_vague(terms):
        is_left = not _LEFT.isdisjoint(terms) or words[:3] in _WHERE_WE_WERE
        return ("open",) if is_left or not (is_prompt or (is_of_time and not terms)) else ()
    roles = tuple(dict.fromkeys([role for term in terms for role in _KINDS.get(term, ())]))
    return roles if all(term in _KINDS or term in _OF_ALL or term in CHATTER for term in terms) else ()


def _plain(text: str) -> list[str]:
    """Returns the words of a text in lower case, without the signs around them."""
    return [word.strip(".,;:!?()'\"") for word in text.lower().replace("’", "'").split()]


def _is_of_failures(words: Sequence[str]) -> bool:
    """Tells whether a question says that something did not work, rather than that it does not work now."""
    return any(
        third in _WORKED and (second in _NEVER or (second == "not" and first in _HAVE))
        for first, second, third in zip(["", *words], words, words[1:])
    )


def asks(words: Sequence[str]) -> bool:
    """Tells whether a prompt is a question. `words`: in lower case, with punctuation."""
    return bool(words) and (words[0].replace("’", "'").partition("'")[0] in _ASKING or words[-1].endswith("?"))


def asks_for_work(text: str) -> bool:
    """Tells whether a prompt asks to do something, politely or not, rather than for what is known or was done."""
    words = _plain(text)
    if not asks(text.lower().split()):
        return True
    polite = next((at for at, pair in enumerate(zip(words, words[1:])) if pair[0] in _POLITE and pair[1] in _ASKED), -1)
    return polite >= 0 and _TELLING.isdisjoint(words[polite + 2 : polite + 5])


def subject_of(text: str, terms: Sequence[str]) -> frozenset[str]:
    """Returns the words that say what a prompt is about; none for small talk and for a command line."""
    words = text.split()
    first = words[0].lstrip("!$`").lower() if words else ""
    if first in COMMANDS and len(words) <= COMMAND_WORDS and not text.rstrip().endswith("?"):
        return frozenset()
    return frozenset(terms) - CHATTER


def is_small_talk(terms: Sequence[str]) -> bool:
    """Tells whether the words of a question are only polite."""
    greetings = _GREETINGS | languages.GREETINGS
    rest = [term for term in terms if term not in greetings]
    return len(rest) < len(terms) and (_BESIDE_A_GREETING | languages.BESIDE_A_GREETING).issuperset(rest)


def is_vague(terms: Sequence[str]) -> bool:
    """Tells whether a question asks about the state of the work and names no subject. `terms`: its words without stop words."""
    rest = [term for term in terms if term not in _WORK_ITEMS]
    return bool(rest or not terms) and not is_small_talk(terms) and _GREETINGS.union(_WORK).issuperset(rest)


def drop_incidental(matches: Matches, query: ParsedQuery, table: str) -> None:
    """Drops the rows that share words with a prompt by chance. For a memory, a single word of the subject may be enough."""
    if query.is_prompt:
        least = 1 if table == "memory" else PROMPT_WORDS
        matches.keep_only(rows_with_words(matches, query, least) | _rare_rows(matches, query))


def _rare_rows(matches: Matches, query: ParsedQuery) -> set[int]:
    """Returns the rows that hold a rare word of a prompt's subject."""
    return {n for term in matches.terms if term.word in query.subject and len(term.bm25) <= RARE for n in term.bm25}


def rows_with_words(matches: Matches, query: ParsedQuery, count: int) -> set[int]:
    """Returns the rows that hold at least `count` of the words of a prompt, one of its subject among them.

    Numbers, guesses at the spelling, short and common parts of another word say too little to count.
    """
    levels: list[set[int]] = [set() for _ in range(count)]  # the rows with one word, with two ...
    of_subject: set[int] = set()
    for term in matches.terms:
        word = term.word
        says_little = (word in CHATTER or len(word) < _PART) and _is_part(word, query.terms)
        if term.idf and not word.isdigit() and word not in query.corrected and not says_little:
            rows = term.bm25.keys()
            for number in range(count - 1, 0, -1):
                levels[number] |= levels[number - 1] & rows
            levels[0] |= rows
            if word in query.subject:
                of_subject |= rows
    return levels[-1] & of_subject


def _is_part(word: str, terms: Sequence[str]) -> bool:
    return any(word != term and word in term for term in terms)


def of_subject(db: Connection, query: ParsedQuery, matches: Matches, scored: Sequence[Scored]) -> list[Scored]:
    """Returns what may be about the subject of a prompt, each with the cosine that it must reach to count.

    It holds enough of the prompt's words, or was written on purpose and has a rare one of them in its title, or any other.
    """
    enough, rare = rows_with_words(matches, query, PROMPT_WORDS), _rare_rows(matches, query)
    stems = search.stemmer(db)
    words = set(stems(" ".join([*query.terms, *[word for words in query.corrected.values() for word in words]])))
    candidates = []
    for match in scored:
        hit = match.hit
        is_written = hit.origin not in OBSERVED and not hit.is_passage
        if hit.n in rare and is_written and not words.isdisjoint(stems(hit.title)):
            candidates.append(match)
        elif hit.n in enough:
            candidates.append(replace(match, least=WORDS_NEAR) if is_written else match)
        elif is_written:
            candidates.append(replace(match, least=WORD_NEAR))
    return candidates
