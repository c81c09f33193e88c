import { redactDraft } from '@signalbox/safety/redact/draft';
import { cutDraft, toDraftId, type Draft } from '@signalbox/platform/streams/drafts';

export type TurnDraft = ReturnType<typeof createTurnDraft>;

/** A person reads no quicker, and a gateway shows fewer still. */
const EVERY_MS = 300;
/** A channel takes a draft away after 30 s without news. Tools may be slower. */
const AGAIN_MS = 20_000;

/**
 * What the person is shown of a turn while its words are being written. A preview: the truth is in the outbox. At most
 * one is published in 300 ms, and one at a time; the newest text wins. It ends by itself when the turn is aborted.
 */
export function createTurnDraft(options: {
  readonly head: Pick<Draft, 'chatKey' | 'userKey' | 'turnId'>;
  /** Never rejects. */
  readonly publish: (draft: Draft) => Promise<void>;
  /** What is shown of a text: with what the runtime has to add. */
  readonly preview?: (text: string) => Promise<string>;
  readonly signal: AbortSignal;
}) {
  const { head, publish, signal, preview = (text) => Promise.resolve(text) } = options;
  const draftId = toDraftId(head.turnId);
  let text = '';
  let seq = 0;
  /** What was published last and is not known to be gone. */
  let shown: string | null = null;
  let publishedAt = Number.NEGATIVE_INFINITY;
  let publishing = false;
  let timer: NodeJS.Timeout | undefined;
  let over = false;

  const put = (whole: string | null, view = whole): Promise<void> => {
    seq += 1;
    shown = whole;
    return publish({ ...head, draftId, seq, text: cutDraft(view ?? ''), final: whole === null });
  };

  /** Sees to it that what is newest is published as soon as it may be, and again before it would disappear. */
  const plan = (): void => {
    clearTimeout(timer);
    if (over || publishing || text === '') return;
    const wait = text === shown ? AGAIN_MS : EVERY_MS;
    const dueMs = publishedAt + wait - performance.now();
    timer = setTimeout(() => void publishNewest(), Math.max(0, dueMs)).unref();
  };

  const publishNewest = async (): Promise<void> => {
    publishing = true;
    publishedAt = performance.now();
    const newest = text;
    // What cannot be shown as it should be is not shown: the message will be.
    // Before anything stands below it: the end of what is written may be the beginning of a secret.
    const view = await preview(redactDraft(newest)).catch(() => null);
    if (view !== null && !over && text !== '') await put(newest, view);
    publishing = false;
    plan();
  };

  /** What was being written is a message now, or was given up. A later `show` begins another text. */
  const settle = (): void => {
    text = '';
    clearTimeout(timer);
    if (shown !== null) void put(null);
  };

  /** The turn is over: nothing is shown any more. Idempotent. */
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
    /** Shows this text, all that is being written now, soon. Of several only the newest is shown. Never waits. */
    show(whole: string): void {
      if (over || whole.trim() === '') return;
      const before = text;
      text = whole;
      if (before !== text) plan();
    },
    settle,
    end,
    /** What was being written and did not become a message; empty when there is none. */
    unsent: () => redactDraft(text),
  };
}
