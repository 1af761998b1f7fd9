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
# Who speaks in a line of a chat: a first name tells it from the label of a topic. Without those that are languages as well.
_FIRST_NAMES = """
Aaron Abby Adam Adrian Agnes Ahmed Aisha Alan Albert Alejandro Alessandro Alex Alexander Alexandra Alexei Ali Alice Alicia
Alina Amanda Amelia Amy Ana Anastasia Andre Andrea Andreas Andrei Andrew Andrzej Angela Anita Anja Anke Ann Anna Anne Annie
Anton Antonio Anya Arjun Arthur Ben Benjamin Bernd Beth Bill Bjorn Björn Bob Brandon Brenda Brian Bruno Camille Carl Carla
Carlos Carmen Carol Caroline Catherine Cathy Cedric Chen Chloe Chris Christian Christina Christine Christopher Claire Clara
Claudia Cristina Dan Daniel Daniela Dave David Deborah Deepak Dennis Diana Diego Dieter Dirk Dmitri Dmitry Dominik Donald
Doris Dorothy Doug Ed Eduardo Edward Elena Elias Elisa Elizabeth Ella Ellen Emily Emma Eric Erik Erika Esther Eugene Eva Eve
Fabian Fatima Felipe Felix Fernando Fiona Florian Francesca Francesco Francisco Franz Fred Gabriel Gabriela Gary Georg George
Giovanni Giulia Gordon Greg Gregory Guillermo Gunter Günter Hannah Hans Harold Harry Hassan Heidi Heike Helen Helena Helga
Henry Hiroshi Holger Ian Ibrahim Igor Ines Ingrid Irene Irina Isaac Isabel Ivan Jack Jacob Jakob James Jan Jane Janet Javier
Jean Jeff Jennifer Jens Jeremy Jessica Jill Jim Joan Joao Joe Johan Johannes John Jonas Jonathan Jorge Jose Josef Joseph Josh
Joshua José João Juan Judith Judy Justin Jürgen Karen Karin Karl Karsten Kate Katharina Katherine Kathy Katja Katrin Keith
Kelly Ken Kenji Kevin Klaus Kristin Kumar Kurt Lars Laura Lauren Laurent Lea Lena Leo Leon Leonie Linda Lisa Liz Lorenzo Louis
Louise Luca Lucas Lucia Lucy Luis Luisa Lukas Luke Magnus Manuel Marc Marco Marcus Maria Marie Marina Mario Marion Markus
Marta Martha Martin Martina Mary Mateusz Matt Matthew Matthias Maya Megan Mei Melanie Melissa Mia Michael Michaela Michelle
Miguel Mike Mikhail Mohamed Mohammed Monica Monika Muhammad Nadia Nancy Natalia Natalie Natasha Nathan Neil Nicholas Nick
Nicolas Nicole Niklas Nils Nina Noah Nora Norbert Olaf Oleg Olga Oliver Olivia Omar Oscar Otto Pablo Pamela Patricia Patrick
Paul Paula Paulo Pawel Paweł Pedro Peter Petra Philip Philipp Philippe Pierre Piotr Rachel Rafael Rainer Raj Rajesh Ralf
Raquel Raymond Rebecca Renate Ricardo Richard Rita Rob Robert Roberto Robin Roger Roland Roman Ron Rosa Ruth Ryan Sabine Sally
Sam Samantha Samuel Sandra Sanjay Sara Sarah Scott Sean Sebastian Sergei Sergey Sergio Sharon Silvia Simon Simone Sofia Sonia
Sophia Sophie Stefan Stefanie Stephan Stephanie Stephen Steve Steven Sue Sunil Susan Susanne Sven Svetlana Sylvia Takashi
Tanya Tatiana Ted Teresa Thomas Thorsten Tim Timo Timothy Tina Tobias Todd Tom Tomas Tomasz Tony Tracy Ulrich Ulrike Ursula
Uwe Valentina Vanessa Vera Veronica Victor Victoria Viktor Vincent Vladimir Walter Wei Werner Wolfgang Xavier Yang Yasmin Yuki
Yuri Yusuf Yves Zoe""".split()
_ROLE = r"(?:(?:team |tech |project )?lead|manager|boss|cto|ceo|architect|reviewer|maintainer|author|colleague|product owner)"
_SIDE = rf"(?:\s*\([^()\n]{{1,40}}\)|, [^:,\n]{{1,30}})?{_CLOSING}\s?[:：]{_CLOSING}"
_FIRST = r"(?:we|our|ours|us|i|i['’]\w+|we['’]\w+|let['’]s|the team|decision|root cause)"
_SPEAKER = (
    rf"^\W{{0,4}}(?:(?-i:{'|'.join(_FIRST_NAMES)})(?:(?-i: [A-Z][\w.’'-]{{0,20}}))?{_SIDE}(?=\s+\W?(?:{_FIRST}|always|never)\b)"
    rf"|(?:the |our |my )?{_ROLE}(?:(?-i: [A-Z][\w’'-]+))?{_SIDE}(?=\s+\W?{_FIRST}\b))"
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
    _SPEAKER,
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
