"""What `lieapp app` has Streamlit serve: the app, for pages of this machine only."""

from pathlib import Path

from starlette.middleware import Middleware
from streamlit.starlette import App

from lieapp.ui.pinned import Pinned

app = App(Path(__file__).with_name("app.py"), middleware=[Middleware(Pinned)])
