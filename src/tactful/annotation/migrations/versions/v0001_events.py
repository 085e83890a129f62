"""The log of events."""

import sqlalchemy as sa
from alembic import op

from tactful.errors import OutputError

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "events",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("item", sa.Text),
        sa.Column("annotator", sa.Text),
        sa.Column("step", sa.Text),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("key", sa.Text, unique=True),
    )


def downgrade() -> None:
    """Refuse to downgrade: a log is append-only."""
    raise OutputError("The log of events is never taken down; restore a copy of the older store.")
