"""Environments with contexts."""
