import { backoffMs, MINUTE_MS, sleep } from '@signalbox/contracts/time';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { IncomingUpdate, ChannelListener } from '../../channel.ts';

/*
 * idle → (a page says something) → admitting a batch [what comes meanwhile waits] → admitting what waited → … → idle
 *                                     └─ Postgres away: the same batch again, ever more slowly ─▶ after a minute the page has to say it again
 *
 * One admission at a time, so that what pages of one session say cannot overtake each other here.
 */

const MAX_AT_ONCE = 100;
/** Pages whose words wait. Beyond them a page is told to come again. */
const MAX_WAITING = 1_000;
const PATIENCE_MS = MINUTE_MS;
const RETRY_BASE_MS = 100;
const RETRY_MAX_MS = 3_000;
/** How soon it is looked again whether this gateway listens. */
const CLOSED_MS = 200;

type Admit = (updates: readonly IncomingUpdate[]) => Promise<void>;
type Said = Extract<IncomingUpdate, { kind: 'text' | 'press' | 'mode' }>;

interface Waiting {
  readonly update: Said;
  readonly untilMs: number;
  readonly taken: Promise<boolean>;
  readonly resolve: (isTaken: boolean) => void;
}

export interface IntakeDeps {
  /** What was said in these chats is admitted. */
  readonly taken: (chatKeys: readonly string[]) => void;
  readonly log: Log;
  /** How long something is tried, in milliseconds; a minute when not given. */
  readonly patienceMs?: number;
}

/** Takes in what pages say, in order. */
export class Intake implements Closable {
  readonly #deps: IntakeDeps;
  #admit: Admit | null = null;
  #waiting: Waiting[] = [];
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  #admitting: Promise<boolean> = Promise.resolve(true);

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** For the gateway: what is said goes to `admit` until this is closed. */
  listen(admit: Admit): ChannelListener {
    this.#admit = admit;
    const ended = new AbortController();
    return {
      problem: () => null,
      ended: new Promise((resolve) => ended.signal.addEventListener('abort', () => resolve())),
      close: async () => {
        if (this.#admit === admit) this.#admit = null;
        // What is being admitted is finished; what waits is taken by the next listener, if there is one in time.
        await this.#admitting;
        ended.abort();
      },
    };
  }

  /** Resolves with true once it is admitted, with false when the page has to say it again. Never rejects. */
  bring(update: Said): Promise<boolean> {
    // A page that came back says again what it has seen no echo of.
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
        await sleep(admit ? backoffMs(failures, RETRY_BASE_MS, RETRY_MAX_MS) : CLOSED_MS, this.#stop.signal);
      failures += 1;
      this.#giveUp();
    }
    // Nothing was awaited since the last look: what comes from now on starts it again.
    this.#isRunning = false;
  }

  async #take(admit: Admit, batch: readonly Waiting[]): Promise<boolean> {
    // Two gateways that lock the chats of a batch in the same order never wait for each other. Within a chat it is the order of arrival.
    const updates = batch.map(({ update }) => update).toSorted((one, other) => compare(one.chatKey, other.chatKey));
    try {
      await admit(updates);
      this.#deps.taken([...new Set(updates.map(({ chatKey }) => chatKey))]);
      return true;
    } catch (error) {
      this.#deps.log.debug('what pages said is not admitted yet', { count: batch.length, error });
      return false;
    }
  }

  /** Those that have waited long enough; all when this gateway stops. */
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
