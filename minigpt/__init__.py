"""The given code of the batching labs: read it, use it, never edit it.

Shape letters, the same in every file:

    B  sequences in the batch        T  new tokens of a sequence      S  attended tokens
    H  query heads                   K  key/value heads               D  size of one head
    E  width of the model            F  width of the feed-forward     V  vocabulary
"""

__version__ = "0.1.0"
