"""Adversaries that show the advice of experts."""
