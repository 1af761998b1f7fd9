"""An agent that reads turns: what it has been told, put together from full turns and deltas."""

from __future__ import annotations

from xml.etree.ElementTree import Element, tostring

from defusedxml.ElementTree import fromstring

RELEVANT, REMOVED, RULES = "relevant", "removed", "rules"


def said(element: Element) -> str:
    """What one block says, without what depends on the question or on room, and without the labels of its last operation."""
    for label in ("also", "revision", *(["date"] if element.tag == "profile" else [])):
        element.attrib.pop(label, None)
    element.tail = None
    return element.attrib["id"] if element.tag == "instructions" else tostring(element, encoding="unicode")


class Reader:
    """What a session knows: blocks of full turns and deltas, and what it was told because it asked."""

    def __init__(self) -> None:
        self.blocks: dict[str, str] = {}
        self.hits: dict[str, str] = {}

    def read(self, xml: str) -> None:
        """Takes in one turn as it reached the session."""
        if not xml:
            return
        root = fromstring(xml)
        if root.tag == "memory_context":
            self.blocks, self.hits = {}, {}
        for child in root:
            if child.tag == REMOVED:
                self._drop(child.attrib["id"], child.attrib["why"])
            elif child.tag == RELEVANT:
                found = [*child.findall("memory"), *child.findall("evidence/chunk")]
                self.hits |= {one.attrib["id"]: said(one) for one in found}
            elif child.tag not in (RULES, "more"):
                self.blocks[child.attrib["id"]] = said(child)

    def _drop(self, block_id: str, why: str) -> None:
        text = self.blocks.pop(block_id, None)
        if why == "gone":
            self.hits.pop(block_id, None)
        elif text is not None:
            self.hits[block_id] = text

    def copy(self) -> Reader:
        """Another one that knows the same."""
        other = Reader()
        other.blocks, other.hits = dict(self.blocks), dict(self.hits)
        return other

    def lacks(self, full: str) -> dict[str, tuple[str | None, str | None]]:
        """What a full turn says otherwise than this reader knows it: id -> (known, due)."""
        due = Reader()
        due.read(full)
        wrong: dict[str, tuple[str | None, str | None]] = {}
        for block_id, text in due.blocks.items():
            known = self.blocks.get(block_id, self.hits.get(block_id))
            if known != text:
                wrong[block_id] = known, text
        stale = set(self.blocks) - set(due.blocks) - {"instructions"}
        return wrong | {block_id: (self.blocks[block_id], None) for block_id in stale}
