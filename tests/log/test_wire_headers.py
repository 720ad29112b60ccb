"""Headers on the wire: lenient, and without what the broker adds."""

from __future__ import annotations

import pytest
from nats.aio.client import Client

from spielwerk.log.connect import Connection
from spielwerk.log.settings import NatsSettings
from spielwerk.log.wire_headers import header_block, parse_lines, written_headers


def test_lines_are_read_as_the_client_library_reads_them() -> None:
    block = b'Sw-Record: 1\r\nSw-Turns:[[0,"a:b"]] \r\nName: J\xc3\xbcrgen\r\nBad: \xff\r\n\r\n'

    assert parse_lines(block) == Client._parse_header_lines(block)
    assert parse_lines(block)["Sw-Turns"] == '[[0,"a:b"]]'


def test_what_is_no_header_is_left_out_and_the_last_of_equal_names_counts() -> None:
    assert parse_lines(b"NATS/1.0\r\nA: 1\r\nnothing\r\nA: 2\r\n\r\n") == {"A": "2"}


async def test_the_client_library_still_asks_our_parser() -> None:
    connection = Connection(NatsSettings())
    headers = await connection.nc._process_headers(b"NATS/1.0\r\nA b: 1\r\n\r\n")
    assert headers == {"A b": "1"}  # its own parser would leave the name with a space out


def test_the_brokers_headers_are_not_the_writers() -> None:
    assert written_headers({"Sw-Game": "skat", "Nats-Sequence": "7"}) == {"Sw-Game": "skat"}
    assert written_headers(None) == {}


def test_a_written_block_is_read_back() -> None:
    headers = {"Sw-Game": "skat", "Sw-Turns": '[[0,"1.1.p\\u00e4",null,0]]'}
    assert parse_lines(header_block(headers)) == headers


def test_a_block_begins_with_the_version_and_ends_with_an_empty_line() -> None:
    assert header_block({"A": "1"}) == b"NATS/1.0\r\nA: 1\r\n\r\n"


@pytest.mark.parametrize("value", ["1\r\nNats-Rollup: all", "1\n2", "1\r2", "\n"])
def test_a_value_cannot_begin_another_header(value: str) -> None:
    with pytest.raises(ValueError, match="line ends"):
        header_block({"A": value})
