"""Pictures of several classes: symmetries of their plane that a network trained on them knows."""

from lieapp.api import Images, hookimpl

images = Images(name="images", title="Pictures")


@hookimpl
def lieapp_domains():
    return [images]
