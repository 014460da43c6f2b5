/// The style sheet of the pages: one column, light and dark, with large touch targets.
enum PageStyle {
    static let text = """
        :root {
          color-scheme: light dark;
          --ground: #f3f5f4; --paper: #ffffff; --line: #d5dcd9; --edge: #75817c;
          --ink: #16211d; --quiet: #4d5a55; --accent: #0b5d4b; --accent-deep: #084638; --on-accent: #ffffff;
          --tint: #eaf3f0; --alarm: #9c1c1c; --alarm-tint: #fcefee;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #111715; --paper: #1a2220; --line: #303b37; --edge: #84938d;
            --ink: #e8efec; --quiet: #adbab5; --accent: #7fd3bd; --accent-deep: #a3e3d2; --on-accent: #06251d;
            --tint: #202d29; --alarm: #ffb4ab; --alarm-tint: #3a2020;
          }
        }
        *, *::before, *::after { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body {
          margin: 0; min-height: 100vh; min-height: 100svh;
          display: flex; flex-direction: column; align-items: center; justify-content: center;
          padding: 1.5rem 1rem 3rem; background: var(--ground); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
          overflow-wrap: anywhere;
        }
        header {
          display: flex; align-items: center; gap: .625rem; margin-bottom: 1.25rem;
          color: var(--accent); font-size: 1.125rem; font-weight: 650; letter-spacing: .01em;
        }
        header svg { flex: none; }
        main {
          width: 100%; max-width: 26rem; padding: 2rem; background: var(--paper);
          border: 1px solid var(--line); border-radius: 1rem;
          box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 8px 28px rgb(0 0 0 / .06);
        }
        main.wide { max-width: 60rem; }
        h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
        h2 { margin: 1.5rem 0 0; font-size: 1rem; }
        p { margin: 0 0 1rem; }
        main > :last-child { margin-bottom: 0; }
        a { color: var(--accent); }
        .lead, .hint { color: var(--quiet); }
        .lead strong { color: var(--ink); font-weight: 600; }
        .hint { margin: .375rem 0 0; font-size: .9375rem; }
        .problem {
          margin: 1.25rem 0 0; padding: .75rem .875rem; border-left: 4px solid var(--alarm); border-radius: .375rem;
          background: var(--alarm-tint); color: var(--alarm);
        }
        .note { margin: 1.25rem 0 0; padding: .75rem .875rem; border-radius: .5rem; background: var(--tint); font-size: .9375rem; }
        form { margin: 0; }
        label { display: block; margin: 1.25rem 0 .375rem; font-weight: 600; }
        input {
          display: block; width: 100%; min-height: 3rem; padding: .625rem .875rem;
          border: 1px solid var(--edge); border-radius: .5rem; background: var(--paper); color: var(--ink); font: inherit;
        }
        input[aria-invalid="true"] { border-color: var(--alarm); border-width: 2px; }
        input.code {
          font: 600 1.375rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
          letter-spacing: .12em; text-align: center; text-transform: uppercase;
        }
        ul { margin: .75rem 0 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .625rem; }
        li { padding: .75rem .875rem; }
        li + li { border-top: 1px solid var(--line); }
        li code { display: block; color: var(--quiet); font: .875rem/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        dl { margin: .75rem 0 0; }
        dt { font-weight: 600; }
        dd { margin: 0 0 .625rem; color: var(--quiet); }
        dt, pre { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .9375rem; }
        pre { margin: .75rem 0 0; padding: .75rem .875rem; border-radius: .5rem; background: var(--tint); white-space: pre-wrap; }
        .actions { display: flex; flex-direction: column; gap: .75rem; margin-top: 1.75rem; }
        button {
          flex: 1 1 0; width: 100%; min-height: 3rem; padding: .625rem 1.25rem; border: 2px solid var(--accent); border-radius: .5rem;
          background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer;
        }
        button:hover { background: var(--accent-deep); border-color: var(--accent-deep); }
        button.second { background: transparent; color: var(--accent); border-color: var(--edge); }
        button.second:hover { background: var(--tint); color: var(--accent-deep); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        @media (min-width: 30rem) {
          main { padding: 2.5rem; }
          .actions { flex-direction: row; }
        }
        @media (max-width: 29.99rem) {
          body { justify-content: flex-start; }
          main { padding: 1.5rem 1.25rem; }
          dt a { display: inline-block; min-width: 2.75rem; padding: .75rem 0; }
        }
        @media (forced-colors: active) { main, button { border-color: CanvasText; } }

        """
}
