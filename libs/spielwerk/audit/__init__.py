"""Proofs over stored matches: checks, replays and exports what the log holds, byte by byte."""
