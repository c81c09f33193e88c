import { computeBackoffMs, MINUTE_MS, sleep } from '@signalbox/contracts/time';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { IncomingUpdate, ChannelListener } from '../../channel.ts';

/*
 * idle → (a page sends something) → admitting a batch [later updates wait] → admitting the waiting updates → … → idle
 * └─ Postgres away: the same batch again with growing delays ─▶ after a minute the page must send it again
 *
 * One admission runs at a time, so that the pages of one session cannot overtake each other.
 */

const MAX_AT_ONCE = 100;
/** The most waiting updates; further pages are asked to reconnect later. */
const MAX_WAITING = 1_000;
const PATIENCE_MS = MINUTE_MS;
const RETRY_BASE_MS = 100;
const RETRY_MAX_MS = 3_000;
/** How often a waiting update checks whether this gateway listens again. */
const CLOSED_MS = 200;

type Admit = (updates: readonly IncomingUpdate[]) => Promise<void>;
type PageUpdate = Extract<IncomingUpdate, { kind: 'text' | 'press' | 'mode' }>;

interface Waiting {
  readonly update: PageUpdate;
  readonly untilMs: number;
  readonly taken: Promise<boolean>;
  readonly resolve: (isTaken: boolean) => void;
}

export interface UpdateIntakeDeps {
  /** Called with the chats of admitted updates. */
  readonly onAdmitted: (chatKeys: readonly string[]) => void;
  readonly log: Log;
  /** How long an update is retried, in milliseconds; default one minute. */
  readonly patienceMs?: number;
}

/** Admits the updates of pages in order. */
export class UpdateIntake implements Closable {
  readonly #deps: UpdateIntakeDeps;
  #admit: Admit | null = null;
  #waiting: Waiting[] = [];
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  #admitting: Promise<boolean> = Promise.resolve(true);

  constructor(deps: UpdateIntakeDeps) {
    this.#deps = deps;
  }

  /** Passes updates to `admit` until closed. */
  listen(admit: Admit): ChannelListener {
    this.#admit = admit;
    const ended = new AbortController();
    return {
      problem: () => null,
      ended: new Promise((resolve) => ended.signal.addEventListener('abort', () => resolve())),
      close: async () => {
        if (this.#admit === admit) this.#admit = null;
        // Waits for the running admission; further updates go to the next listener, if one comes in time.
        await this.#admitting;
        ended.abort();
      },
    };
  }

  /** Resolves with true once the update is admitted, with false when the page must send it again. Never rejects. */
  submit(update: PageUpdate): Promise<boolean> {
    // A reconnected page repeats updates that were not confirmed.
    const same = this.#waiting.find((one) => one.update.updateId === update.updateId);
    if (same) return same.taken;
    if (this.#waiting.length >= MAX_WAITING || this.#stop.signal.aborted) return Promise.resolve(false);
    let resolve: Waiting['resolve'] = () => undefined;
    const taken = new Promise<boolean>((settle) => (resolve = settle));
    const untilMs = performance.now() + (this.#deps.patienceMs ?? PATIENCE_MS);
    this.#waiting.push({ update, untilMs, taken, resolve });
    if (!this.#isRunning) this.#running = this.#run();
    return taken;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let failures = 0;
    while (this.#waiting.length > 0) {
      const admit = this.#admit;
      const batch = this.#waiting.slice(0, MAX_AT_ONCE);
      if (admit) this.#admitting = this.#take(admit, batch);
      const isTaken = admit !== null && (await this.#admitting);
      if (isTaken) {
        this.#waiting.splice(0, batch.length);
        for (const one of batch) one.resolve(true);
        failures = 0;
        continue;
      }
      if (!this.#stop.signal.aborted)
        await sleep(admit ? computeBackoffMs(failures, RETRY_BASE_MS, RETRY_MAX_MS) : CLOSED_MS, this.#stop.signal);
      failures += 1;
      this.#giveUp();
    }
    // Nothing was awaited since the last check, so a later update starts the loop again.
    this.#isRunning = false;
  }

  async #take(admit: Admit, batch: readonly Waiting[]): Promise<boolean> {
    // Locking chats in one order avoids deadlocks between gateways. Within a chat the order of arrival is kept.
    const updates = batch.map(({ update }) => update).toSorted((one, other) => compare(one.chatKey, other.chatKey));
    try {
      await admit(updates);
      this.#deps.onAdmitted([...new Set(updates.map(({ chatKey }) => chatKey))]);
      return true;
    } catch (error) {
      this.#deps.log.debug('what pages said is not admitted yet', { count: batch.length, error });
      return false;
    }
  }

  /** Gives up updates that waited too long; when this gateway stops, all of them. */
  #giveUp(): void {
    const now = performance.now();
    const isOver = ({ untilMs }: Waiting): boolean => this.#stop.signal.aborted || untilMs < now;
    const over = this.#waiting.filter(isOver);
    this.#waiting = this.#waiting.filter((one) => !isOver(one));
    for (const one of over) one.resolve(false);
  }
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
