"""Lines that are no message: whoever waits for an answer gets one."""

from __future__ import annotations

import mcp_types as types
import pytest

from memcli.mcp.malformed import answer_to


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("[]", (None, -32600)),
        ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', (None, -32600)),
        ("5", (None, -32600)),
        ("null", (None, -32600)),
        ("{}", (None, -32600)),
        ('{"id":7,"method":"ping"}', (7, -32600)),
        ('{"jsonrpc":"1.0","id":"a","method":"ping"}', ("a", -32600)),
        ('{"jsonrpc":"2.0","id":7,"method":5}', (7, -32600)),
        ('{"jsonrpc":"2.0","id":7,"method":"ping","params":5}', (7, -32600)),
        ('{"jsonrpc":"2.0","id":7}', (7, -32600)),
        ('{"jsonrpc":"2.0","id":[1],"method":5}', (None, -32600)),
        ('{"jsonrpc":"2.0","id":true,"method":5}', (None, -32600)),
        ('{"jsonrpc":"2.0","id":7,"method":', (None, -32700)),
        ('{"jsonrpc":"2.0","method":"notifications/x","params":5}', None),
        ('{"jsonrpc":"2.0","id":7,"result":5}', None),
        ('{"jsonrpc":"2.0","id":7,"error":5}', None),
        ('{"jsonrpc":"2.0","id":7,"error":{"code":"x"}}', None),
        (" ", None),
    ],
)
def test_who_sends_what_is_no_message_is_told_so_where_somebody_waits(sent: str, answered: tuple[object, int] | None) -> None:
    with pytest.raises(ValueError) as problem:  # noqa: PT011
        types.jsonrpc_message_adapter.validate_json(sent, by_name=False)
    said = answer_to(problem.value)

    assert (said and (said.id, said.error.code)) == answered
