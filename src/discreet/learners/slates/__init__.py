"""Learners that show slates and see the loss of every item shown."""
