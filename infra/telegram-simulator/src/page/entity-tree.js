/** These break the line by themselves. */
const BLOCKS = new Set(['pre', 'blockquote', 'expandable_blockquote']);

/**
 * Turns a text and its entities (UTF-16 offsets, as JavaScript counts) into a tree of strings and
 * `{ entity, text, children }`. Entities may nest; one that sticks out of the one around it is cut in two. The line
 * break that touches a block goes, since the block breaks the line already.
 */
export function buildEntityTree(text, entities) {
  const sorted = entities
    .map((entity) => ({ entity, start: entity.offset, end: entity.offset + entity.length }))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  return buildRange({ text, start: 0, end: text.length, spans: sorted });
}

function buildRange({ text, start, end, spans }) {
  const nodes = [];
  let position = start;
  let rest = spans;
  while (rest.length > 0) {
    const [first, ...others] = rest;
    const from = Math.max(first.start, position);
    const to = Math.min(first.end, end);
    rest = others;
    if (from >= to) continue;
    const isBlock = BLOCKS.has(first.entity.type);
    const before = text.slice(position, from);
    nodes.push(isBlock ? before.replace(/\n$/, '') : before);
    const inside = rest.filter((span) => span.start < to);
    const children = buildRange({ text, start: from, end: to, spans: inside });
    nodes.push({ entity: first.entity, text: text.slice(from, to), children });
    position = isBlock && text[to] === '\n' ? to + 1 : to;
    // What sticks out goes on after the end of this one.
    rest = rest.filter((span) => span.end > to);
  }
  nodes.push(text.slice(position, Math.max(position, end)));
  return nodes.filter((node) => node !== '');
}
