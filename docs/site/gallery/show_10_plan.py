"""
A plan for a trial
==================

The cost of each ε with three treatments and 600 patients.
"""

import matplotlib.pyplot as plt

from discreet import plan

found = plan(arms=3, rounds=600, difference=0.2, trials=48, seed=1)
found.plot(ax=plt.subplots(figsize=(8, 4.5))[1])
print(found)
