"""Words that people say to an agent in any project, whatever it is about: a prompt is not about them.

Verbs of instruction, what is said of work as such, and what fills a sentence. Left out on purpose: words that name a subject
somewhere, such as message, queue, retry, delete, format.
"""

from __future__ import annotations

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
    simple simpler better shorter longer clearer easier quick quickly long short ready new old
    """.split()
)
