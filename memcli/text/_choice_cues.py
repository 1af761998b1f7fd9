"""The words by which a person chooses, and says why."""

from __future__ import annotations

from memcli.text import _cues_other_languages as _languages
from memcli.text._cues import any_of

CHOICE = any_of(
    r"\blet(?:'?s| us) (go with|use|keep|stick with|switch to)\b",
    r"^(ok,? |yes,? |no,? )?(go with|stick with|keep|use) (?!(it|this|that|them|those)\b)",
    r"^(ok,? |yes,? |no,? )?(please )?(ignore|skip|leave out) (number |point |item |step |option )?#?\d",
    r"\b(i|we)('ve| have)? decided\b|^((so|then),? )*we('ll| will)? (use|keep|go with|stay (with|on)|stick with|drop|do without|"
    r"ship (with|without)|live with)\b",
    r"^((ok|okay|yes|no|then|good|great|fine|sounds good)[,.! ]+)*(let'?s )?(do|take|use|go (with|for)|pick) (your |the )?"
    r"((first|second|third|last|other|simple\w*) (\w+ )?(one|option|variant|approach|version|suggestion|solution|way)|"
    r"(option|variant|approach|number|plan) \w+)\b",
    r"\blet'?s (do|build|solve|make) (it|this|that) (with|by|in|without|as)\b|\bi('d| would) (go (with|for)|take|choose|pick)\b|"
    r"\bi like the (idea|approach) of \w+ing\b",
    r"\blet'?s (move|migrate|change|convert) [^.;?]{2,60} (from|to|into)\b",
    # What is chosen instead of what was proposed.
    r"^(no|nope|nah|rather not|not that)\b[,.;:! –-]+((but|then|please|rather|better|just) )*(take|use|do|make|keep|put|store|"
    r"build|pick|choose|go|switch|stay|write|split|we('ll| will)? \w+|i('d| would)? (want|prefer|like|rather))\b"
    r"(?! (on|ahead)\b)",
    r"^((ok|okay|then|well|hm+|actually)[,. ]+)*(take|pick|choose|prefer) (?!(it|this|that|them|those|a look|care|your time|over|"
    r"out|into|back|the (time|lead)|notes?|into account|screenshots?)\b)(the )?[\w.-]+(?: [\w.-]+){0,3},? "
    r"(because|since|as|so|instead|rather|not)\b",
    r"^((ok|okay|yes|no|then|well)[,. ]+)*(the )?((first|second|third|last) (one|option|variant|approach|version|suggestion|"
    r"solution|way)|(option|variant|approach|plan) (\d|[a-d]\b))( please)?[,.! ]*($|because|since|as\b)",
    r"\b(product|management|legal|marketing|ops|support|security|finance|sales|the (team|customer|client|boss|board|company|"
    r"business)) (has |have )?(just )?(decided|insists?|insisted)\b",
    r"^(no,? |ok,? )?(please )?[a-z]+ (?:[^.;?!]|\.\S){1,50} instead of \w",
    r"^(no,? )?leave (the|our) [^,.;]{2,40} (in|as (it )?is|out|alone)\b|^(forget|drop|scrap|skip) (the|about) \w+",
    *_languages.CHOICE,
)
TELLS_WHY = any_of(  # how a sentence begins, or what stands in it, that says why something was chosen
    r"^(we|it|they|that|this|there|our|i|otherwise|because|since|the|\w+s? (is|are|was|were|has|have|had|does|do|did|can|will|"
    r"would|needs?|fails?|breaks?|locks?|costs?|takes?|won't|can't|doesn't|don't|cannot))\b",
    r"\b(because|since|otherwise|too (slow|big|expensive|many|much|long|complex)|lost|broke|leaks?)\b",
)


def with_reason(lines: list[str], stated: str, longest: int) -> str:
    """Returns what a person chose with the sentence behind it, where that says why; `lines`: the sentences of it all."""
    last = max([number for number, line in enumerate(lines) if line in stated], default=len(lines))
    after = lines[last + 1] if last + 1 < len(lines) else ""
    whole = f"{stated} {after}"
    return whole if TELLS_WHY.search(after) and not after.endswith("?") and len(whole) <= longest else stated
