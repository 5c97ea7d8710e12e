"""The report's style sheet: one column of text on white, readable on paper and on a telephone."""

CSS = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1.25rem 4rem; background: #fff; color: #1f2328;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: .5rem 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; padding-top: .6rem; border-top: 1px solid #d0d7de; }
.kind { color: #57606a; margin: 0; }
.equation { overflow-x: auto; padding: .6rem 0; font-size: 1.2rem; }
math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", math, serif; }
.verdict { font-size: 1.12rem; font-weight: 600; background: #eef5f1; border-left: 4px solid #009e73;
  padding: .7rem 1rem; margin: 1rem 0; }
.warnings { background: #fff6e5; border-left: 4px solid #b35c00;
  padding: .7rem 1rem .7rem 2rem; margin: 1rem 0; }
.notice { background: #eef4fb; border-left: 4px solid #0b5cad; padding: .7rem 1rem; margin: 1rem 0; }
.notice.success { font-size: 1.12rem; font-weight: 600; background: #eef5f1; border-color: #009e73; }
.notice.warning { background: #fff6e5; border-color: #b35c00; }
.notice.error { background: #fdeeee; border-color: #b42318; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; min-width: 20rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem 1.2rem .35rem 0;
  border-bottom: 1px solid #d0d7de; }
th { font-weight: 600; color: #57606a; font-size: .9rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.small td, .small th { font-size: .88rem; }
.small td:last-child { overflow-wrap: anywhere; font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
figure { margin: 0; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption, .note { color: #57606a; font-size: .92rem; max-width: 46rem; margin: .4rem 0 0; }
nav { font-size: .92rem; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: .8rem 0 0; }
a { color: #0b5cad; }
@media print {
  nav { display: none; } h2 { break-after: avoid; } figure { break-inside: avoid; } body { padding: 0; }
}
"""
