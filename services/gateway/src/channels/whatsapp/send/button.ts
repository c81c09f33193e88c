import type { Button } from '@signalbox/contracts/conversation/envelope';

export interface ButtonRef {
  readonly outboxId: string;
  readonly index: number;
}

/** A reply button or list row. Its id names the outbox row and the button's index, never its value. */
export interface ReplyOption {
  readonly id: string;
  readonly title: string;
  /** The whole label, where the title is cut; only lists have room for it. */
  readonly description?: string;
}

/** Refers to no outbox row, for buttons of other programs. */
export const NO_BUTTON: ButtonRef = { outboxId: '0', index: 0 };

const BUTTONS = 3;
const BUTTON_TITLE = 20;
const ROW_TITLE = 24;
const ROWS = 10;

/** Chooses buttons if they fit WhatsApp's limits; otherwise lists of at most ten rows. */
export function toReplyOptions(
  buttons: readonly Button[],
  outboxId: number,
): { readonly form: 'buttons' | 'lists'; readonly groups: readonly (readonly ReplyOption[])[] } {
  const labels = buttons.map(({ label }) => label.replace(/\s+/g, ' ').trim());
  const idOf = (index: number): string => `${outboxId}:${index}`;
  const isShort = labels.every((label) => label.length <= BUTTON_TITLE) && new Set(labels).size === labels.length;
  if (labels.length <= BUTTONS && isShort)
    return { form: 'buttons', groups: [labels.map((title, index) => ({ id: idOf(index), title }))] };
  const titles = labels.map((label) => cut(label, ROW_TITLE));
  const rows = labels.map((label, index): ReplyOption => {
    const title = titles[index] ?? '';
    // Labels with equal beginnings are distinguished by numbers.
    const isAlone = titles.indexOf(title) === titles.lastIndexOf(title);
    const shown = isAlone ? title : cut(`${index + 1}. ${label}`, ROW_TITLE);
    return { id: idOf(index), title: shown, ...(shown === label ? {} : { description: label }) };
  });
  const groups = Array.from({ length: Math.ceil(rows.length / ROWS) }, (_, group) =>
    rows.slice(group * ROWS, (group + 1) * ROWS),
  );
  return { form: 'lists', groups };
}

/** Parses an id made by `toReplyOptions`; null for other text. */
export function parseButton(id: string): ButtonRef | null {
  const [, outboxId, index] = /^(\d{1,15}):(\d{1,2})$/.exec(id) ?? [];
  return outboxId === undefined ? null : { outboxId, index: Number(index) };
}

const SEGMENTER = new Intl.Segmenter();

/** Shortens a label with an ellipsis, between two characters. */
function cut(label: string, most: number): string {
  if (label.length <= most) return label;
  let kept = '';
  for (const { segment } of SEGMENTER.segment(label)) {
    if (kept.length + segment.length > most - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
