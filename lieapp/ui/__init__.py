"""The app: pages that read run folders and start processes, and hold nothing themselves."""
