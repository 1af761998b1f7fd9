# ruff: noqa: E501 (a sign is one line)
"""Orders to a model: texts that want to be obeyed by whoever reads them.

A text is read as words of no known language: hidden characters gone, look-alike letters made Latin, letters that stand apart or
as digits joined. Then each sign is a few groups of words that stand near each other in this order or any. A sign marks, and ranks
down; it hides nothing: docs/security.md says how much is found, and how often in vain.
"""

from __future__ import annotations

_NEAR = 12  # words within which the groups of a sign stand
_LONGEST = 20_000  # characters that are looked at with care; of a longer text the beginning and the end
_LOOK_ALIKE = str.maketrans("аеорсухіјѕԁһӏαορνκτιеѐ", "aeopcyxijsdhlaopvktiee")
_DIGITS = str.maketrans("0134578@$", "oieastbas")
_DISGUISED = 2_000  # characters up to which letters are taken for others

_MODEL = (
    "ai ais assistant assistants llm llms model models agent agents chatbot bot claude gpt chatgpt copilot cursor codex gemini"
)
_IGNORE = """ignore ignoring disregard disregarding forget forgetting override overriding overrule bypass bypassing neglect discard
dismiss abandon skip omit supersede supersedes cancel void nullify unlearn erase drop invalidate reset"""
_EARLIER = """previous prior above earlier preceding foregoing former existing original initial all any your these those other
system current past older every developer safety security everything"""
_RULES = """instruction instructions directive directives direction directions guideline guidelines prompt prompts rules rule
constraints restrictions commands command programming training guardrails policy policies safeguards orders told context filters"""
_SECRET = """token tokens password passwords credential credentials secret secrets env key keys cookie cookies ssh wallet
id_rsa aws environment kubeconfig netrc passwd"""
_SEND = """send post upload exfiltrate forward email transmit leak push publish paste append curl encode embed copy fetch submit
include report share print reveal output collect"""
_TELL = "tell mention inform notify alert reveal disclose show report ask telling mentioning informing notifying asking warn say explain"
_USER = "user person human anyone them developer operator owner him her nobody maintainer reviewer people"
_EXTRACT = """reveal print show output repeat display dump leak expose disclose recite summarize translate share tell give return
reproduce quote write say list paste send"""

# A sign: groups of words, of each of which one stands near the others.
_SIGNS = tuple(
    tuple(frozenset(group.split()) for group in sign)
    for sign in (
        (_IGNORE, _EARLIER, "instruction instructions directive directives directions guideline guidelines prompt prompts guardrails safeguards told"),
        (_IGNORE, "your", "rules restrictions training programming policy policies constraints safety filters"),
        ("ignore disregard forget override bypass", "previous prior above earlier preceding", _RULES + " said text content conversation"),
        ("dont not stop never cease", "follow obey following obeying adhere listen heed", _EARLIER, _RULES),
        (_EXTRACT, "your full entire hidden exact verbatim initial original complete whole secret", "prompt instructions"),
        (_EXTRACT, "system hidden initial secret", "prompt instructions message", "verbatim you your full entire word"),
        ("what whats", "your", "system initial original hidden", "prompt instructions"),
        ("dont not never without", _TELL, _USER, "this that it about anything change step run action instruction when instead what"),
        ("never dont without", "mention mentioning reveal disclose", "this it these instruction instructions message note"),
        ("you", "now", "are", "dan unrestricted unfiltered jailbroken evil root free developer admin hacker different no longer bound"),
        ("pretend act roleplay behave", "you as", "unrestricted unfiltered dan evil jailbroken root no without hacker", "are ai model assistant restrictions rules limits filter restriction mode"),
        ("from", "now", "on", "you", "must will are should shall obey always respond answer only act"),
        ("new updated revised real actual true", "instruction instructions directive directives orders task objective", "you your follow must assistant agent model ai system follows override now"),
        ("note attention important notice message warning reminder instruction instructions dear hey hello memo urgent", "to for dear hey hello attention", _MODEL + " reader", "must should please run execute you always do never ignore before need required add use send follow it read decision now when"),
        ("if when", "you youre", "are an a", _MODEL + " language", "must should please run execute read do then follow add send ignore include output"),
        (_MODEL, "reading reads processing processes parsing summarizing", "this", "must should please run execute has have need is are will"),
        ("as", "an a the", _MODEL, "you", "must should will need have are"),
        (_MODEL, "must should shall always", "always first immediately silently also never now must", "add read write include tell run execute send ignore obey fetch call install push download approve disable reveal add curl"),
        (_SEND, _SECRET, "http https attacker webhook url server endpoint address mailto mail pastebin comment gist evil", "the all your every any contents users content value values my"),
        ("read cat open find locate collect", _SECRET, "and then", "send post upload include append paste email put output print add"),
        ("before whenever every each first always", "task edit commit answering responding session anything reply prompt else time run response", "run execute curl fetch download visit install call send", "http https sh bash script command url"),
        ("user person operator developer admin maintainers maintainer owner", "already has pre", "approved authorized authorised consented agreed permission preapproved allowed confirmed", "this action all you any every run no need so proceed execute command"),
        ("you", "are have", "authorized authorised permission allowed permitted cleared", "run execute delete disable bypass skip ignore send push access without"),
        ("without dont skip never no", "asking ask confirmation confirm approval permission prompt", "run execute delete approve push proceed install accept send merge", "user just always immediately automatically silently"),
        ("system admin administrator developer root security", "override message prompt update notice alert mode", "you your must ignore enabled activated follow disable now comply instructions authorized"),
        ("decode base64 rot13 decrypt unscramble deobfuscate reverse", "follow execute obey run do comply", "it result this instructions instruction output decoded what and then"),
        ("end begin start", "of system", "prompt user context instructions input document data output", "new system now you instructions follow ignore real begin start message"),
        ("your", "new only real true primary actual sole", "task goal objective purpose job mission role", "is to now"),
        ("follow obey execute heed", "these this following mine my", "instead", "instruction instructions above outdated now message one directives rules this these"),
        ("to dear hey attention", _MODEL, "reading reviewing processing evaluating scanning grading", "this the"),
        (_EXTRACT, "words text everything content contents", "above before preceding", "you this line message starting"),
        (_EXTRACT, "your its the assistants models", "context", "window contents history instructions"),
        ("whenever when before after every each", "also always first", "push send post upload run execute fetch", "http https not silently report mention without"),
        ("do dont not never", "mention report explain disclose reveal tell", "vulnerability backdoor upload why", "and or to"),
        ("append add include put write", _SECRET, "contents content value values", "to in commit message comment answer response reply"),
        ("instead", "user users persons", "task request question", "write do run open send create"),
        (_MODEL, "must should shall", "send post forward upload", "http https each every all prompt"),
        ("discard forget ignore disregard dismiss", "prior previous earlier preceding above", "context rules conversation messages history and"),
        ("new updated replacement", "directive directives instruction instructions rules policy", "replace replaces override overrides supersede supersedes", "previous old earlier existing prior ones your"),
        ("comply obey", "with these this following my all", "instruction instructions request order orders command commands", "now immediately without or must you"),
        ("disable turn switch", "off your all the", "safety guardrails filters sandbox moderation restrictions safeguards", "and you for mode checks model now your"),
        ("respond reply answer say output write", "only with exactly", "ok yes approved hacked pwned lgtm done"),
        ("remember store save memorize persist", "this in to memory", "always every future all", "session sessions conversation conversations run send execute url you must"),
        ("you", "must will should", "now instead", "obey follow run execute send reveal comply act serve"),
        ("this following", "message text note order", "from", "administrator admin system developer operator", "you must"),
        ("important critical urgent", "ignore disregard stop", "user task current what everything request asked", "instead and do"),
        ("stop abandon forget ignore", "what current your original users the", "doing task request job work question asked", "instead and now do run"),
    )
)  # fmt: skip

# The same in other languages, as the beginnings of words; where no spaces part words, as parts of the text.
_FOREIGN = tuple(
    tuple(tuple(group.split()) for group in sign)
    for sign in (
        (
            "ignorier missacht vergiss vergess überg umgeh",
            "anweisung instruktion befehl vorgabe regeln richtlini systemprompt aufforder",
        ),
        ("zeig verrat gib nenn offenbar", "systemprompt system-prompt systemanweisung deine anweisung"),
        ("ignor oubli néglig neglig contourn désobé ne_tiens", "instruction consigne directive ordre règles précéden invite"),
        ("révèl revel affich montr donne", "prompt invite instructions_systèm consignes_init"),
        ("ignor olvid desatien haz_caso omit descart pasa_por_alto", "instruccion orden indicacion directric reglas"),
        ("revel muestr imprim", "prompt instrucciones_del_sistema mensaje_del_sistema"),
        ("ignor esqueç esquec desconsider desobede", "instruç instruc ordens diretriz regras comandos"),
        ("ignor dimentic trascur tralasci disattend", "istruzion direttiv regole ordini comandi"),
        ("negeer vergeet sla_over", "instructie opdracht regels aanwijzing"),
        ("zignoruj ignoruj zapomnij pomiń pomin", "instrukcj polece zasad wytyczn reguł"),
        ("ignorer ignorera glöm glem bortse se_bort", "instruktion instruks regler anvisning instruksj"),
        ("игнорир забуд проигнорир не_обращай пренебр отмени", "инструкци указани правил команд распоряжен приказ"),
        ("покаж раскро выведи", "системн промпт инструкци"),
        ("ігнору забуд проігнору", "інструкці вказівк правил команд"),
        ("yoksay yok_say unut görmezden dikkate_alma", "talimat yönerge komut kural"),
        ("ignoruj zapomeň zapomen", "pokyn instrukc pravidl příkaz"),
        ("ignoră uită ignora", "instrucțiun instrucţiun ordine regul"),
        ("abaikan lupakan", "instruksi perintah aturan petunjuk arahan"),
        ("bỏ_qua quên phớt_lờ", "hướng_dẫn chỉ_dẫn lệnh quy_tắc chỉ_thị"),
        ("unohda jätä sivuuta ohita", "ohje käsky sääntö"),
        ("αγνόησε ξέχασε αγνοήστε", "οδηγί εντολ κανόν"),
        ("忽略 无视 無視 忘记 忘記 不要理会 不要遵 绕过 覆盖 忽視 跳过", "指令 指示 说明 說明 提示词 規則 规则 要求 命令 限制"),
        ("显示 输出 泄露 告诉我 顯示 透露 打印", "系统提示 系統提示 提示词"),
        ("無視 忘れ 従わない 破棄 上書き", "指示 命令 ルール プロンプト 規則 指令"),
        ("무시 잊어 잊고 따르지", "지시 명령 지침 규칙 프롬프트"),
        ("تجاهل انس انسى تخطى", "التعليمات تعليمات الأوامر القواعد الإرشادات"),
        ("התעלם שכח התעלמו", "ההוראות הוראות הכללים ההנחיות"),
        ("अनदेखा नज़रअंदाज़ भूल नजरअंदाज उपेक्षा", "निर्देश आदेश नियम"),
        ("ละเว้น เพิกเฉย ลืม ไม่ต้องสนใจ", "คำสั่ง คำแนะนำ กฎ"),
        ("উপেক্ষা ভুলে", "নির্দেশ নিয়ম"),
        ("نادیده فراموش", "دستور قوانین"),
    )
)
# Of these languages, some orders can be written in ASCII.
_FOREIGN_ASCII = tuple(
    kept
    for verbs, nouns in _FOREIGN
    if all(kept := (tuple(verb for verb in verbs if verb.isascii()), tuple(noun for noun in nouns if noun.isascii())))
)
_LITERAL = (
    "do anything now", "jailbreak", "developer mode enabled", "god mode enabled", "dan mode", "<|im_start|>", "<|im_end|>", "[inst]", "<<sys>>",
    "<system-reminder>", "</tool_result>", "</system>", "<system>", "### instruction", "### system", "\nsystem: you", "\nhuman:", "\nassistant:",
    "dangerously-skip-permissions", "auto-approve all", "this is not part of the data", "you have been reprogrammed", "no longer bound by", "set aside your",
    "begin new instructions", "end of untrusted", "system override", "keep this secret from", "print your system prompt", "bypass safety",
)  # fmt: skip
_WORDS = frozenset(word for sign in _SIGNS for group in sign for word in group)
_BY_FIRST: dict[str, list[tuple[frozenset[str], ...]]] = {}
for _sign in _SIGNS:
    for _word in _sign[0]:
        _BY_FIRST.setdefault(_word, []).append(_sign)
_SPACES = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


def gives_orders(text: str) -> bool:
    """True where a text reads like an order to a model, in whatever case, spacing and script."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}\n{text[-_LONGEST // 2 :]}"
    plain = text.lower() if text.isascii() else _plain(text)
    places = f"\n{plain}", " ".join(plain.split())
    if any(literal in place for literal in _LITERAL for place in places):
        return True
    for reading in _readings(plain):
        words = _words(reading)
        if _has_sign(words) or _has_foreign_sign(reading, words):
            return True
    return any(gives_orders(hidden) for hidden in _decoded(text))


def _plain(text: str) -> str:
    """Returns a text in small letters, compatible ones as one, without what has no width."""
    import unicodedata

    return "".join([char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf"]).lower()


def _readings(text: str) -> list[str]:
    """Returns a text as it is, and as it reads with look-alikes made letters and letters joined that stand apart."""
    readings = [text]
    if len(text) > _DISGUISED:
        return readings
    if not text.isascii():
        readings.append(text.translate(_LOOK_ALIKE))
    if any(digit in text for digit in "0134578@$"):
        readings.append(text.translate(_DIGITS))
    if sum([len(word) == 1 for word in text.split()]) > 8:
        readings.append(" ".join(["".join(word.split()) for word in text.split("  ")]))
    readings += [text.replace(sign, "") for sign in ".-_*|·•" if text.count(sign) > 10]
    return list(dict.fromkeys(readings))


def _words(text: str) -> list[str]:
    text = text.replace("'", "").replace("’", "")
    if text.isascii():
        return text.translate(_SPACES).split()
    import unicodedata

    return "".join(
        [char if char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M" else " " for char in text]
    ).split()


def _has_sign(words: list[str]) -> bool:
    """True where for one sign a word of each of its groups stands among a few words."""
    places = [(index, word) for index, word in enumerate(words) if word in _WORDS]
    for start, (first, word) in enumerate(places):
        signs = _BY_FIRST.get(word)
        if signs:
            near = {word for index, word in places[start : start + _NEAR] if index - first < _NEAR}
            if any(_covers(sign, near) for sign in signs):
                return True
    return False


def _covers(sign: tuple[frozenset[str], ...], near: set[str]) -> bool:
    """True where each group of a sign has a word of its own in `near`."""
    used: set[str] = set()
    for group in sorted(sign, key=len):
        free = (group & near) - used
        if not free:
            return False
        used.add(min(free))
    return True


def _has_foreign_sign(text: str, words: list[str]) -> bool:
    together = " ".join(words)
    for verbs, nouns in _FOREIGN if not text.isascii() else _FOREIGN_ASCII:
        for verb in verbs:
            at = _place(together, verb)
            if at >= 0 and any(_place(together[max(0, at - 80) : at + 110], noun) >= 0 for noun in nouns):
                return _is_order(verb, together)
    return False


def _is_order(verb: str, text: str) -> bool:
    """True unless the beginning of the verb is English, too, and nothing else of another language stands there."""
    return not verb.isascii() or verb not in ("ignor", "ignorer", "ignora", "revel", "omit", "affich") or not _is_english(text)


def _is_english(text: str) -> bool:
    words = set(text.split())
    return len(words & {"the", "and", "is", "of", "to", "in", "for", "are", "it", "with", "when", "by", "not", "on", "as"}) > 0


def _place(text: str, beginning: str) -> int:
    """Returns where a word begins so, -1 for nowhere; without spaces between words, where the text has it."""
    beginning = beginning.replace("_", " ")
    if ord(beginning[0]) >= 0x0E00:
        return text.find(beginning)
    if text.startswith(beginning):
        return 0
    at = text.find(f" {beginning}")
    return at + 1 if at >= 0 else -1


def _decoded(text: str) -> list[str]:
    """Returns what long words say that are Base64 of text, a few."""
    decoded = []
    for word in [word.strip("\"'`(),.;:") for word in text.split() if 24 <= len(word) <= 4_000][:20]:
        if (
            word.rstrip("=").replace("+", "").replace("/", "").replace("-", "").replace("_", "").isalnum()
            and word.isascii()
            and word.lower() != word != word.upper()
        ):
            from binascii import a2b_base64  # base64 itself imports re

            try:
                plain = a2b_base64(word + "=" * (-len(word) % 4)).decode("utf-8")
            except ValueError:
                continue
            if plain.isprintable() and " " in plain:
                decoded.append(plain)
    return decoded
