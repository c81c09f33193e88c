import type { PageComponent, PatchStep } from '@signalbox/contracts/conversation/frames';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import { getNodeText, parseMarkdown, type MarkdownNode } from '../../text/markdown.ts';
import type { StoredPatch } from './patches.ts';

/** Tables with more columns are wider than a phone. */
const MAX_COLUMNS = 3;
/** Longer tables stay tables: cards would fill a very long page. */
const MAX_CARDS = 50;
/** Longer texts keep their tables, since parsing blocks every other page. */
const MAX_PARSED = 40_000;

type Child = PageComponent['children'][number];
type Table = Extract<MarkdownNode, { type: 'table' }>;

/** Turns a stored patch into the step that applies it on this device. */
export function toStep(stored: StoredPatch, device: PageMode['device']): PatchStep {
  const { id, patch } = stored;
  return patch === null ? { op: 'remove', id } : { op: 'put', component: toComponent(stored, patch, device) };
}

/** True when a patch looks different on the two devices. */
export function dependsOnDevice(stored: StoredPatch): boolean {
  return JSON.stringify(toStep(stored, 'mobile')) !== JSON.stringify(toStep(stored, 'desktop'));
}

function toComponent(
  { id, place, version, at }: StoredPatch,
  { type, props }: NonNullable<StoredPatch['patch']>,
  device: PageMode['device'],
): PageComponent {
  // the stored value was written from JSON
  const shown = { ...props, at } as PageComponent['props'];
  const component: PageComponent = { id, place, version: version ?? '', type, props: shown, children: [] };
  const { text } = props;
  // An approval card is shown as it was hashed.
  if (device === 'desktop' || type !== 'Message' || typeof text !== 'string') return component;
  const split = splitTables(text);
  return split ? { ...component, props: { ...shown, text: split.text }, children: split.children } : component;
}

/** Replaces wide tables of a text by cards, with the texts before and between them. Null without wide tables. */
function splitTables(text: string): { readonly text: string; readonly children: Child[] } | null {
  if (!text.includes('|') || text.length > MAX_PARSED) return null;
  const tables = parseMarkdown(text).filter((node) => node.type === 'table' && isWide(node)) as Table[]; // the filter keeps tables only
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

/** Each row becomes a card: its first cell is the title, the others are labelled fields. */
function toCards({ children: [head, ...rows] }: Table): Child[] {
  const names = head?.children.map(getNodeText) ?? [];
  return rows.map(({ children: cells }) => {
    const [title = '', ...values] = cells.map(getNodeText);
    const fields = values.map((value, place) => ({ label: names[place + 1] ?? '', value }));
    return { type: 'DataCard', props: { title, text: '', fields, buttons: [], pressed: null } };
  });
}
