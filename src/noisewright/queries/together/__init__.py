"""Several questions at once: what they share is measured once, and one certificate covers all."""
