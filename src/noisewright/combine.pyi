from .mechanisms import mixture as mixture, per_person as per_person, product as product
