import { redactDraft } from '@signalbox/safety/redact/draft';
import { cutDraft, toDraftId, type Draft } from '@signalbox/platform/streams/drafts';

export type TurnDraft = ReturnType<typeof createTurnDraft>;

/** The pause between two updates of a draft: people read no faster, and some gateways show fewer updates. */
const EVERY_MS = 300;
/** A draft is sent again after this time, since a channel removes a draft after 30 s without an update. */
const AGAIN_MS = 20_000;

/** Shows a turn's unfinished text, the newest at most every 300 ms, until the turn is aborted. */
export function createTurnDraft(options: {
  readonly head: Pick<Draft, 'chatKey' | 'userKey' | 'turnId'>;
  readonly publish: (draft: Draft) => Promise<void>;
  /** Adds the runtime's own lines to the shown text. */
  readonly preview?: (text: string) => Promise<string>;
  readonly signal: AbortSignal;
}) {
  const { head, publish, signal, preview = (text) => Promise.resolve(text) } = options;
  const draftId = toDraftId(head.turnId);
  let text = '';
  /** A line of the runtime below the text; the model's next words replace it. */
  let note = '';
  let seq = 0;
  /** The last published text; null when the channel may have removed it. */
  let shown: string | null = null;
  let publishedAt = Number.NEGATIVE_INFINITY;
  let publishing = false;
  let timer: NodeJS.Timeout | undefined;
  let over = false;

  const newest = (): string => [text, note].filter((part) => part !== '').join('\n\n');

  const put = (whole: string | null, view = whole): Promise<void> => {
    seq += 1;
    shown = whole;
    return publish({ ...head, draftId, seq, text: cutDraft(view ?? ''), final: whole === null });
  };

  /** Schedules the newest text as soon as allowed, and again before the draft disappears. */
  const plan = (): void => {
    clearTimeout(timer);
    if (over || publishing || newest() === '') return;
    const wait = newest() === shown ? AGAIN_MS : EVERY_MS;
    const dueMs = publishedAt + wait - performance.now();
    timer = setTimeout(() => void publishNewest(), Math.max(0, dueMs)).unref();
  };

  const publishNewest = async (): Promise<void> => {
    const whole = newest();
    // Redaction drops the unfinished end, which may be the beginning of a secret.
    const known = redactDraft(text);
    const below = note;
    if (known.trim() === '' && below === '') return; // the next piece is tried at once, because nothing was shown
    publishing = true;
    publishedAt = performance.now();
    // A text whose preview fails is not shown.
    const view = known.trim() === '' ? '' : await preview(known).catch(() => null);
    const parts = [view, below].filter((part) => part !== '');
    if (view !== null && !over && newest() !== '') await put(whole, parts.join('\n\n'));
    publishing = false;
    plan();
  };

  /** Clears the draft's text after it became a message or was given up. */
  const settle = (): void => {
    text = '';
    note = '';
    clearTimeout(timer);
    if (shown !== null) void put(null);
  };

  /** Ends the draft. Idempotent. */
  const end = (): void => {
    if (over) return;
    over = true;
    signal.removeEventListener('abort', end);
    clearTimeout(timer);
    if (shown !== null) void put(null);
  };

  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return {
    /** Shows this text soon; of several texts only the newest. Never waits. */
    show(whole: string): void {
      if (over || whole.trim() === '') return;
      const before = newest();
      text = whole;
      note = '';
      if (before !== newest()) plan();
    },
    /** Shows a line below the text until the text grows. It never becomes part of a message. */
    tell(line: string): void {
      note = line;
      plan();
    },
    settle,
    end,
    /** The text that did not become a message; empty when there is none. */
    unsent: () => redactDraft(text),
  };
}
