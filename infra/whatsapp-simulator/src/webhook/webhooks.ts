import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Settings } from '../store/store.ts';
import { type Notice, toPayload } from './notice.ts';

const TIMEOUT_MS = 10_000;
const LONGEST_WAIT_MS = 30_000;

/** What the bot answered to one post; `status` 0 when it did not answer. */
export interface PostAnswer {
  readonly status: number;
  readonly body: string;
}

interface WebhooksOptions {
  readonly appSecret: string;
  readonly verifyToken: string;
  readonly phone: { readonly id: string; readonly display: string };
  readonly settings: Pick<Settings, 'retryMs'>;
  readonly closing: AbortSignal;
}

/**
 * Brings notices to the bot, signed and one after the other. What is not answered with 200 comes again, ever later. With several
 * addresses each post goes to the next one, as behind a load balancer.
 */
export class Webhooks {
  /** While true, notices gather until they are flushed. */
  isHeld = false;
  readonly #options: WebhooksOptions;
  #urls: readonly string[] = [];
  #turn = 0;
  #gathered: Notice[] = [];
  #last = '';
  readonly #waiting: (readonly Notice[])[] = [];
  #isRunning = false;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** The bot's number: its id and how people see it. */
  get phone(): WebhooksOptions['phone'] {
    return this.#options.phone;
  }

  /** How many posts were not taken yet. */
  get pending(): number {
    return this.#waiting.length + this.#gathered.length;
  }

  /** Asks each address for the challenge, as Meta does. Answers why one is not taken; null when all are. */
  async subscribe(urls: readonly string[]): Promise<string | null> {
    for (const url of urls) {
      const challenge = String(randomBytes(4).readUInt32BE());
      const query = new URLSearchParams({
        'hub.mode': 'subscribe',
        'hub.challenge': challenge,
        'hub.verify_token': this.#options.verifyToken,
      });
      const answer = await this.#request(`${url}?${query.toString()}`, { method: 'GET' });
      if (answer.status !== 200 || answer.body !== challenge)
        return `${url} answered the challenge with ${answer.status} and other words`;
    }
    this.#urls = urls;
    this.#start();
    return null;
  }

  add(notice: Notice): void {
    this.#gathered.push(notice);
    if (!this.isHeld) this.flush({});
  }

  /** Sends what has gathered: in the opposite order, all in one body, or several times. */
  flush(how: {
    readonly isReversed?: boolean | undefined;
    readonly isTogether?: boolean | undefined;
    readonly copies?: number | undefined;
  }): void {
    const notices = how.isReversed ? [...this.#gathered].reverse() : this.#gathered;
    this.#gathered = [];
    const posts = how.isTogether && notices.length > 0 ? [notices] : notices.map((notice) => [notice]);
    for (let copy = 0; copy < (how.copies ?? 1); copy += 1) this.#waiting.push(...posts);
    this.#start();
  }

  /** Posts any text at once and only once, signed with this secret or with none. */
  async post(text: string, secret: string | null = this.#options.appSecret): Promise<PostAnswer> {
    const url = this.#urls[(this.#turn += 1) % this.#urls.length] ?? '';
    const signature = secret === null ? {} : { 'x-hub-signature-256': sign(text, secret) };
    const headers = { 'content-type': 'application/json', ...signature };
    return this.#request(url, { method: 'POST', headers, body: text });
  }

  /** Posts the last body once more, as if the answer had been lost. */
  repeat(): Promise<PostAnswer> {
    return this.post(this.#last);
  }

  #start(): void {
    if (this.#isRunning || this.#urls.length === 0) return;
    this.#isRunning = true;
    void this.#run().finally(() => (this.#isRunning = false));
  }

  async #run(): Promise<void> {
    const { closing, phone, settings } = this.#options;
    for (let failures = 0; this.#waiting.length > 0 && !closing.aborted;) {
      this.#last = JSON.stringify(toPayload(this.#waiting[0] ?? [], phone));
      const { status } = await this.post(this.#last);
      if (status === 200) {
        this.#waiting.shift();
        failures = 0;
        continue;
      }
      failures += 1;
      const waitMs = Math.min(settings.retryMs * 2 ** (failures - 1), LONGEST_WAIT_MS);
      await wait(waitMs, undefined, { signal: closing }).catch(() => undefined);
    }
  }

  async #request(url: string, init: RequestInit): Promise<PostAnswer> {
    const signal = AbortSignal.any([this.#options.closing, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal });
      return { status: response.status, body: await response.text() };
    } catch {
      return { status: 0, body: '' };
    }
  }
}

/** What `X-Hub-Signature-256` holds of a body. */
function sign(text: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
}
