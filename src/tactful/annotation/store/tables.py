"""The one table of a store: a row for each event.

:data:`HEAD` is the newest migration; a test holds both against each other.
"""

import sqlalchemy as sa

HEAD = "0001"

metadata = sa.MetaData()
events = sa.Table(
    "events",
    metadata,
    # Given by the one writer and not by the database: what is rolled back leaves no gap.
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("item", sa.Text),
    sa.Column("annotator", sa.Text),
    sa.Column("step", sa.Text),
    sa.Column("data", sa.Text, nullable=False),
    sa.Column("key", sa.Text, unique=True),
)
