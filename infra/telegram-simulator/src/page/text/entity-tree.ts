import type { MessageEntity } from 'grammy/types';

/** Entities that are displayed as blocks of their own. */
const BLOCKS = new Set(['pre', 'blockquote', 'expandable_blockquote']);

type EntitySpan = { readonly type: string; readonly offset: number; readonly length: number };
/** A node of a formatted text: plain text, or an entity with its content. */
export type EntityNode<Entity extends EntitySpan = MessageEntity> =
  string | { readonly entity: Entity; readonly text: string; readonly children: readonly EntityNode<Entity>[] };

interface Range<Entity> {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly spans: readonly { readonly entity: Entity; readonly start: number; readonly end: number }[];
}

/** Builds a tree from a text and its entities (UTF-16 offsets). Splits overlapping entities, and drops line breaks next to blocks. */
export function buildEntityTree<Entity extends EntitySpan>(
  text: string,
  entities: readonly Entity[],
): readonly EntityNode<Entity>[] {
  const spans = entities
    .map((entity) => ({ entity, start: entity.offset, end: entity.offset + entity.length }))
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  return buildRange({ text, start: 0, end: text.length, spans });
}

function buildRange<Entity extends EntitySpan>({
  text,
  start,
  end,
  spans,
}: Range<Entity>): readonly EntityNode<Entity>[] {
  const nodes: EntityNode<Entity>[] = [];
  let position = start;
  let rest = spans;
  for (let first = rest[0]; first; first = rest[0]) {
    const from = Math.max(first.start, position);
    const to = Math.min(first.end, end);
    rest = rest.slice(1);
    if (from >= to) continue;
    const isBlock = BLOCKS.has(first.entity.type);
    const before = text.slice(position, from);
    nodes.push(isBlock ? before.replace(/\n$/, '') : before);
    const inside = rest.filter((span) => span.start < to);
    const children = buildRange({ text, start: from, end: to, spans: inside });
    nodes.push({ entity: first.entity, text: text.slice(from, to), children });
    position = isBlock && text[to] === '\n' ? to + 1 : to;
    // The rest of an overlapping entity continues after this one.
    rest = rest.filter((span) => span.end > to);
  }
  nodes.push(text.slice(position, Math.max(position, end)));
  return nodes.filter((node) => node !== '');
}
