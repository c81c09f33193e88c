import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Settings } from '../store/store.ts';
import { type Notice, toPayload } from './notice.ts';

const TIMEOUT_MS = 10_000;
const LONGEST_WAIT_MS = 30_000;

/** The bot's response to a post; `status` 0 when there was none. */
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

/** Posts signed notices to the bot in order, retries until 200 with growing delays, and alternates between several addresses. */
export class Webhooks {
  /** While true, notices are collected until `flush` sends them. */
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

  /** Id and display form of the bot's number. */
  get phone(): WebhooksOptions['phone'] {
    return this.#options.phone;
  }

  /** Number of posts that the bot has not accepted. */
  get pending(): number {
    return this.#waiting.length + this.#gathered.length;
  }

  /** Sends Meta's challenge to each address. Returns why one fails; null when all pass. */
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

  /** Sends the collected notices: reversed, in one body, or repeated. */
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

  /** Posts any text once, signed with this secret or unsigned. */
  async post(text: string, secret: string | null = this.#options.appSecret): Promise<PostAnswer> {
    const url = this.#urls[(this.#turn += 1) % this.#urls.length] ?? '';
    const signature = secret === null ? {} : { 'x-hub-signature-256': sign(text, secret) };
    const headers = { 'content-type': 'application/json', ...signature };
    return this.#request(url, { method: 'POST', headers, body: text });
  }

  /** Posts the last body again, as if the response had been lost. */
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

/** Computes the value of `X-Hub-Signature-256`. */
function sign(text: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
}
