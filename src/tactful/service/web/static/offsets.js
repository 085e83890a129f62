// Places in a text. The service counts Unicode code points; JavaScript counts UTF-16 units, of
// which an emoji has two or more. Everything in these scripts is in units, converted here once.

/** Where each of some places, given in code points, lies in UTF-16 units: a Map of both. */
export function unitsOf(text, points) {
  const wanted = [...new Set(points)].sort((one, other) => one - other);
  const found = new Map();
  let unit = 0;
  let point = 0;
  for (const each of wanted) {
    while (point < each && unit < text.length) {
      unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
      point += 1;
    }
    found.set(each, unit);
  }
  return found;
}

const isPair = (text, at) => {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
};

/** What was replaced between two texts: from `start`, `removed` units by `added` units. */
export function change(before, after) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  if (start && (isPair(before, start) || isPair(after, start))) start -= 1;
  let end = 0;
  while (
    end < shorter - start
    && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) end += 1;
  if (end && (isPair(before, before.length - end) || isPair(after, after.length - end))) end -= 1;
  return { start, removed: before.length - start - end, added: after.length - start - end };
}

/** Marks after a change: those behind it move along, those that it touches are gone. */
export function moved(marks, { start, removed, added }) {
  const end = start + removed;
  const by = added - removed;
  const kept = [];
  for (const mark of marks) {
    if (mark.end <= start) kept.push(mark);
    else if (mark.start >= end) kept.push({ ...mark, start: mark.start + by, end: mark.end + by });
    // Typing inside a long mark stretches it until the service has read the text again.
    else if (mark.start < start && mark.end > end) kept.push({ ...mark, end: mark.end + by });
  }
  return kept;
}
