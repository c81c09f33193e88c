import { SECOND_MS } from '@signalbox/contracts/time';
import { CLOSE_CODES } from '@signalbox/contracts/conversation/frames';
import type { Closable } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import { startLoop } from '@signalbox/platform/loop';
import type { PageEvent } from './bus.ts';
import type { PageSocket } from './page-socket.ts';

/** The most pages per person, and over all people, at this gateway. The server accepts no more connections. */
const MAX_OF_PERSON = 20;
const MAX_PAGES = 900;
const TICK_MS = SECOND_MS;
/** In ticks: how often the hub looks for missed events, pings pages, and removes expired secrets. */
const LOOK_EVERY = 3;
const PING_EVERY = 20;
const FORGET_EVERY = 60;
const GOING_AWAY = 1001;

export interface PageHubDeps {
  readonly seqs: (chatKeys: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly ended: (logins: readonly string[]) => Promise<readonly string[]>;
  /** Removes expired secrets and returns the changed chats. */
  readonly forget: () => Promise<readonly string[]>;
  readonly log: Log;
  readonly tickMs?: number | undefined;
}

/** The open pages of this gateway. */
export class PageHub implements Closable {
  readonly #deps: PageHubDeps;
  readonly #chats = new Map<string, Set<PageSocket>>();
  readonly #ofPerson = new Map<string, number>();
  readonly #loop: Closable;
  #ticks = 0;
  #size = 0;

  constructor(deps: PageHubDeps) {
    this.#deps = deps;
    this.#loop = startLoop({ name: 'pages', everyMs: deps.tickMs ?? TICK_MS, log: deps.log, step: () => this.#tick() });
  }

  /** Why this person can open no further page now, as an HTTP status; null when they can. */
  refusal(userKey: string): 429 | 503 | null {
    if (this.#size >= MAX_PAGES) return 503;
    return (this.#ofPerson.get(userKey) ?? 0) >= MAX_OF_PERSON ? 429 : null;
  }

  add(page: PageSocket): void {
    const { chatKey, userKey } = page;
    this.#chats.set(chatKey, (this.#chats.get(chatKey) ?? new Set()).add(page));
    this.#ofPerson.set(userKey, (this.#ofPerson.get(userKey) ?? 0) + 1);
    this.#size += 1;
    page.wake();
  }

  remove(page: PageSocket): void {
    const { chatKey, userKey } = page;
    const pages = this.#chats.get(chatKey);
    if (!pages?.delete(page)) return;
    if (pages.size === 0) this.#chats.delete(chatKey);
    const left = (this.#ofPerson.get(userKey) ?? 1) - 1;
    if (left === 0) this.#ofPerson.delete(userKey);
    else this.#ofPerson.set(userKey, left);
    this.#size -= 1;
  }

  /** Passes an event to the pages that it concerns. */
  receive(event: PageEvent): void {
    switch (event.kind) {
      case 'patched':
        return this.#each(event.chatKey, (page) => page.wake());
      case 'thinking':
        return this.#pass(event.chatKey, (page) => page.display.think());
      case 'draft':
        return this.#pass(event.chatKey, (page) => page.display.draft(event.text));
      case 'signed-out':
        return this.#signOut([event.login]);
    }
  }

  /** Shows a sentence briefly. */
  notice(chatKey: string, text: string): void {
    this.#pass(chatKey, (page) => page.display.notice(text));
  }

  /** Closes all sockets; the pages reconnect to this or another gateway. */
  closePages(): void {
    for (const page of this.#pages()) page.close(GOING_AWAY, 'going away');
  }

  async close(): Promise<void> {
    await this.#loop.close();
    this.closePages();
  }

  *#pages(): Iterable<PageSocket> {
    for (const pages of this.#chats.values()) yield* pages;
  }

  #each(chatKey: string, act: (page: PageSocket) => void): void {
    for (const page of this.#chats.get(chatKey) ?? []) act(page);
  }

  #pass(chatKey: string, change: (page: PageSocket) => void): void {
    this.#each(chatKey, (page) => {
      change(page);
      page.refresh();
    });
  }

  #signOut(logins: readonly string[]): void {
    const over = new Set(logins);
    for (const page of this.#pages()) if (over.has(page.login)) page.close(CLOSE_CODES.notSignedIn, 'signed out');
  }

  async #tick(): Promise<void> {
    this.#ticks += 1;
    for (const page of this.#pages()) if (page.display.isOver()) page.refresh();
    if (this.#ticks % PING_EVERY === 0) for (const page of this.#pages()) page.ping();
    if (this.#ticks % LOOK_EVERY === 0 && this.#size > 0) await this.#look();
    if (this.#ticks % FORGET_EVERY !== 0) return;
    for (const chatKey of await this.#deps.forget()) this.receive({ kind: 'patched', chatKey });
  }

  /** Finds pages that missed events, and ended logins. Two round trips in total. */
  async #look(): Promise<void> {
    const { seqs, ended } = this.#deps;
    const newest = await seqs([...this.#chats.keys()]);
    for (const page of this.#pages()) if (page.lacks(newest.get(page.chatKey) ?? 0)) page.wake();
    this.#signOut(await ended([...new Set([...this.#pages()].map(({ login }) => login))]));
  }
}
