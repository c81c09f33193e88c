import type { QueuedUpdate } from '../store/event.ts';

/** Updates that must not overtake each other, oldest first; and what became of the first one so far. */
export interface UpdateLine {
  readonly key: string;
  readonly items: QueuedUpdate[];
  isBusy: boolean;
  failures: number;
  /** Not before this time (epoch ms). */
  wakeAtMs: number;
}

/**
 * Names the line of an update. Telegram keeps the messages of one chat in order, and the clicks of one person; lines do
 * not wait for each other, so a click may overtake the message that came before it.
 */
export function nameLine(update: Readonly<Record<string, unknown>>): string {
  const click = update['callback_query'];
  if (click !== undefined) return `clicks of ${readId(click, 'from')}`;
  const kind = Object.keys(update).find((key) => key !== 'update_id') ?? '';
  const family = kind === 'edited_message' ? 'message' : kind;
  return `${family} in ${readId(update[kind], 'chat')}`;
}

/** Of the lines that may send now, the one whose first update is the oldest; and when the next one wakes up otherwise. */
export function findNextLine(
  lines: Iterable<UpdateLine>,
  nowMs: number,
): { readonly line: UpdateLine | null; readonly wakeAtMs: number } {
  let line: UpdateLine | null = null;
  let wakeAtMs = Infinity;
  for (const candidate of lines) {
    if (candidate.isBusy) continue;
    if (candidate.wakeAtMs > nowMs) wakeAtMs = Math.min(wakeAtMs, candidate.wakeAtMs);
    else if (!line || positionOf(candidate) < positionOf(line)) line = candidate;
  }
  return { line, wakeAtMs };
}

function positionOf(line: UpdateLine): number {
  return line.items[0]?.position ?? Infinity;
}

/** Injected updates may have any shape: what has no id shares a line. */
function readId(value: unknown, field: 'from' | 'chat'): string {
  if (typeof value !== 'object' || value === null || !(field in value)) return '?';
  const owner: unknown = Reflect.get(value, field);
  return typeof owner === 'object' && owner !== null && 'id' in owner ? String(owner.id) : '?';
}
