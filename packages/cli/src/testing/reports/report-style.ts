/** The style of the HTML report. Contrast is at least that of WCAG AA in both colour schemes; colour is never the only sign. */
export const reportStyle = `:root { color-scheme: light dark; --text: #1c2024; --quiet: #5a6169; --line: #d9dde1; --page: #fff; --raised: #f5f6f8; --good: #146c2e; --bad: #b3121d; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8ea; --quiet: #a3abb3; --line: #363c43; --page: #15181b; --raised: #1f2428; --good: #6fd48a; --bad: #ff9a94; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.25rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .5rem; font-size: 1.6rem; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.1rem; overflow-wrap: anywhere; }
small, .note, .time, dt, footer { color: var(--quiet); }
small { margin-left: .5rem; font-weight: 400; }
code, pre { font: .9em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: .5rem 0 0; padding: .6rem .75rem; background: var(--raised); border-radius: .4rem; white-space: pre-wrap; }
.verdict { margin: 0 0 1.25rem; padding: .75rem 1rem; border-left: .3rem solid; background: var(--raised); border-radius: .2rem; }
.verdict.passed { border-color: var(--good); }
.verdict.failed { border-color: var(--bad); }
.counts { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin: 0; }
.counts dd { margin: 0; font-size: 1.6rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .55rem .75rem .55rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-weight: 600; }
tbody th { font-weight: 400; }
.result, .time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.passed .result { color: var(--good); }
.failed .result { color: var(--bad); font-weight: 700; }
.note { margin: .25rem 0 0; }
details { margin-top: .35rem; }
summary { width: fit-content; cursor: pointer; }
ul { margin: .35rem 0 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
footer { margin-top: 3rem; }
`;
