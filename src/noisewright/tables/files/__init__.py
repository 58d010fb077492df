"""Readers and writers of tables: files of every format, and frames in memory."""
