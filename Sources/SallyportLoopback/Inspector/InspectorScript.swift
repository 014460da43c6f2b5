/// The script of the ``InspectorPage``. It adds all values with `textContent` and attributes, so that none is interpreted as HTML.
enum InspectorScript {
    static let text = #"""
        'use strict';
        const PHASES = [['blocked', 'waiting for a connection'], ['dns', 'name resolution'], ['connect', 'connect'],
          ['ssl', 'TLS'], ['wait', 'waiting for the response'], ['receive', 'receiving']];
        const LONG = 20000;
        const byID = (id) => document.getElementById(id);
        const calls = new Map();
        let version = 0, failures = 0, onlyFailed = false, longest = 1;

        // Elements

        // Control characters and those that change the direction of text are shown as in the output of the command: \u{202E}.
        const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
        const printable = (text) => text.replace(HIDDEN, (one) => `\\u{${one.charCodeAt(0).toString(16).toUpperCase()}}`);
        const make = (tag, attributes, ...children) => {
          const element = document.createElement(tag);
          for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
          element.append(...children.filter((child) => child !== null && child !== undefined && child !== '')
            .map((child) => typeof child === 'string' ? printable(child) : child));
          return element;
        };
        const shape = (tag, attributes, ...children) => {
          const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
          for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
          element.append(...children);
          return element;
        };
        const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
        const rounded = (number) => (number < 10 ? number.toFixed(1) : String(Math.round(number)));
        const time = (ms) => ms === undefined ? '' : ms < 1 ? '<1 ms' : ms < 1000 ? `${Math.round(ms)} ms`
          : ms < 60000 ? `${rounded(ms / 1000)} s` : `${Math.floor(ms / 60000)} min ${Math.round(ms % 60000 / 1000)} s`;
        const size = (bytes) => {
          if (bytes === undefined || bytes < 0) return '';
          for (const [unit, factor] of [['GiB', 1 << 30], ['MiB', 1 << 20], ['KiB', 1 << 10]])
            if (bytes >= factor) return `${rounded(bytes / factor)} ${unit}`;
          return `${bytes} B`;
        };

        // What is shown of a call

        const sent = (call) => call.attempts.filter((attempt) => attempt.entry);
        const lastEntry = (call) => sent(call).map((attempt) => attempt.entry).pop();
        const statusOf = (call) => call.status || 0;
        const isRunning = (call) => call.duration === undefined;
        const hasFailed = (call) => Boolean(call.error) || statusOf(call) >= 400 || call.attempts.some((one) => one.error);
        const kindOf = (status, error) => error || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
        const statusText = (call) => call.error ? 'failed' : call.status ? String(call.status) : 'waiting';
        const spent = (call) => call.duration !== undefined ? call.duration
          : Math.max(0, ...sent(call).map((attempt) => (attempt.start || 0) + attempt.entry.time));
        const messageTexts = (message) => [...message.headers.map((field) => `${field.name}: ${field.value}`),
          (message.postData || message.content || {}).text];
        const words = (call) => {
          const texts = [call.action, call.error, statusText(call), call.request.method, call.request.url,
            ...messageTexts(call.request)];
          for (const {entry, error, answeredBy, cacheStatus, tlsVersion, stages} of call.attempts) {
            texts.push(error, answeredBy, cacheStatus, tlsVersion);
            for (const {name, changes} of stages)
              if (changes.length) texts.push(name, ...changes.map((change) => changeText(change)[1]));
            if (!entry) continue;
            const {request, response} = entry;
            texts.push(request.method, request.url, ...messageTexts(request), response.httpVersion, entry.serverIPAddress);
            texts.push(String(response.status), response.statusText, ...messageTexts(response));
          }
          return texts.filter(Boolean).join('\n').toLowerCase();
        };
        const matches = (call, terms) =>
          (!onlyFailed || hasFailed(call)) && terms.every((term) => (call.words ||= words(call)).includes(term));

        // The bars

        const phasesOf = (timings) => PHASES.map(([name, title]) => {
          const value = name === 'connect' && timings.ssl > 0 ? timings.connect - timings.ssl : timings[name];
          return {name, title, value};
        }).filter((phase) => phase.value > 0);
        const bar = (attempts, duration, scale) => {
          const percent = (ms) => `${Math.min(100, 100 * ms / scale).toFixed(3)}%`;
          const rects = [shape('rect', {class: 'track', x: 0, y: '45%', width: percent(duration), height: '10%'})];
          const texts = [];
          for (const attempt of attempts) {
            let at = attempt.start || 0;
            for (const phase of phasesOf(attempt.entry.timings)) {
              rects.push(shape('rect', {class: phase.name, x: percent(at), y: 0, width: percent(phase.value), height: '100%'}));
              texts.push(`${phase.title} ${time(phase.value)}`);
              at += phase.value;
            }
          }
          return shape('svg', {class: 'bar', role: 'img', 'aria-label': texts.join(', ') || 'no phases yet'}, ...rects);
        };

        // Details

        const pretty = (text) => {
          if (text.length > 500000 || !/^\s*[{[]/.test(text)) return text;
          try { JSON.parse(text); } catch { return text; }
          // The text is indented as it is, because parsed numbers might lose digits.
          let result = '', depth = 0, quoted = false;
          const line = () => '\n' + '  '.repeat(depth);
          for (let index = 0; index < text.length; index++) {
            const character = text[index];
            if (quoted) {
              result += character;
              if (character === '\\') result += text[++index];
              else if (character === '"') quoted = false;
            } else if (character === '"') { quoted = true; result += character; }
            else if ('{['.includes(character)) {
              const rest = /^\s*[}\]]/.exec(text.slice(index + 1, index + 100));
              if (rest) { result += character + rest[0].trim(); index += rest[0].length; }
              else { depth++; result += character + line(); }
            } else if ('}]'.includes(character)) { depth--; result += line() + character; }
            else if (character === ',') result += ',' + line();
            else if (character === ':') result += ': ';
            else if (!/\s/.test(character)) result += character;
          }
          return result;
        };
        const section = (key, open, title, ...children) => {
          const details = make('details', {'data-key': key}, make('summary', {}, title), ...children);
          details.open = open.has(key);
          details.addEventListener('toggle', () => details.open ? open.add(key) : open.delete(key));
          return details;
        };
        const fields = (list) => list.length
          ? make('dl', {}, ...list.flatMap((field) => [make('dt', {}, field.name), make('dd', {}, field.value || '\u00a0')]))
          : make('p', {class: 'note'}, 'none');
        const body = (text, comment) => {
          const shown = printable(pretty(text || ''));
          const parts = [comment ? make('p', {class: 'note'}, comment) : null];
          if (shown) {
            const pre = make('pre', {tabindex: '0'}, shown.slice(0, LONG));
            parts.push(pre);
            if (shown.length > LONG) {
              const more = make('button', {type: 'button'}, `Show all ${size(shown.length)}`);
              more.addEventListener('click', () => { pre.textContent = shown; pre.focus(); more.remove(); });
              parts.push(more);
            }
          }
          return parts;
        };
        const changeText = (change) => {
          const kind = change.old === undefined ? '+' : change.new === undefined ? '-' : '~';
          const mark = ['query', 'cookie'].includes(change.part) ? '=' : ': ';
          const name = change.name === undefined ? '' : change.name + mark;
          const values = [change.old, change.new].filter((value) => value !== undefined).join(' → ');
          return [kind, `${kind} ${change.part} ${name}${values}`];
        };
        const changes = (stages) => make('ul', {class: 'diff'}, ...stages.flatMap((stage) => [
          make('li', {class: 'stage'}, `@ ${stage.name}`),
          ...stage.changes.map((change) => {
            const [kind, text] = changeText(change);
            return make('li', {class: {'+': 'good', '-': 'bad', '~': 'warn'}[kind]}, text);
          })]));
        const copyButton = (curl) => {
          const button = make('button', {type: 'button'}, 'Copy as curl');
          button.addEventListener('click', async () => {
            try {
              await navigator.clipboard.writeText(curl);
              say('The curl command has been copied, with secrets masked.');
            } catch { say('The browser does not allow copying: select the command in the section curl.'); }
          });
          return button;
        };
        const phaseList = (timings) => fields(phasesOf(timings)
          .map((phase) => ({name: phase.title, value: time(phase.value)})));

        const attemptPart = (call, attempt, index, open) => {
          const {entry} = attempt, key = (name) => `${index}-${name}`;
          const count = call.attempts.length;
          const outcome = attempt.error ? 'failed' : entry && entry.response.status
            ? `${entry.response.status} ${entry.response.statusText}`.trim() : entry ? 'waiting' : 'not sent';
          const title = (count > 1 ? `Attempt ${index + 1} of ${count}: ` : '') + outcome;
          const parts = [make('h2', {class: attempt.error ? 'bad' : ''}, title)];
          if (attempt.error) parts.push(make('p', {class: 'bad'}, attempt.error));
          if (attempt.answeredBy)
            parts.push(make('p', {class: 'note'}, `Answered by ${attempt.answeredBy}; nothing was sent.`));
          const stages = attempt.stages.filter((stage) => stage.changes.length);
          const changed = stages.reduce((sum, stage) => sum + stage.changes.length, 0);
          const changeSection = changed
            ? section(key('changes'), open, `Changes by interceptors (${changed})`, changes(stages)) : null;
          if (!entry) return make('section', {class: 'attempt'}, ...parts, changeSection);
          const {request, response, timings} = entry;
          const facts = [response.httpVersion, attempt.tlsVersion, attempt.cipherSuite, attempt.keyExchange,
            entry.serverIPAddress, attempt.proxy ? `through ${attempt.proxy}` : '',
            attempt.isReused === undefined ? '' : attempt.isReused ? 'reused connection' : 'new connection',
            attempt.cacheStatus, index ? `after ${time(attempt.start)}` : '', `took ${time(entry.time)}`];
          parts.push(make('p', {}, make('strong', {}, `${request.method} `), request.url));
          parts.push(make('p', {class: 'facts'}, ...facts.filter(Boolean).map((fact) => make('span', {}, fact))));
          if (response.redirectURL)
            parts.push(make('p', {class: 'facts'}, make('span', {}, `redirects to ${response.redirectURL}`)));
          if (phasesOf(timings).length) parts.push(bar([attempt], spent(call), Math.max(1, spent(call))));
          const curl = call.curl[index];
          if (curl) parts.push(make('p', {class: 'actions'}, copyButton(curl)));
          const {postData} = request, {content} = response;
          const bytes = request.bodySize > 0 ? `, ${size(request.bodySize)}` : '';
          parts.push(changeSection, section(key('times'), open, `Phases (${time(entry.time)})`, phaseList(timings)),
            section(key('request'), open, `Request headers (${request.headers.length})`, fields(request.headers)));
          if (request.queryString.length)
            parts.push(section(key('query'), open, `Query (${request.queryString.length})`, fields(request.queryString)));
          if (postData) parts.push(section(key('post'), open, `Request body (${postData.mimeType || 'no type'}${bytes})`,
            ...body(postData.text, postData.comment)));
          if (response.status)
            parts.push(section(key('response'), open, `Response headers (${response.headers.length})`,
              fields(response.headers)));
          if (content.size || content.comment)
            parts.push(section(key('content'), open, `Response body (${content.mimeType || 'no type'}, ${size(content.size)})`,
              ...body(content.text, content.comment)));
          if (curl) parts.push(section(key('curl'), open, 'curl', make('pre', {tabindex: '0'}, curl)));
          return make('section', {class: 'attempt'}, ...parts.filter(Boolean));
        };
        const detail = (call, open) => {
          const facts = [new Date(call.started).toLocaleTimeString(), call.action ? `action ${call.action}` : '',
            isRunning(call) ? 'running' : `took ${time(call.duration)}`, plural(call.attempts.length, 'attempt')];
          const {request} = call;
          const built = section('built', open, 'Request as the app built it',
            make('p', {}, make('strong', {}, `${request.method} `), request.url), fields(request.headers),
            ...(request.postData ? body(request.postData.text, request.postData.comment) : []));
          return make('div', {},
            make('p', {class: 'facts'}, ...facts.filter(Boolean).map((fact) => make('span', {}, fact))),
            call.error ? make('p', {class: 'bad'}, call.error) : null, built,
            ...call.attempts.map((attempt, index) => attemptPart(call, attempt, index, open)),
            call.furtherAttempts ? make('p', {class: 'note'}, `${call.furtherAttempts} more attempts`) : null);
        };

        // The list

        const draw = (call) => {
          const entry = lastEntry(call);
          const note = [call.action, call.attempts.length > 1 ? plural(call.attempts.length, 'attempt') : '',
            sent(call).some((attempt) => attempt.answeredBy) ? 'not sent' : ''].filter(Boolean).join(', ');
          const kind = call.status || call.error ? kindOf(statusOf(call), call.error) : 'note';
          const url = make('span', {class: 'url'}, call.request.url);
          if (note) url.append(' ', make('span', {class: 'note'}, note));
          call.button.replaceChildren(make('span', {class: 'method'}, call.request.method), url,
            make('span', {class: kind}, statusText(call)),
            make('span', {class: 'number'}, entry && call.status && !isRunning(call) ? size(entry.response.content.size) : ''),
            make('span', {class: 'number'}, isRunning(call) ? 'running' : time(call.duration)),
            make('span', {class: 'phases'}, bar(sent(call), spent(call), longest)));
          if (call.button.getAttribute('aria-expanded') === 'true') call.panel.replaceChildren(detail(call, call.open));
        };
        const toggle = (call) => {
          const isOpen = call.button.getAttribute('aria-expanded') !== 'true';
          call.open ||= new Set([...call.attempts.keys()].map((index) => `${index}-changes`)
            .concat(`${call.attempts.length - 1}-content`));
          call.button.setAttribute('aria-expanded', isOpen);
          call.panel.hidden = !isOpen;
          call.panel.replaceChildren(...(isOpen ? [detail(call, call.open)] : []));
        };
        const add = (call) => {
          const known = calls.get(call.id);
          if (known) {
            Object.assign(call, {item: known.item, button: known.button, panel: known.panel, open: known.open});
          } else {
            call.panel = make('div', {class: 'detail', id: `call-${call.id}`, role: 'region',
              'aria-label': `Details of call ${call.id}`, hidden: ''});
            call.button = make('button', {class: 'call', type: 'button', 'aria-expanded': 'false',
              'aria-controls': `call-${call.id}`});
            call.item = make('li', {}, call.button, call.panel);
            byID('calls').append(call.item);
            call.button.addEventListener('click', () => toggle(calls.get(call.id)));
          }
          calls.set(call.id, call);
          return call;
        };
        const say = (text) => { byID('state').textContent = text; };
        const show = () => {
          const terms = byID('search').value.toLowerCase().split(/\s+/).filter(Boolean);
          let shown = 0;
          for (const call of calls.values()) {
            call.item.hidden = !matches(call, terms);
            if (!call.item.hidden) shown++;
          }
          byID('empty').hidden = calls.size > 0;
          const failed = [...calls.values()].filter(hasFailed).length;
          say(`${plural(calls.size, 'call')}${failed ? `, ${failed} failed` : ''}`
            + (shown < calls.size ? `, ${shown} shown` : ''));
        };
        const receive = (feed) => {
          if (feed.version < version) for (const id of [...calls.keys()]) remove(id);
          version = feed.version;
          for (const id of [...calls.keys()]) if (id < feed.first) remove(id);
          const atEnd = calls.size > 1 && innerHeight + scrollY >= document.documentElement.scrollHeight - 20;
          const changed = feed.calls.map(add);
          const scale = Math.max(1, ...[...calls.values()].map(spent));
          const all = scale !== longest;
          longest = scale;
          for (const call of all ? calls.values() : changed) draw(call);
          show();
          if (atEnd) scrollTo(0, document.documentElement.scrollHeight);
          const linked = changed.find((call) => `#${call.panel.id}` === location.hash);
          if (linked && linked.panel.hidden) toggle(linked);
        };
        const remove = (id) => { calls.get(id).item.remove(); calls.delete(id); };

        // Loading

        const wait = (ms) => new Promise((done) => setTimeout(done, ms));
        const visible = () => document.hidden
          ? new Promise((done) => document.addEventListener('visibilitychange', done, {once: true})) : null;
        const poll = async () => {
          for (;;) {
            await visible();
            try {
              const response = await fetch(`calls?since=${version}`, {cache: 'no-store'});
              const feed = await response.json();
              if (failures || feed.calls.length || feed.version !== version || !version) receive(feed);
              failures = 0;
            } catch {
              if (++failures === 3) say('The program has ended. The calls up to then remain on this page.');
            }
            await wait(failures ? 2000 : 500);
          }
        };

        // Controls

        byID('search').addEventListener('input', show);
        byID('failed').addEventListener('click', () => {
          onlyFailed = !onlyFailed;
          byID('failed').setAttribute('aria-pressed', onlyFailed);
          show();
        });
        byID('clear').addEventListener('click', async () => {
          try { await fetch('clear', {method: 'POST'}); } catch { /* The page is cleared in any case. */ }
          for (const id of [...calls.keys()]) remove(id);
          show();
          byID('search').focus();
        });
        document.addEventListener('keydown', (event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const focused = document.activeElement;
          if (event.key === '/' && !focused.matches('input')) { event.preventDefault(); byID('search').focus(); }
          if (event.key === 'Escape') {
            const panel = focused.closest('.detail');
            if (panel) { const button = panel.previousSibling; button.click(); button.focus(); }
          }
          if (focused.matches('.call') && ['ArrowDown', 'ArrowUp'].includes(event.key)) {
            const rows = [...document.querySelectorAll('li:not([hidden]) > .call')];
            const next = rows[rows.indexOf(focused) + (event.key === 'ArrowDown' ? 1 : -1)];
            if (next) { event.preventDefault(); next.focus(); }
          }
        });

        const data = byID('data');
        if (data) {
          for (const id of ['clear', 'export']) byID(id).remove();
          receive(JSON.parse(data.textContent));
        } else poll();
        """#
}
