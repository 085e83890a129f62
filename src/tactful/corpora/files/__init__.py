"""Reading the authors' files: tables, workbooks, checks and problems."""
