"""What a run shows: tables for the terminal, figures as SVG, and report.html."""
