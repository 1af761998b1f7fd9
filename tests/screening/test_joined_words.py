"""Words that somebody joined to a secret are told from names that are joined words."""

from __future__ import annotations

import pytest

from memcli.screening import mask


@pytest.mark.parametrize(
    "text",
    [
        "API_KEY=zq9-blueheron-4471-kestrel",
        "the API_KEY=zq9-blueheron-4471-kestrel is for staging",
        'client_secret: "violet-otter-rainy-harbour"',
        "ACCESS_TOKEN=marble-77-lantern-fox",
    ],
)
def test_words_that_were_joined_to_a_secret_are_masked(text: str) -> None:
    assert mask(text).rules == ("api-key",)


@pytest.mark.parametrize(
    "text",
    [
        "CACHE_KEY=user-profile-page-42",
        "sort_key: created-at-2024-desc",
        "API_KEY=your-own-api-key-goes-here",
        "token_type: long-lived-access-token-12",
        "SECRET_NAME=billing-service-signing-key-77",
        "the access token expires-after-30-days",
    ],
)
def test_names_that_are_joined_words_are_not(text: str) -> None:
    assert mask(text).rules == ()
