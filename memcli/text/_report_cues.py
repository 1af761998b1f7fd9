"""The words by which a sentence of an answer reports what others wrote or said: who they are, and how it says that they did.

Programs that print are no such others: what an agent reads out of their output is its own finding.
"""

from __future__ import annotations

import re

FILE = r"(?<![\w./-])[\w./-]{1,80}\.(?:md|mdx|txt|rst|adoc|html?|pdf)\b"
_LINK = r"https?://[^\s,]{1,200}"
_NUMBER = r"(?:#\d+|(?-i:\b[A-Z][A-Z0-9]+-\d+))"  # of a ticket
# What somebody wrote for others to read, wherever it is named.
PAPER = (
    r"(?:read ?me|(?:web|home|wiki|front|landing|man)? ?page|(?:web ?)?site|docs|documentation|article|blog(?: ?post)?|post|wiki"
    r"|manual|guide|tutorial|rfc|adrs?|decision records?|design docs?|change ?log|release notes|minutes|forum|discussion|thread"
    rf"|chat|slack|transcript|e-?mail|mail|letter|(?:search|web) results?|stack ?overflow(?: answers?)?|{FILE}|{_LINK})"
)
# Who writes, and what else is written, where a verb says that it speaks.
OTHER = (
    rf"(?:{PAPER}|issue|ticket|(?:review |code )?comments?|doc ?strings?|(?:pull|merge) request|PR|MR"
    r"|commit(?: message| body| log)?|notes?|(?:log|error|warning) (?:line|entry|message)|vendor|authors?|maintainers?|reviewers?"
    rf"|colleagues?|team ?mates?|co-?workers?|upstream|sub-?agent|(?:team |tech )?lead|manager|boss|cto|architect"
    rf"|product owner|team|{_NUMBER})"
)
SAYS = (
    r"(?:says?|said|states|stated|(?<=[sy]\s)(?:state|report|claim)|tells? (?:me|us|you)|told (?:me|us|you)"
    r"|wrote|writes?|reports|reported|claims|claimed|explains?|explained|answered|replie[sd]|argues?|argued|mentions?|mentioned|suggests?|suggested"
    r"|recommends?|recommended|proposes?|proposed|advertises?|advertised|advises?|advised|insists?|insisted"
    r"|warns?|warned|asserts?|asserted|concludes?|concluded"
    r"|announces?|announced|declares?|declared|instructs?|instructed|demands?|demanded|puts? it|(?:asks?|asked) [^\s.]+ to"
    r"|(?:shows?|showed|records?|recorded|notes?|noted|documents?|documented|indicates?|indicated|specifies|specified|confirms?"
    r"|confirmed|points? out|pointed out|requires?|required|describes?|described|remarks?|remarked|adds?|added|agrees?|agreed"
    r"|reads?) that|reads?(?=\s+(?:we|i|our|decision|always|never)\b))"
)
# Of somebody whose name alone is given. Programs have names, too, and say what the agent found.
_FIRST_PERSON = r"(?=\s+(?:that\s+)?(?:we|our|i|us|always|never|decision|root cause)\b)"
_NAMED = (
    r"(?:wrote|writes|told (?:me|us)|tells (?:me|us)|mentions|mentioned|argues|argued|insists|insisted|replied|answered"
    rf"|proposed|thinks?|believes?|wants? us to|asked us to"
    rf"|(?:says?|said|claims?|claimed|reports?|reported|explains?|explained){_FIRST_PERSON})"
)
_NO_NAME = (
    r"(?!(?:I|We|You|It|This|That|These|Those|The|There|Here|What|Which|Who|Whoever|How|When|While|As|If|But|And|So|Now|Then|Also"
    r"|Nothing|Everything|Nobody|Both|Each|Neither|User|My|Our|Your|Test|Tests|Claude|Codex|Gemini|Copilot)\b)"
)
_PART = r"(?:\s+(?:entry|section|chapter|page|paragraph|line|thread)s?)?"
_WORD = r"(?:[^\s.,:!?]|\.(?=[^\s])){1,40}"
_PLACE = rf"(?:\s+(?:in|on|of|at|from|by|for|to|via|above|below)\s+(?:{_WORD}\s+){{0,3}}?{_WORD})?"
_CLOSING = r"[*_`\"”)]*"
_OWN = r"(?!my\b|our\b|I\b|we\b|you\b)"
REPORTED = re.compile(
    rf"\b{OTHER}{_PART}(?:\s+#?\d[\d.]*)?{_CLOSING}{_PLACE}\s+(?:also |clearly |explicitly |itself |even |then )?{SAYS}\b"
    r"(?:\s+that\b)?(?=\s+\S)(?!\s*[:：])"
    rf"|(?:^|(?<=[.!?;,]\s)|\b(?:and|but|because)\s)(?:they|she|he|people|some(?:body|one)|every(?:body|one))\s+(?:also )?"
    rf"{_NAMED}\b{_PLACE}(?:\s+that\b)?(?=\s+\S)(?!\s*[:：])"
    rf"|(?-i:\b{_NO_NAME}[A-Z][\w’'-]{{1,20}}(?:\s[A-Z][\w’'-]{{1,20}})?)\s+(?:also )?{_NAMED}\b"
    rf"{_PLACE}(?:\s+that\b)?(?=\s+\S)(?!\s*[:：])"
    r"|\b(?:according to|as per|per(?=\s+(?:the|this|that|its|their)\b|\s+[`#])|in the words of|laut|selon|según|secondo|volgens"
    r"|as (?:stated|written|described|documented|recorded|noted|explained|mentioned|discussed|decided|agreed|recommended"
    rf"|suggested) (?:in|by|on|at))\s+(?:{_OWN}[^\s.,:!?]{{1,40}}\s+){{0,4}}[*_`\"“]*{OTHER}\b{_CLOSING}"
    rf"|\bas\s+{_OWN}(?:[^\s.,:!?]{{1,40}}\s+){{0,3}}(?:{OTHER}|(?-i:[A-Z][\w’'-]+))\s+{SAYS}\b"
    rf"|^\W{{0,4}}(?:{FILE}|@\w[\w-]{{0,38}})\s?:{_CLOSING}\s+(?=(?:we|our|the team|decision|root cause)\b)",
    re.I | re.M,
)
# What a line introduces that stands behind or below it.
_GIST = (
    r"(?:tl;?\s?dr|summary|key (?:points?|takeaways?|findings?)|highlights?|takeaways?|main points?|gist|recap|excerpts?|points"
    r"|quotes?|conclusions?|recommendations?|advice|lessons|rules|instructions|notes)"
)
_ARTICLE = r"(?:(?:the|this|that|an?|its|their)\s+)?(?:[^\s.,:!?]{1,40}\s+){0,3}?"
_OF_PAPER = rf"(?:{PAPER}|(?:issue|PR|ticket|pull request) {_NUMBER}|{_NUMBER}|(?:issue|PR|ticket) thread)"
_REPLY = r"(?:answer|reply|response|advice|verdict|suggestion|recommendation|opinion|position|comment|message|words|conclusion)"
HEADS = (
    rf"^\W*{_GIST} (?:of|from|in|by|on) {_ARTICLE}[*_`\"“]*{_OF_PAPER}{_CLOSING}\s*[:：](?=\s|$)",
    rf"^\W*(?:from|quoting|per|according to) {_ARTICLE}[*_`\"“]*{_OF_PAPER}{_CLOSING}\s*[:：](?=\s|$)",
    r"(?<![\w./-])[\w./-]{1,80}\.\w{1,5}\b[*_`\"”)]*\s+(?:has|have|had|contains?|carries|starts with|ends with)\s+"
    r"(?:[^\s.,:!?]{1,40}\s+){0,3}?"
    r"(?:comments?|doc ?string|note|paragraph|section|sentence|passage|todo)(?:\s+[^\s.,:!?]{1,40}){0,4}\s*[:：](?=\s|$)",
    r"(?:^\W*|[.!?;]\s+|\b(?:is|was|found|saw|see) )(?:an?|the|this|one|another)\s+(?:[^\s.,:!?]{1,40}\s+)?"
    r"(?:comment|doc ?string|paragraph|sentence|passage) (?:in|at|above|of|on|from|near|below)\s+"
    r"(?:[^\s.,:!?]{1,40}\s+){0,3}?[^\s:]{1,40}\s*[:：](?=\s|$)",
    rf"\b(?:it|they|he|she|{OTHER}){_CLOSING}\s+(?:also\s+)?(?:{SAYS}|lists?|listed|gives?|gave)\s+(?:the following|as follows"
    r"|these\b[^.:!?\n]{0,30})[^.:!?\n]{0,40}[.:：]\s*$",
    rf"\b{OTHER}{_PART}{_CLOSING}{_PLACE}\s+(?:also\s+)?(?:{SAYS}|continues|goes on|adds)(?:\s+(?:it|this|so))?\s*[:：](?=\s|$)",
    rf"\b{_REPLY} (?:of|from|by) {_ARTICLE}{OTHER}{_CLOSING}\s*[:：](?=\s|$)|\b{OTHER}['’]s? {_REPLY}\s*[:：](?=\s|$)",
    r"\bfiles?\s+(?:continues|goes on)\s*[:：](?=\s|$)",
)
# What a person has read that stands below a line, whether or not it ends in a colon.
LEADS = (
    rf"^\W*(?:here(?:'s|’s| is| are| comes?)|this is|below is|attached is)\s+{_ARTICLE}[*_`\"“]*{PAPER}{_CLOSING}\W*$",
    rf"^\W*(?:this|that|here) is what\s+{_ARTICLE}[*_`\"“]*{OTHER}{_CLOSING}\s+(?:{SAYS}|reads?)\W*$",
    rf"^\W*{_ARTICLE}[*_`\"“]*{PAPER}{_CLOSING}\s+(?:{SAYS}|reads?)(?: (?:that|this|the following))?\W*$",
    r"^\W*(?-i:[A-Z])[\w.’'-]{1,30}(?:['’]s (?:take|answer|reply|response|suggestion|advice|plan|opinion)"
    r"|\s+(?:suggest|recommend|propose|advise|answer)(?:s|ed|d)?(?:\s+(?!to\b)[^\s.:!?]{1,40}){0,4})\s*[:：](?=\s|$)",
    r"^\W*[\w.-]{2,40}\s+(?:suggest|recommend|propose)(?:s|ed|d)\s+(?:this|the following)\b[^.!?\n]{0,40}$",
)
