"""Runs in a chapter's kernel: how long each cell takes."""

import time

from IPython import get_ipython

taken = []
begun = []


def start(info=None):
    begun.append(time.perf_counter())


def stop(result=None):
    if begun:
        taken.append(time.perf_counter() - begun.pop())


def begin():
    """From the next cell on, note the seconds of each."""
    events = get_ipython().events
    events.register("pre_run_cell", start)
    events.register("post_run_cell", stop)


def seconds():
    """Of each cell that has ended since."""
    return taken
