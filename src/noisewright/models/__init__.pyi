from .naive_bayes import PrivateNaiveBayes as PrivateNaiveBayes
from .tree import PrivateTree as PrivateTree
