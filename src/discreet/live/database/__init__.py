"""Many runs in one database, for a service with one or several workers."""

from discreet.live.database.database import Database, open_database
from discreet.live.database.database_witness import DatabaseWitness
from discreet.live.database.store import DatabaseStore
from discreet.live.database.witness import FileWitness, MemoryWitness, Witness

__all__ = [
    "Database",
    "DatabaseStore",
    "DatabaseWitness",
    "FileWitness",
    "MemoryWitness",
    "Witness",
    "open_database",
]
