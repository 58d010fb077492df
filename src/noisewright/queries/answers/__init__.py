"""From noisy whole numbers to answers: values, standard errors and intervals that cover."""
