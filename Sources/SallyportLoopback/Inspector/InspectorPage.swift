import Crypto
import Foundation

/// The page of a ``TrafficInspector``: one HTML document, which loads nothing but the calls.
///
/// All values of calls are added as text by `InspectorScript`, never as HTML.
struct InspectorPage {
    /// The calls that a page in a file shows; `nil` for a page that loads them from its server.
    var calls: Data?

    /// The value of `Content-Security-Policy`. Apart from the page's own script and style, nothing can run or be loaded.
    var policy: String {
        """
        default-src 'none'; script-src 'sha256-\(Self.digest(InspectorScript.text))'; \
        style-src 'sha256-\(Self.digest(Self.style))'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
        frame-ancestors 'none'
        """
    }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Traffic · Sallyport</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        \(Self.content)
        \(data)<script>\(InspectorScript.text)</script>
        </body>
        </html>

        """
    }

    /// The calls of a page in a file, as a block of data that the browser does not run.
    private var data: String {
        guard let calls else { return "" }
        return "<script id=\"data\" type=\"application/json\">\(String(decoding: calls, as: UTF8.self))</script>\n"
    }

    private static func digest(_ text: String) -> String {
        Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
    }

    private static let content = """
        <header>
        <div class="title"><h1>Traffic</h1><p id="state" role="status">Loading the calls</p></div>
        <div class="tools">
        <label for="search">Search</label>
        <input id="search" type="search" autocomplete="off" spellcheck="false"
          placeholder="URL, status, header or body" aria-keyshortcuts="/">
        <button id="failed" type="button" aria-pressed="false">Only failures</button>
        <button id="clear" type="button">Clear</button>
        <a id="export" class="button" href="traffic.har" download="traffic.har">Export HAR</a>
        </div>
        <ul class="legend" aria-label="Phases in the bars">
        <li><svg aria-hidden="true"><rect class="blocked"/></svg>waiting for a connection</li>
        <li><svg aria-hidden="true"><rect class="dns"/></svg>name resolution</li>
        <li><svg aria-hidden="true"><rect class="connect"/></svg>connect</li>
        <li><svg aria-hidden="true"><rect class="ssl"/></svg>TLS</li>
        <li><svg aria-hidden="true"><rect class="wait"/></svg>waiting for the response</li>
        <li><svg aria-hidden="true"><rect class="receive"/></svg>receiving</li>
        </ul>
        </header>
        <main>
        <p class="columns" aria-hidden="true"><span>Method</span><span>URL</span><span>Status</span><span>Size</span>\
        <span>Time</span><span>Phases</span></p>
        <ol id="calls" aria-label="Calls, the latest last"></ol>
        <p id="empty" hidden>No call has been made yet. Calls of clients with this recorder appear here.</p>
        </main>
        """

    private static let style = """
        :root { color-scheme: light dark; --background: #f3f5f4; --surface: #fff; --ink: #16211d; --quiet: #4d5a55;
          --line: #d5ddd9; --edge: #6b7a74; --accent: #0b5d4b; --accent-ink: #fff; --wash: #e6f0ec;
          --good: #0b5d4b; --warn: #7a4b00; --bad: #a3161f; --code: #eef2f0;
          --blocked: #8b9691; --dns: #0f7f86; --connect: #b8620a; --ssl: #7d4fc4; --wait: #2f7d4f; --receive: #2467b5; }
        @media (prefers-color-scheme: dark) { :root { --background: #111715; --surface: #19211e; --ink: #e8efec;
          --quiet: #a9b7b1; --line: #2c3733; --edge: #83948d; --accent: #7fd3bd; --accent-ink: #0b1a16; --wash: #1d2e29;
          --good: #7fd3bd; --warn: #f0b95c; --bad: #ff9b95; --code: #101614;
          --blocked: #7c8a84; --dns: #3fb6bd; --connect: #e09a4a; --ssl: #b391f0; --wait: #5dbb82; --receive: #6ca8ee; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--background); color: var(--ink); font: 1rem/1.45 system-ui, sans-serif; }
        header, main { max-width: 90rem; margin: 0 auto; padding: 0 1.25rem; }
        header { padding-top: 1rem; }
        h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; color: var(--accent); }
        h2 { margin: 0 0 .25rem; font-size: 1rem; overflow-wrap: anywhere; }
        p { margin: 0; overflow-wrap: anywhere; }
        .title { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; }
        #state { color: var(--quiet); }
        .tools { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin: .75rem 0; }
        .tools label { font-weight: 600; }
        input, button, .button { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--edge);
          border-radius: .375rem; min-height: 2.5rem; padding: .25rem .75rem; }
        input { flex: 1 1 14rem; min-width: 0; }
        button, .button { cursor: pointer; display: inline-flex; align-items: center; text-decoration: none; }
        button:hover, .button:hover { border-color: var(--accent); color: var(--accent); }
        button[aria-pressed=true] { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
        a { color: var(--accent); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .legend { list-style: none; margin: 0 0 .5rem; padding: 0; display: flex; flex-wrap: wrap; gap: .125rem 1rem;
          font-size: .875rem; color: var(--quiet); }
        .legend li { display: inline-flex; align-items: center; gap: .375rem; }
        .legend svg { width: .75rem; height: .75rem; }
        .legend rect { width: 100%; height: 100%; }
        .blocked { fill: var(--blocked); } .dns { fill: var(--dns); } .connect { fill: var(--connect); }
        .ssl { fill: var(--ssl); } .wait { fill: var(--wait); } .receive { fill: var(--receive); }
        .columns, .call { display: grid; gap: 0 .75rem; align-items: center;
          grid-template-columns: 4.5rem minmax(0, 1fr) 6.5rem 5rem 5.5rem minmax(8rem, 22%); }
        .columns { padding: .25rem .75rem; font-size: .875rem; color: var(--quiet); border-bottom: 1px solid var(--line); }
        ol { list-style: none; margin: 0; padding: 0 0 2rem; }
        ol > li { border-bottom: 1px solid var(--line); }
        .call { width: 100%; text-align: left; border: 0; border-radius: 0; background: none; min-height: 2.25rem;
          padding: .375rem .75rem; font-size: .9375rem; }
        .call:hover { background: var(--wash); color: inherit; }
        .call[aria-expanded=true] { background: var(--wash); font-weight: 600; }
        .call:focus-visible { outline-offset: -3px; }
        .call > * { min-width: 0; overflow-wrap: anywhere; }
        .method { font-weight: 600; }
        .number { font-variant-numeric: tabular-nums; }
        .note { color: var(--quiet); font-size: .875rem; font-weight: 400; }
        .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); font-weight: 600; }
        .bar { display: block; width: 100%; height: .875rem; }
        .attempt > .bar { max-width: 40rem; margin: .375rem 0; }
        .bar .track { fill: var(--line); }
        .detail { padding: .75rem .75rem 1.25rem; background: var(--surface); }
        .attempt { border-left: 3px solid var(--line); padding-left: .75rem; margin-top: 1rem; }
        .facts { display: flex; flex-wrap: wrap; gap: .125rem 1rem; margin: .25rem 0; color: var(--quiet);
          font-size: .875rem; overflow-wrap: anywhere; }
        .actions { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin: .5rem 0; }
        .actions button { min-height: 2rem; font-size: .875rem; }
        details { border-top: 1px solid var(--line); }
        summary { cursor: pointer; padding: .375rem 0; font-size: .9375rem; }
        details[open] > summary { font-weight: 600; }
        dl { display: grid; grid-template-columns: minmax(8rem, max-content) minmax(0, 1fr); gap: .125rem .75rem;
          margin: 0 0 .75rem; font: .875rem/1.5 ui-monospace, monospace; }
        dt { color: var(--quiet); overflow-wrap: anywhere; } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
        pre { margin: 0 0 .75rem; padding: .625rem .75rem; border-radius: .375rem; background: var(--code);
          font: .875rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
        .diff { list-style: none; margin: 0 0 .75rem; padding: 0; font: .875rem/1.5 ui-monospace, monospace; }
        .diff li { overflow-wrap: anywhere; }
        .diff .stage { color: var(--quiet); margin-top: .25rem; }
        @media (max-width: 46rem) {
          header, main { padding-left: .75rem; padding-right: .75rem; }
          .columns { display: none; }
          .tools button, .tools .button, .actions button, summary { min-height: 2.75rem; }
          input { flex-basis: 100%; font-size: 1rem; min-height: 2.75rem; }
          .call { grid-template-columns: auto minmax(0, 1fr) auto auto; min-height: 2.75rem; gap: .125rem .75rem;
            padding: .5rem .25rem; }
          .call .url { grid-column: 1 / -1; grid-row: 1; }
          .call .phases { grid-column: 1 / -1; }
          .detail { padding: .5rem .25rem 1rem; }
          dl { grid-template-columns: minmax(0, 1fr); }
          dd { margin-bottom: .375rem; }
          summary { padding: .625rem 0; }
        }
        """
}
