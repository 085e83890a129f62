// Tables as text: CSV in and out, and JSON lines in.

/** Something in a file that cannot be read; `key` and `line` say what and where. */
export class BadTable extends Error {
  constructor(key, line) {
    super(key);
    this.key = key;
    this.line = line;
  }
}

/** The sign between cells: the one of which the first line holds most, outside of quotes. */
export function delimiterOf(text) {
  const first = text.slice(0, 10_000).replaceAll(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/, 1)[0];
  const counted = [',', ';', '\t'].map((sign) => [first.split(sign).length, sign]);
  return counted.reduce((best, each) => (each[0] > best[0] ? each : best))[1];
}

/** The rows of a CSV file (RFC 4180): a list of lists of cells; blank lines are left out. */
export function parseCsv(text, delimiter = delimiterOf(text)) {
  const rows = [];
  let row = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  const end = () => {
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };
  while (at <= text.length) {
    let cell = '';
    if (text[at] === '"') {
      const opened = line;
      for (at += 1; ; at += 1) {
        const quote = text.indexOf('"', at);
        if (quote < 0) throw new BadTable('open_quote', opened);
        const piece = text.slice(at, quote);
        cell += piece;
        line += piece.split('\n').length - 1;
        at = quote + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
    }
    let stop = at;
    while (stop < text.length && text[stop] !== delimiter && text[stop] !== '\n' && text[stop] !== '\r') {
      stop += 1;
    }
    row.push(cell + text.slice(at, stop));
    at = stop + 1;
    if (text[stop] !== delimiter) {
      if (text[stop] === '\r' && text[at] === '\n') at += 1;
      line += 1;
      end();
    }
  }
  return rows;
}

/** The rows of JSON lines, as lists of cells under the names of all fields; the first row names. */
export function parseJsonLines(text) {
  const objects = [];
  text.split('\n').forEach((line, at) => {
    if (!line.trim()) return;
    let value = null;
    try {
      value = JSON.parse(line);
    } catch {
      // Told below.
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw new BadTable('bad_json', at + 1);
    }
    objects.push(value);
  });
  const names = [...new Set(objects.flatMap((each) => Object.keys(each)))];
  const cell = (value) => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));
  return [names, ...objects.map((each) => names.map((name) => cell(each[name])))];
}

// As in exports of annotations: what a spreadsheet would run gets an apostrophe in front, and so
// does what has one already, so that ours can be told from others.
const RUNS = /^(?:[\t\r\n']|[\s\u200b\ufeff]*[=+@\uff1d\uff0b\uff0d\uff20-])/u;

export const neutralised = (cell) =>
  (typeof cell === 'string' && RUNS.test(cell) ? `'${cell}` : cell);

/** A CSV file; numbers stay numbers, null is an empty cell. */
export function writeCsv(rows) {
  const written = (cell) => {
    const text = cell === null ? '' : String(neutralised(cell));
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(written).join(',')}\r\n`).join('');
}
