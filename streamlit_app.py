"""The app: `streamlit run streamlit_app.py`. Pages and everything else live in lieapp/ui."""

from lieapp.ui.app import main

main()
