/// The style sheet of the page.
enum HTMLStyle {
  static let sheet = """
    :root {
      color-scheme: light dark;
      --paper: #fbfbf9; --card: #ffffff; --ink: #1d2330; --faint: #5b6475; --line: #dfe2e8;
      --read: #2468b4; --write: #b25a00; --flight: #6d3fb0; --wait: #9aa3b2; --wait-back: #eceef2;
      --right: #1c7340; --warning: #8a4b00; --wrong: #b3261e;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14171d; --card: #1c2028; --ink: #e8eaf0; --faint: #a3acbd; --line: #343a46;
        --read: #6aaaf0; --write: #f0a24e; --flight: #b392f0; --wait: #6b7485; --wait-back: #2a2f39;
        --right: #6ccf92; --warning: #f0b060; --wrong: #ff8a80;
      }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
    h1 { font-size: 1.6rem; margin: 0 0 .5rem; }
    h2 { font-size: 1.15rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
    section { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
      padding: 1.1rem 1.25rem; margin-top: 1.25rem; }
    header > p { margin: 0 0 .8rem; color: var(--faint); max-width: 60rem; }
    header b { color: var(--own); font-weight: 600; } header b::before { margin-right: .3em; }
    section > p { margin: 0 0 .9rem; color: var(--faint); max-width: 60rem; }
    .legend { display: flex; flex-wrap: wrap; gap: .35rem 1.4rem; margin: 0; padding: 0; list-style: none;
      color: var(--faint); font-size: .9rem; }
    .swatch { display: inline-block; width: 1.6rem; height: .75rem; border-radius: 3px; margin-right: .5rem; }
    .read, .joined { --own: var(--read); }
    .write { --own: var(--write); }
    .own, .flight, .served { --own: var(--flight); }
    .owned { --own: var(--flight); } .backend { --own: var(--faint); } .unowned { --own: var(--wait); }
    .run { background: var(--own); }
    .stripes { background: repeating-linear-gradient(45deg, var(--own) 0 5px, \
    color-mix(in srgb, var(--own) 45%, var(--card)) 5px 8px); }
    i, .swatch { print-color-adjust: exact; }
    .ride { background: repeating-linear-gradient(90deg, var(--own) 0 2px, transparent 2px 7px);
      border: 1px solid var(--own); }
    .dot { background: var(--own); }
    .swatch.dot { width: .65rem; height: .65rem; transform: rotate(45deg); margin-left: .2rem; }
    .line { background: linear-gradient(var(--own) 0 100%) 0 50% / 100% 3px no-repeat; }
    .wait { background: repeating-linear-gradient(135deg, var(--wait) 0 2px, var(--wait-back) 2px 6px); }
    .scroll { overflow-x: auto; }
    table { width: 100%; min-width: 34rem; border-collapse: collapse; font-size: .9rem;
      font-variant-numeric: tabular-nums; }
    th, td { padding: .2rem .5rem; text-align: left; white-space: nowrap; font-weight: 400; }
    thead th { color: var(--faint); font-size: .8rem; border-bottom: 1px solid var(--line); }
    tbody tr:hover { background: color-mix(in srgb, var(--own) 10%, transparent); }
    th:first-child { padding-left: .25rem; width: 1%; }
    .place { display: inline-block; min-width: 1.6em; color: var(--faint); text-align: right; margin-right: .35em; }
    thead .axis { width: 100%; padding-left: 0; padding-right: 0; }
    thead .axis { position: relative; height: 1.5rem; }
    .axis span { position: absolute; bottom: .2rem; transform: translateX(-50%); }
    .axis span:nth-child(1) { left: 0; transform: none; } .axis span:nth-child(2) { left: 25%; }
    .axis span:nth-child(3) { left: 50%; } .axis span:nth-child(4) { left: 75%; }
    .axis span:nth-child(5) { right: 0; transform: none; }
    .heading th { font-weight: 600; padding-top: .7rem; }
    .track { position: relative; min-width: 14rem; height: 1.75rem;
      background: linear-gradient(90deg, var(--line) 1px, transparent 1px) 0 0 / 25% 100%; }
    .track i { position: absolute; top: .4rem; height: .95rem; min-width: 2px; border-radius: 3px; }
    .track .wait { top: .6rem; height: .55rem; }
    .track .dot { width: .65rem !important; height: .65rem; top: .55rem; transform: translateX(-50%) rotate(45deg); }
    .track .cut { border-left: 2px dotted var(--faint); border-radius: 0 3px 3px 0; }
    .time { text-align: right; color: var(--faint); padding-left: 1.1rem; }
    .standing { color: var(--faint); }
    .standing strong { color: var(--wrong); }
    .spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    section > .finding { color: var(--ink); border-left: 4px solid var(--own); padding: .1rem 0 .1rem .8rem;
      margin: 1rem 0 0; overflow-wrap: anywhere; }
    .finding::before { font-weight: 700; color: var(--own); margin-right: .45em; }
    .right { --own: var(--right); } .right::before { content: "✓"; }
    .warning { --own: var(--warning); } .warning::before { content: "○"; }
    .wrong { --own: var(--wrong); } .wrong::before { content: "✗"; }
    .details { margin: .7rem 0 0; padding-left: 1.3rem; color: var(--faint); font-size: .9rem; overflow-wrap: anywhere; }
    .ring { position: relative; margin: 1.1rem 0; padding: 0 0 0 2rem; list-style: none; --own: var(--warning); }
    .ring::before { content: ""; position: absolute; left: 0; top: 1.1rem; bottom: 0; width: 2rem;
      border: 2px solid var(--own); border-right: 0; border-radius: 10px 0 0 10px; }
    .ring::after { content: ""; position: absolute; left: 1.5rem; top: calc(1.1rem - 4px); }
    .ring::after, .ring li:not(:last-child) span::after { border: 5px solid transparent; border-left: 8px solid var(--own);
      border-right: 0; }
    .ring li { position: relative; }
    .ring b { display: block; width: fit-content; padding: .3rem .8rem; border: 2px solid var(--own); border-radius: 8px; }
    .ring span { display: block; position: relative; margin-left: 1.5rem; padding: .5rem 0 .7rem .9rem;
      border-left: 2px solid var(--own); color: var(--faint); }
    .ring li:not(:last-child) span::after { content: ""; position: absolute; left: -5px; bottom: 0; rotate: 90deg; }
    .ring li:last-child::after { content: ""; position: absolute; left: 0; bottom: 0; width: 1.5rem;
      border-bottom: 2px solid var(--own); }
    figure { margin: .5rem 0 1rem; }
    svg { display: block; width: 100%; height: 8rem; }
    .hill { fill: var(--wait); opacity: .75; }
    .lane { fill: var(--own); }
    figcaption { display: flex; justify-content: space-between; gap: 1rem; color: var(--faint); font-size: .8rem;
      border-top: 1px solid var(--line); padding-top: .2rem; }
    details { border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 2.4rem; }
    details:last-of-type { border-bottom: 1px solid var(--line); }
    summary { cursor: pointer; padding: .4rem .25rem; font-size: .9rem; }
    summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--read); outline-offset: 2px; }
    @media (max-width: 36rem) {
      main { padding: 1rem .6rem 2rem; }
      section { padding: .9rem .8rem; }
      table { min-width: 0; font-size: .8rem; }
      th, td { padding: .2rem .2rem; }
      .time { display: none; }
      .heading th { white-space: normal; }
      .track { min-width: 6rem; }
      .axis span:nth-child(even) { display: none; }
    }
    footer { margin-top: 1.5rem; color: var(--faint); font-size: .85rem; }
    """
}
