"""gzip for result files: each addition is a member of its own, a torn one is read while it lasts.

A gzip file may have several members one after the other (RFC 1952, §2.2), so rows can be appended
and are on disk at once.
"""

from __future__ import annotations

import gzip
import zlib

from hcvrp.errors import InputError

PIECE = 2**16
"""Bytes fed at once: a member's remainder is copied, and there may be a member per row."""

GZIP = 16 + zlib.MAX_WBITS
"""Tells zlib to expect the header and checksum of gzip."""


def pack(data: bytes) -> bytes:
    """A member; the same data gives the same bytes."""
    return gzip.compress(data, mtime=0)


def unpack(data: bytes) -> bytes:
    """What all members hold, and what is left of a last one that was not written to its end."""
    found = []
    member = zlib.decompressobj(GZIP)
    try:
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            while piece:
                if member.eof:
                    member = zlib.decompressobj(GZIP)
                found.append(member.decompress(piece))
                piece = member.unused_data
    except zlib.error:
        raise InputError(
            "the file is damaged: its name ends in .gz but gzip cannot read it"
        ) from None
    return b"".join(found)
