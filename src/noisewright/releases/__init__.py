"""The door: plan, data and ledger in; private file, certificate, recipe and report out."""
