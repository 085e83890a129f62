// Files that somebody opens or drops: read in this browser, as UTF-8.

import { tell, word } from './words.js';

const MEGABYTE = 1e6;
const KINDS = { md: 'markdown', markdown: 'markdown', html: 'html', htm: 'html' };
const PLAIN = ['txt', 'text', 'md', 'markdown', 'html', 'htm'];
export const TABLES = ['csv', 'tsv', 'jsonl', 'ndjson'];

export const endingOf = (name) => name.toLowerCase().split('.').pop();
export const kindOf = (name) => KINDS[endingOf(name)] ?? 'plain';
export const isText = (name) => PLAIN.includes(endingOf(name));
export const isTable = (name) => TABLES.includes(endingOf(name));

/** The text of a file, or null, with the reason told. */
export async function readText(file, mostMegabytes) {
  const values = { name: file.name, most: mostMegabytes };
  if (file.size > mostMegabytes * MEGABYTE) {
    tell(word('too_large', values));
    return null;
  }
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const text = decoder.decode(await file.arrayBuffer());
    // NUL is in no text, and in almost every file that is none.
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8: told below.
  }
  tell(word('bad_bytes', values));
  return null;
}

/** Call back with a file that is opened with the button or dropped anywhere on the page. */
export function onFile(open) {
  const field = document.getElementById('file');
  document.getElementById('open').addEventListener('click', () => field.click());
  field.addEventListener('change', () => {
    if (field.files.length) open(field.files[0]);
    field.value = ''; // the same file may be opened again
  });
  const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  let depth = 0;
  const mark = (by) => {
    depth = Math.max(0, depth + by);
    document.body.classList.toggle('dropping', depth > 0);
  };
  addEventListener('dragenter', (event) => hasFile(event) && mark(1));
  addEventListener('dragleave', (event) => hasFile(event) && mark(-1));
  addEventListener('dragover', (event) => {
    if (hasFile(event)) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    mark(-depth);
    if (event.dataTransfer.files.length) open(event.dataTransfer.files[0]);
  });
}

/** Let the browser save what was made here. */
export function save(name, parts, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
