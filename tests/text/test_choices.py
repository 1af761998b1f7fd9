"""What a sentence chooses, what it puts out of use, and which values it sets."""

from __future__ import annotations

import pytest

from memcli.text import choices


@pytest.mark.parametrize(
    ("sentence", "chosen", "replaced"),
    [
        ("Let's use Kafka for the events.", "kafka/the events", ""),
        ("Use Valkey instead of Memcached for the cache.", "valkey/the cache", "memcached/the cache"),
        ("Switch from Travis to Buildkite.", "buildkite/", "travis/"),
        ("Replace Foundation with Bulma.", "bulma/", "foundation/"),
        ("Move the uploads to S3 instead.", "s3/the uploads", ""),
        ("We deploy with Nomad now, no more Kubernetes.", "nomad/", "kubernetes/"),
        ("Mercurial is gone.", "", "mercurial/"),
        ("Forget Solr, put the index into Meilisearch.", "meilisearch/the index", "solr/"),
        ("We no longer use yarn.", "", "yarn/"),
        ("Wir nehmen doch MariaDB statt Oracle.", "mariadb/", "oracle/"),
        ("Remplace Oracle par MariaDB.", "", "oracle/"),
        ("Should we use Valkey instead of Memcached?", "", ""),
        ("I would suggest switching from Travis to Buildkite.", "", ""),
        ("Drop the Memcached warm-up script.", "", "memcached script warm-up/"),
        ("Rename foo to bar.", "", ""),
    ],
)
def test_a_sentence_chooses_and_puts_out_of_use(sentence: str, chosen: str, replaced: str) -> None:
    assert _written(choices.chosen(sentence)) == chosen
    assert _written(choices.replaced(sentence)) == replaced


def test_a_proposal_chooses_only_for_whoever_asks_for_proposals() -> None:
    assert not choices.chosen("I recommend Kafka, because we know it.")
    assert _written(choices.chosen("I recommend Kafka, because we know it.", is_proposal=True)) == "kafka/"


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("Set the timeout to 15.", ("the timeout ", "15", "")),
        ("Lower the rate limit from 300 to 1,000 requests a minute.", ("the rate limit ", "1000", "req")),
        ("The page size is 50 rows now.", ("The page size ", "50", "row")),
        ("The page size is now 50 rows.", ("The page size ", "50", "row")),
    ],
)
def test_a_sentence_sets_a_value(sentence: str, value: tuple[str, str, str]) -> None:
    [own] = choices.values(sentence)
    assert (own.subject, own.number, own.unit) == value


@pytest.mark.parametrize("sentence", ["The page size is 50.", "Should we set the timeout to 15?", "Moved 3 files to 2 folders."])
def test_what_only_tells_or_considers_sets_no_value(sentence: str) -> None:
    assert not choices.values(sentence)


@pytest.mark.parametrize(
    ("sentence", "does"),
    [
        ("Switch from Travis to Buildkite.", True),
        ("Go back to Subversion.", True),
        ("Replace the deprecated call with the new one.", False),
        ("Move the helper from utils.py to core.py.", False),
        ("Use Kafka.", False),
    ],
)
def test_choosing_something_with_a_name_in_the_place_of_another_is_a_decision(sentence: str, does: bool) -> None:
    assert choices.decides(sentence) is does


def _written(own: list[choices.Choice]) -> str:
    return ", ".join([f"{' '.join(sorted(choice.thing))}/{choice.purpose}" for choice in own])
