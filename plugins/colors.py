"""Colour pictures of several classes: symmetries of their colours that a network trained on them knows."""

from lieapp.api import Colors, hookimpl

colors = Colors(name="colors", title="Colours of photographs")


@hookimpl
def lieapp_domains():
    return [colors]
