"""By what a quotation is recognised: its marks, the lines that programs print, and the words that introduce what others wrote."""

from __future__ import annotations

import re

from memcli.text import _report_cues as reports


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.I)


_LEVEL = r"(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)"
_BULLET = r"(?:[-*+•]\s+|\d{1,3}[.)]\s+)"

FENCE = re.compile(rf"\s*{_BULLET}?(`{{3,}}|~{{3,}})([^`\n]*)$")
FENCE_OF_PROSE = re.compile(r"\s*(md|markdown|text|txt|mdx|rst)\b", re.I)
FENCE_BEHIND = re.compile(r"[^`\n]+(`{3,})([\w+-]*)\s*$")  # begun in a line of text
QUOTE_LINE = re.compile(
    rf"\s*{_BULLET}?(>(?!=)|&gt;|＞|[│┃▌▎▏]|\|\s(?!.*\|)|//[!/]?\s|--\s|;+\s|::\s|REM\s)"
)  # comments are of a program
RULE = re.compile(r"\s*([-=*_]{3,})\s*$")
ITEM = re.compile(rf"\s*{_BULLET}\S")
BLOCKS = (  # how a block begins that another line ends: in wikis, forums and here documents
    (re.compile(r"\s*()/\*"), r"\*/%s"),
    (re.compile(r"\s*\{(quote|code|noformat)(:[^}\n]*)?\}", re.I), r"\{%s\}"),
    (re.compile(r"\s*\[(quote|code)(=[^\]\n]*)?\]", re.I), r"\[/%s\]"),
    (re.compile(r"\s*(_{4,}|\.{4,})$"), r"^\s*%s\s*$"),
    (re.compile(r"[^\n]*<<-?\s*['\"]?([A-Za-z_]\w*)['\"]?\s*$"), r"^\s*%s\s*$"),
    (re.compile(r"\s*#\+BEGIN_(\w+)\b", re.I), r"^\s*#\+END_%s\b"),
    (re.compile(r"\s*()\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*$", re.I), r"^\s*$%s"),
    (re.compile(r"\s*()(?:BEGIN|START)(?: OF)? [A-Z][^\n]{0,60}$"), r"^\s*END\b%s"),
    (re.compile(r"\s*-{3,}\s*BEGIN\b([^\n-]*)-{3,}\s*$", re.I), r"^\s*-{3,}\s*END\b%s-{3,}\s*$"),
    # Of harnesses: Gemini puts files that a prompt names behind it, OpenClaw wraps what mails and pages say.
    (re.compile(r"\s*()-{3} Content from referenced files -{3}\s*$"), r"(?!)%s"),
    (re.compile(r"\s*<<<EXTERNAL_UNTRUSTED_CONTENT((?: id=\"[^\"\n]*\")?)>>>"), r"<<<END_EXTERNAL_UNTRUSTED_CONTENT%s>>>"),
)
ELEMENT = re.compile(r"(?<![\w`])<(?:(!--|!\[CDATA\[)|([A-Za-z][\w.:-]*)((?:\s[^<>]*)?)>)")
# Elements around what the person typed, as some clients send it, and those that only say how a word looks.
TRANSPARENT = frozenset(
    "user_query user-query user_message user-message user_request user-request command-args"
    " b i em strong u s sub sup kbd mark small ins del br hr img wbr input".split()
)
TRANSPARENT_FIRST = frozenset("task feedback question".split())  # the same where a prompt begins with them: elsewhere of others
# Elements of a page: where one ends, the page does not.
OF_PAGES = frozenset(
    "a p div center h1 h2 h3 h4 h5 h6 picture source table thead tbody tr td th ul ol li dl dt dd span details summary section"
    " article header footer nav main figure figcaption html head body title".split()
)
PASTES = frozenset("pasted pasted-text pasted_text paste blockquote document documents readme webpage quote".split())

# Lines as programs print them. The second sort begins what runs to the next blank line: a command and what it printed.
LOG = re.compile(
    "|".join(
        (
            r"\s*[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ,]+\d\d?:\d\d",
            rf"\s*[\[(]?\d{{4}}[-/]\d\d[-/]\d\d\S*\s+[\[(<]?{_LEVEL}\b",
            r"\s*\[?\d{1,2}[./]\d{1,2}[./]\d{2,4},? \d{1,2}:\d\d",
            r"\s*[\[(]\d{1,2}:\d\d(:\d\d)?([.,]\d+)?(\s?[AP]M)?[\])]|\s*\d{1,2}:\d\d:\d\d([.,]\d+)?\s",
            r"\s*(Mon|Tue|Wed|Thu|Fri|Sat|Sun)?,? ?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}\s+\d\d:\d\d:\d\d",
            rf"\s*[\[(<]{_LEVEL}[\])>]|\s*(TRACE|DEBUG|INFO|ERROR|FATAL|CRITICAL)\b[:\s]|\s*WARN(ING)?(:\S|\s{{1,2}}[\w\[(])",
            r"E\s{2,}\S|\+\s+\S|[IWEF]\d{4} \d\d:\d\d|<\d{1,3}>\S",
            r"\s*(info|debug|warn|trace|notice|fatal)\s*[:|]\s|\s*\d{1,3}(\.\d{1,3}){3} - ",
            r"\s*(npm (ERR!|WARN|error|warn)|yarn (error|warn)|make(\[\d+\])?: |bash: |zsh: |sh: |fatal: |error(\[\w+\])?: "
            r"|warning(\[\w+\])?: |remote: |panic: |goroutine \d|Caused by: |Exception in thread|Traceback \(most recent"
            r"|thread '[^']*' panicked|Suppressed: |::(error|warning|notice|debug)|##\[\w+\])",
            r"\s*Error: |\s*([A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(Error|Exception|Warning|Interrupt)(:\s|$)",
            r"\s+at .+[):\d]$|\s+File \".*\", line \d+|\s*-->\s+\S+:\d+|\s*\d+\s+\|\s|\s*\|\s*\^",
            r"\s*[\w./\\-]{1,120}\.\w{1,5}(:\d+(:\d+)?[:-]|\(\d+(,\d+)?\): )\s?\S"
            r"|\s*= (help|note|warning): |\s*(FAILED|PASSED|SKIPPED|XFAIL|XPASS)\s+\S+(::|/)",
            r"\s*={3,}.*={3,}$|\s*-{3,} .*\S -{3,}$|[\w.-]+[-_]\d+\s+\|\s",
            r"\s*[{\[]\s*\".*[}\],]\s*$|commit [0-9a-f]{7,40}\b|diff --git |index [0-9a-f]{7,}\.\.|@@ .* @@|(---|\+\+\+) [ab]/",
        )
    )
)
TYPED = re.compile(
    r"\s*(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+[^$#%\n]{0,80}[$#%]|[$❯➜]|PS [^>\n]+>|[A-Z]:\\[^>\n]*>|In \[\d+\]:|irb\S*>)\s+\S"
)
DIFF = re.compile(r"diff --git |@@ .* @@|--- [ab]/")
OF_DIFF = re.compile(r"[ +\-@\\]|diff |index |new file|deleted file|similarity|rename |$")

# What introduces the words of others, up to a colon.
_PRINTED = (
    r"(?:log(?:s| ?files?)?|outputs?|(?:error )?messages?|errors?|warnings?|trace ?backs?|stack ?traces?|console|terminal|shell"
    r"|exception|response|result|server|compiler|linter|build|CI|tests?|test run|pipeline|job)"
)
_FILE = (
    r"(?:(?<![\w./-])[\w./-]{1,80}\.(?:md|mdx|txt|rst|adoc|log|html?|pdf|json|ya?ml|toml|cfg|ini|py|js|ts|go|rs|java)\b"
    r"|https?://[^\s:]{1,200}(?::\d+)?[^\s:]{0,200})"
)
_WRITTEN = (
    rf"(?:read ?me|(?:web|home|wiki|front|landing|man)? ?page|(?:web ?)?site|docs?|documentation|article|blog(?: ?post)?|post"
    rf"|wiki|manual|guide|tutorial|spec(?:ification)?|rfc|changelog|(?:release )?notes|issue|ticket|(?:review )?comments?"
    rf"|pull request|PR|e-?mail|mail|letter|chat|slack|thread|transcript|conversation|snippet|text|excerpt|passage|paragraph"
    rf"|sub-?agent|quot(?:e|ation)|source|files?|contents?|header|policy|contract|(?:bug )?report"
    rf"|package|library|vendor|author|{_FILE})"
)
_SAYS = (
    r"(?:says?|said|reads?|states?|stated|tells? (?:me|us|you)|told (?:me|us)|wrote|writes?|shows?|showed|prints?"
    r"|printed|reports?|reported|claims?|outputs|returns?|returned|responded|replied|answered|answers?"
    r"|complains?|contains?|goes|quotes?)"
)
_NO_WISH = r"(?:(?!should|must|shall|will|can|could|to\b|not\b|never\b|always\b)[\w'-]+\s+){0,4}"
_COLON = r"(?:\s+(?:that|this|the following|as follows))?\s*[*_`\"”)]*\s*[:：]"
_HERE = (
    r"(?:here(?:'s|’s| is| are| comes?| goes)|below (?:is|are)|quot(?:e|ing|ed from)|according to|(?<![\w ] )from"
    r"|attached(?: is)?|(?:this|that) is)"
)
_PAPER = (
    rf"(?:read ?me|(?:web|home|wiki|front|landing|man)? ?page|(?:web ?)?site|docs?|documentation|article|blog(?: ?post)?"
    rf"|wiki|manual"
    rf"|guide|tutorial|spec(?:ification)?|rfc|changelog|comments?|e-?mail|mail|letter|transcript|snippet|excerpt|passage"
    rf"|quot(?:e|ation)|contents?|policy|logs?|outputs?|(?:error )?messages?|stack ?trace|{_FILE})"
)
_AND = rf"(?:{_PRINTED}|{_WRITTEN})"
_OTHERS = (
    r"(?:sagt|schreibt|schrieb|steht|heißt es|lautet|meldet|zeigt|dit|écrit|indique|affiche|dice|pone|escribe|muestra|scrive"
)
_OTHERS += r"|mostra|diz|escreve|zegt|schrijft|toont|staat|mówi|pisze|säger|skriver|говорит|пишет|написано|сообщает|гласит)"
INTRODUCED = _any_of(
    rf"\b{_AND}\b[*_`\"”)]*\s+{_NO_WISH}{_SAYS}\b{_COLON}",
    r"(?<!\bI\s)(?<!\bwe\s)(?<!\byou\s)\b(?!I\b|we\b|you\b|should\b|must\b|to\b|will\b)[\w’']+\s+"
    rf"(?:says|said|wrote|writes|told me|tells me)\s*{_COLON}",
    rf"\b{_HERE}\s+(?:(?!my\b|our\b|what\b|how\b)[^\s.:!?]{{1,40}}\s+){{0,3}}[*_`\"“]*{_PAPER}\b[*_`\"”]*\s*[*_`]*[:：]",
    r"\b(?:text|contents?|body|wording|message|output|sentence|paragraph|line)\s+(?:\w+\s+){0,3}(?:is|was|are|were)\s*[:：]",
    rf"\b{_OTHERS}\b[^.:!?\n]{{0,30}}[:：]",
    r"(?:说|說|写道|寫道|显示|顯示|写着|寫著|에 따르면|diyor ki|によると|とあり\w*|書いてあ\w*|言う)[^：:\n]{0,10}[:：]",
    *reports.HEADS,
)
# In an answer: what others wrote in a sentence of the agent's, behind a heading that names them, and before its own words.
_OTHER = rf"(?:{reports.OTHER}|{reports.PAPER})"
REPORTED = reports.REPORTED
END = re.compile(
    r"[.!?][\"”)]*(?=\s|$)\s*|\n(?=\s*(?:[-*+•#|]|\d{1,3}[.)]\s))"  # of a sentence, or of an item
    r"|[,;]\s+(?:(?:and )?so|hence|therefore|which is why)\s+(?=I\b)"  # and before what its writer made of it
)
HEADING = re.compile(r"\s*(?:(#{1,6})\s+\S|\*\*[^*\n]{1,90}\*\*:?\s*$)")
SPEAKER = _any_of(
    rf"\b{_OTHER}\b[*_`\"”)]*\s+{_SAYS}\b",
    rf"\b(?:according to|quot(?:e|es|ed|ation|ations|ing)"
    rf"|excerpts?|text|wording|contents?|words|verbatim)\b(?:\s+[^\s.:!?]{{1,40}}){{0,4}}\s+[*_`\"“]*{_OTHER}\b",
    rf"^\W*from (?:the |an? |its |their )?(?:[^\s.:!?]{{1,40}}\s+){{0,2}}[*_`\"“]*{_OTHER}\W*$",
)
DOCUMENT = re.compile(rf"\b{_OTHER}\b", re.I)
OWN = re.compile(
    r"\W*(?:I|I['’](?:m|ve|ll|d)|my|so|thus|hence|therefore|in (?:short|summary|other words)|overall|based on|that|this"
    r"|given|now|next|but"
    r"|however|with that|what (?:i|this|that)|here(?:['’]s| is)|done|conclusion|verdict|summary|you|your"
    r"|nothing|none|no change)\b",
    re.I,
)
# The same of a person, who has something read.
_MATERIAL = (
    r"info|information|contents?|text|markdown|copy|draft|document|prompt|transcript|conversation|chat|paragraphs?|sections?"
)
PASTED = _any_of(
    *reports.LEADS,
    r"^\W*(?:please )?(?:summari[sz]e|translate|proof-?read|explain|review|analy[sz]e|interpret|paraphrase|rephrase)\s*[:：]",
    r"\b(?:found|got|read|see|copied|pasted)\b[^.!?:\n]{0,30}\bthe following\b[^.!?:\n]{0,40}[.:：]\s*$",
    r"\b(?:here(?:'s|’s| is)|this is) what (?:i|we) (?:get|got|see|saw)\b[^.:!?\n]{0,30}[:：]",
    rf"\bi (?:got|received|have|found|see) (?:this|the following|an?) (?:[\w-]+ ){{0,2}}{_PAPER}\s*[:：]",
    rf"^\W*(?:the )?{_AND}(?: is| are)? (?:below|attached|follows)\W*$",
    rf"^\W*(?:(?:the|this|an?|full|complete|whole|entire)\s+)*(?:{_PRINTED}|read ?me|(?:web ?)?page|article|e-?mail|transcript"
    rf"|{_FILE})\W*[:：]\s*$",
    r"\b(?:summari[sz]e|translate|proof-?read|explain|review|analy[sz]e|interpret|paraphrase|rephrase)\b[^.!?:\n]{0,40}"
    r"\b(?:this|these|it|the following|below)\b[^.!?:\n]{0,30}[:：]",
    r"\b(?:what does|what do you think of|what is)\b[^.!?:\n]{0,40}\b(?:this|that|the following)\b[^.!:\n]{0,30}[:：]",
    rf"\b(?:{_MATERIAL}) (?:from )?below\b[^.!?:\n]{{0,40}}[:：]\s*$",
    rf"\b(?:take|use|turn|convert|split|save|put|add|insert|append|paste|copy|store|file)\s+(?:the\s+)?"
    rf"(?:below|(?:{_MATERIAL}) below|following (?:{_MATERIAL}))\b[^.!?:\n]{{0,80}}[.:：]?\s*$",
    r"\b(?:add|put|insert|append|paste|save|copy|store|write)\s+th(?:is|ese)(?:\s+(?:in)?to|\s+under|\s+in|\s+as)\b[^.!?:\n]{1,60}[.:：]?\s*$",
    r"\b(?:here(?:'s|’s| is| are)|(?:this|that) is|these are|i(?:'m| am)? (?:have|had|read|getting|got|get|see"
    r"|found|copied|pasted)"
    r"|we (?:get|got|see)|pasted?|copied|from|in|per|attached|(?:the )?following|look at|check|see|read|consider)\b"
    rf"\s+(?:(?!my\b|our\b)[^\s.:!?]{{1,40}}\s+){{0,6}}[*_`\"“]*{_AND}\b[*_`\"”]*"
    r"(?:\s+(?!should\b|must\b)[^\s.:!?]{1,40}){0,5}"
    r"\s*[*_`]*[:：]\s*$",
)
_DOCUMENT = (
    r"(?:e-?mail|mail|nachricht|brief|datei|seite|webseite|log|ausgabe|fehlermeldung|text|readme|ticket|artikel|doku(?:mentation)?"
    r"|courriel|message|lettre|fichier|page|texte|journal|sortie|correo|mensaje|carta|archivo|página|texto|registro|artículo"
    rf"|messaggio|lettera|pagina|testo|bericht|bestand|article|{_FILE})"
)
PASTED_ABROAD = _any_of(  # without English words
    r"^\W*(?:hier|das|dies|anbei|unten|voici|voilà|ci-dessous|aquí|ecco|aqui|hierbij|oto|här)\b"
    rf"(?:(?!\b(?:mein|unser|mes|mon|nos|notre|mis?|nuestr)\w*\b)[^.!?:\n]){{0,60}}\b{_DOCUMENT}\b(?!-)[^.!?:\n]{{0,40}}[:：]\s*$",
    rf"^\W*(?:die|der|das|el|la|le|il|lo|o|a|de|het|l['’])\s*{_DOCUMENT}\s+(?:von|vom|des|der|aus|de|du|del|di|da|van)\b"
    r"[^.!?:\n]{0,60}[:：]\s*$",
    r"^\W*(?:(?:full|raw|file|the)\s+)*(?:contents?|text|body|source|excerpt|copy) (?:of|from)\s+(?:[^\s:]{1,40}\s+){0,4}"
    rf"[*_`\"]*{_AND}\b[*_`\"]*\s*[:：]\s*$",
)
PRINTED = re.compile(rf"\b{_PRINTED}\b", re.I)

# Marks of quotation: what opens, and what may close it. Where one of the second sort has no end, it opens nothing.
PAIRS = {
    '"""': ('"""',), "'''": ("'''",), "“": ("”", "“", '"'), "„": ("“", "”", '"'), "«": ("»",), "»": ("«",),
    "‹": ("›",), "「": ("」",), "『": ("』",), "《": ("》",), "〝": ("〞", "〟"), "❝": ("❞",), "＂": ("＂",),
    "‟": ("”",), "”": ("”",), "‘": ("’",), "‚": ("‘", "’"), "``": ("''", "``"),
}  # fmt: skip
OPENING = re.compile(
    r"\"\"\"|'''|[“„«‹「『《〝❝＂‟]|(?<!\w)[”»](?=\w)|(?<!\w)[‘‚](?=\S)|(?<![\w\\])[\"](?=\S)|(?<![\w\\])'(?=\w)|`+"
)
APOSTROPHES = ("'", "‘", "‚")

# A prompt that stands in quotation marks as a whole: `opencode run` puts them around what it was given.
COMMAND_LINE = re.compile(r'(\s*")((?:[^"\\]|\\.)+)("\s*)', re.DOTALL)
