"""Replay of logged decisions."""
