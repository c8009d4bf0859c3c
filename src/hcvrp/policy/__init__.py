"""Learned policies: networks, decoding, weights."""
