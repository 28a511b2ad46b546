"""How rules of several terms are sought, one after the other, for a list or for a vote."""
