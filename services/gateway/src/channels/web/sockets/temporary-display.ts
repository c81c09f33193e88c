import type { PatchStep, ServerFrame } from '@signalbox/contracts/conversation/frames';

/* A page's temporary display (thinking, draft, notice) is not stored. An unsent state is replaced by the next one. */

/** Workers repeat their signal every four seconds. */
const THINKING_MS = 8_000;
/** Workers repeat a draft after twenty seconds. */
const DRAFT_MS = 30_000;
const NOTICE_MS = 6_000;
/** A notice describes something in progress, so it should not remain below the answer. */
const NOTICE_AFTER_ANSWER_MS = 2_000;
/** Sorts below all stored components. */
const DRAFT_PLACE = Number.MAX_SAFE_INTEGER - 1;

type Payload =
  | Pick<Extract<ServerFrame, { type: 'server.agent.thinking' }>, 'type' | 'payload'>
  | Pick<Extract<ServerFrame, { type: 'server.transcript.partial' }>, 'type' | 'payload'>;

interface Shown {
  readonly text: string | null;
  readonly untilMs: number;
}

const NOTHING: Shown = { text: null, untilMs: 0 };

/** The temporary display of one page. Times of a monotonic clock, in milliseconds. */
export class TemporaryDisplay {
  #thinkingUntilMs = 0;
  #draft: Shown = NOTHING;
  #notice: Shown = NOTHING;
  /** The state that the page has been sent. */
  #seen = { thinking: false, draft: null as string | null, notice: null as string | null };

  think(now = performance.now()): void {
    this.#thinkingUntilMs = now + THINKING_MS;
  }

  draft(text: string, now = performance.now()): void {
    this.#draft = { text, untilMs: now + DRAFT_MS };
  }

  notice(text: string, now = performance.now()): void {
    this.#notice = { text, untilMs: now + NOTICE_MS };
  }

  /** Notes an answer. True when the page shows a draft of that answer. */
  answered(now = performance.now()): boolean {
    this.#thinkingUntilMs = 0;
    this.#draft = NOTHING;
    this.#notice = { ...this.#notice, untilMs: Math.min(this.#notice.untilMs, now + NOTICE_AFTER_ANSWER_MS) };
    return this.#seen.draft !== null;
  }

  /** True when something expired that the page still shows. */
  isOver(now = performance.now()): boolean {
    return (
      (this.#seen.thinking && this.#thinkingUntilMs < now) ||
      (this.#seen.draft !== null && this.#draft.untilMs < now) ||
      (this.#seen.notice !== null && this.#notice.untilMs < now)
    );
  }

  /** The steps and frames that bring the page up to date; they count as sent. */
  take(now = performance.now()): { readonly steps: readonly PatchStep[]; readonly frames: readonly Payload[] } {
    const current = ({ text, untilMs }: Shown): string | null => (untilMs > now ? text : null);
    const before = this.#seen;
    const next = { thinking: this.#thinkingUntilMs > now, draft: current(this.#draft), notice: current(this.#notice) };
    this.#seen = next;
    const steps: PatchStep[] = [];
    const frames: Payload[] = [];
    if (next.draft !== before.draft) steps.push(toStep('draft', next.draft));
    if (next.notice !== before.notice) steps.push(toStep('notice', next.notice));
    if (next.thinking !== before.thinking)
      frames.push({ type: 'server.agent.thinking', payload: { active: next.thinking } });
    if (next.draft !== null && next.draft !== before.draft)
      frames.push({ type: 'server.transcript.partial', payload: { speaker: 'agent', text: next.draft } });
    return { steps, frames };
  }
}

function toStep(id: 'draft' | 'notice', text: string | null): PatchStep {
  if (text === null) return { op: 'remove', id };
  const drawn =
    id === 'draft'
      ? { place: DRAFT_PLACE, type: 'Draft', props: { text } }
      : { place: DRAFT_PLACE + 1, type: 'Notice', props: { text, tone: 'info' } };
  return { op: 'put', component: { id, version: '', children: [], ...drawn } };
}
