"""Many tables planned together: what is measured, at which share of the budget, and the answers."""
