/// The style sheet of the page.
enum PageStyle {
  static let sheet = """
    :root {
      color-scheme: light dark;
      --paper: #fbfbf9; --card: #ffffff; --ink: #1d2330; --faint: #5b6475; --line: #dfe2e8; --warning: #8a4b00;
      --library0: #1f5fbf; --library1: #0b8ac2; --library2: #5b4fd0;
      --baseline0: #8b93a1; --baseline1: #5b6475; --baseline2: #b9a98c;
      --other0: #c26a00; --other1: #1c7340; --other2: #b0327f; --other3: #857a00; --other4: #6b4a2f;
      --other5: #d9647a; --other6: #5e9c2e; --other7: #8c5bb5; --other8: #2b2f38;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14171d; --card: #1c2028; --ink: #e8eaf0; --faint: #a3acbd; --line: #343a46; --warning: #f0b060;
        --library0: #6aaaf0; --library1: #4fd0f5; --library2: #a79cff;
        --baseline0: #848d9d; --baseline1: #b4bcc9; --baseline2: #8f8468;
        --other0: #f0a24e; --other1: #6ccf92; --other2: #f08cc6; --other3: #d6cb55; --other4: #c9a27e;
        --other5: #ff9aa8; --other6: #a8e070; --other7: #cfa5ee; --other8: #e8eaf0;
      }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
    h1 { font-size: 1.6rem; margin: 0 0 .5rem; }
    h2 { font-size: 1.2rem; margin: 0 0 .6rem; }
    p { max-width: 60rem; color: var(--faint); margin: 0 0 .9rem; }
    .unfinished { color: var(--warning); border-left: 4px solid var(--warning); padding-left: .8rem; }
    p b { color: var(--ink); } .found { margin: 0 0 .9rem; padding-left: 1.2rem; font-size: .9rem; }
    .absent { font-size: .9rem; margin: 0; }
    .absent::before { content: "— "; }
    section { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
      padding: 1.1rem 1.25rem; margin-top: 1.25rem; }
    .legend { display: flex; flex-wrap: wrap; gap: .35rem 1.4rem; margin: 0 0 1rem; padding: 0; list-style: none;
      font-size: .9rem; }
    .legend i { color: var(--faint); }
    .legend svg { width: 28px; height: 14px; margin-right: .5rem; vertical-align: -1px; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem 1.5rem;
      align-items: start; margin-bottom: 1rem; }
    figure { margin: 0; max-width: 36rem; }
    figcaption { font-size: .9rem; font-weight: 600; margin-bottom: .3rem; }
    figure svg { display: block; width: 100%; height: auto; }
    text { fill: var(--faint); font-size: 12px; }
    .name { fill: var(--ink); font-size: 13px; }
    .left { text-anchor: end; } .below { text-anchor: middle; }
    .grid { stroke: var(--line); stroke-width: 1; }
    polyline { fill: none; stroke: var(--own); stroke-width: 1.4; }
    .library polyline { stroke-width: 4; } .library { font-weight: 600; }
    .baseline polyline { stroke-dasharray: 5 4; } .baseline rect { opacity: .6; }
    .spread { stroke: var(--own); stroke-width: 1; opacity: .5; }
    circle, path, rect { fill: var(--own); }
    \(colours)
    details { border-top: 1px solid var(--line); }
    details:first-of-type { margin-top: 1rem; }
    summary { cursor: pointer; padding: .4rem .25rem; font-size: .9rem; }
    summary:focus-visible { outline: 2px solid var(--library0); outline-offset: 2px; }
    .scroll { overflow-x: auto; }
    table { width: 100%; border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
    th, td { padding: .15rem .6rem; text-align: right; white-space: nowrap; font-weight: 400; }
    th:nth-child(2) { text-align: left; }
    thead th { color: var(--faint); border-bottom: 1px solid var(--line); }
    footer { margin-top: 1.5rem; color: var(--faint); font-size: .85rem; }
    """

  private static let colours = Mark.Role.allCases.flatMap { role in
    (0..<role.colours).map { ".\(role)\($0) { --own: var(--\(role)\($0)); }" }
  }.joined(separator: "\n    ")
}
