"""Questions about a private table: noise, and answers with their errors."""
