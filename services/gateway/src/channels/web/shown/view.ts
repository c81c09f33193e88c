import type { Component, PatchStep } from '@signalbox/contracts/conversation/frames';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import { flatten, parseMarkdown, type Node } from '../../text/markdown.ts';
import type { StoredPatch } from './patches.ts';

/** A table of more columns is wider than a phone. */
const MAX_COLUMNS = 3;
/** A longer table stays one: as cards it would be a very long page. */
const MAX_CARDS = 50;
/** Parsing holds up every other page. */
const MAX_PARSED = 40_000;

type Child = Component['children'][number];
type Table = Extract<Node, { type: 'table' }>;

/** The step that brings a page of this device to what a patch says. */
export function toStep(stored: StoredPatch, device: PageMode['device']): PatchStep {
  const { id, patch } = stored;
  return patch === null ? { op: 'remove', id } : { op: 'put', component: toComponent(stored, patch, device) };
}

/** Whether a patch looks different on the two devices. */
export function dependsOnDevice(stored: StoredPatch): boolean {
  return JSON.stringify(toStep(stored, 'mobile')) !== JSON.stringify(toStep(stored, 'desktop'));
}

function toComponent(
  { id, place, version, at }: StoredPatch,
  { type, props }: NonNullable<StoredPatch['patch']>,
  device: PageMode['device'],
): Component {
  // What is stored came out of JSON.
  const shown = { ...props, at } as Component['props'];
  const component: Component = { id, place, version: version ?? '', type, props: shown, children: [] };
  const { text } = props;
  // A card is shown as it was hashed.
  if (device === 'desktop' || type !== 'Message' || typeof text !== 'string') return component;
  const split = splitTables(text);
  return split ? { ...component, props: { ...shown, text: split.text }, children: split.children } : component;
}

/** A text whose wide tables are cards: what stands before the first, then the cards and what stands between them. Null without one. */
function splitTables(text: string): { readonly text: string; readonly children: Child[] } | null {
  if (!text.includes('|') || text.length > MAX_PARSED) return null;
  const tables = parseMarkdown(text).filter((node) => node.type === 'table' && isWide(node)) as Table[]; // as the filter says
  let end = 0;
  const parts: (string | Table)[] = [];
  for (const table of tables) {
    const { start, end: next } = table.position ?? {};
    if (start?.offset === undefined || next?.offset === undefined) continue;
    parts.push(text.slice(end, start.offset).trim(), table);
    end = next.offset;
  }
  if (parts.length === 0) return null;
  const [first, ...others] = [...parts, text.slice(end).trim()];
  return {
    text: typeof first === 'string' ? first : '',
    children: others.flatMap((part) => (typeof part === 'string' ? toText(part) : toCards(part))),
  };
}

function isWide({ children: rows }: Table): boolean {
  return (rows[0]?.children.length ?? 0) > MAX_COLUMNS && rows.length > 1 && rows.length <= MAX_CARDS + 1;
}

function toText(text: string): Child[] {
  return text === '' ? [] : [{ type: 'Text', props: { text } }];
}

/** Each row is a card: its first cell is the title, the others are fields under the names of their columns. */
function toCards({ children: [head, ...rows] }: Table): Child[] {
  const names = head?.children.map(flatten) ?? [];
  return rows.map(({ children: cells }) => {
    const [title = '', ...values] = cells.map(flatten);
    const fields = values.map((value, place) => ({ label: names[place + 1] ?? '', value }));
    return { type: 'DataCard', props: { title, text: '', fields, buttons: [], pressed: null } };
  });
}
