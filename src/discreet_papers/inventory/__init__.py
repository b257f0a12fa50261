"""The inventory: every statement of the five papers, what implements it, and the numbers."""

from discreet_papers.inventory.document import compute_entries, write_inventory
from discreet_papers.inventory.registry import Compared, Item, Paper, papers

__all__ = ["Compared", "Item", "Paper", "compute_entries", "papers", "write_inventory"]
