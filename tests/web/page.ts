import { randomUUID } from 'node:crypto';
import { ServerFrame, type PageComponent } from '@signalbox/contracts/conversation/frames';
import { WebSocket, type ClientOptions } from 'ws';
import { until } from '../support/until.ts';

/** How a page asks to be connected. */
export interface PageOptions {
  readonly url: string;
  readonly cookie: string | null;
  readonly origin?: string | null;
  readonly session?: string;
  readonly agent?: string;
  readonly after?: number;
  readonly mode?: 'voice' | 'text';
  readonly device?: 'desktop' | 'mobile';
  /** A query to ask with, as it is. */
  readonly query?: string;
}

/** A page of a test: what it was sent, and what it shows of it. It does what the contract says, and no more. */
export class TestPage {
  readonly socket: WebSocket;
  readonly frames: ServerFrame[] = [];
  /** What it shows, by id. */
  readonly components = new Map<string, PageComponent>();
  /** The number of the newest patch. */
  seq: number;
  /** Set once it is closed. */
  closed: { readonly code: number; readonly reason: string } | null = null;
  /** The status with which the upgrade was refused. */
  refused: number | null = null;
  readonly #sessionId: string;

  constructor(
    { url, cookie, origin = url, session, agent, after, mode, device, query }: PageOptions,
    kept: TestPage | null = null,
  ) {
    const address = new URL('/ws', url.replace('http', 'ws'));
    const asked = { session, agent, after, mode, device };
    for (const [name, value] of Object.entries(asked))
      if (value !== undefined) address.searchParams.set(name, String(value));
    if (query !== undefined) address.search = query;
    const [given, key] = cookie?.split('#') ?? [];
    if (key !== undefined) address.searchParams.set('key', key);
    const headers: ClientOptions = {
      headers: { ...(given === undefined ? {} : { cookie: given }), ...(origin === null ? {} : { origin }) },
    };
    this.socket = new WebSocket(address, headers);
    this.seq = after ?? 0;
    for (const [id, component] of kept?.components ?? []) this.components.set(id, component);
    this.#sessionId = session ?? 'main';
    this.socket.on('message', (data) => this.#take(ServerFrame.parse(JSON.parse((data as Buffer).toString()))));
    this.socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString() }));
    this.socket.on('unexpected-response', (_request, response) => (this.refused = response.statusCode ?? 0));
    this.socket.on('error', () => undefined);
  }

  /** Resolves once it has its first view. */
  async opened(): Promise<this> {
    await until(() => this.socket.readyState === WebSocket.OPEN || this.closed !== null || this.refused !== null);
    return this;
  }

  say(text: string, id: string = randomUUID()): string {
    this.send('client.message', { id, text });
    return id;
  }

  /** Presses the button of that label, as it is shown; of the first that has one, or of this component. */
  press(label: string, componentId = this.withButton(label)[0]?.id): void {
    const pressed = this.withButton(label).find(({ id }) => id === componentId);
    if (!pressed) throw new Error(`no button ${label} is shown`);
    const index = labelsOf(pressed).indexOf(label);
    this.send('client.action', { id: randomUUID(), componentId, version: pressed.version, index });
  }

  /** What is shown with a button of that label, the first one first. */
  withButton(label: string): readonly PageComponent[] {
    return [...this.components.values()].filter((component) => labelsOf(component).includes(label));
  }

  send(type: string, payload: unknown): void {
    this.socket.send(JSON.stringify({ type, ts: new Date().toISOString(), sessionId: this.#sessionId, payload }));
  }

  /** What is kept of the conversation, in its order. */
  get shown(): readonly PageComponent[] {
    const kept = [...this.components.values()].filter(({ type }) => type !== 'Draft' && type !== 'Notice');
    return kept.sort((one, other) => one.place - other.place);
  }

  texts(): readonly string[] {
    return this.shown.map(({ props }) => String(props['text']));
  }

  find(text: string): PageComponent | undefined {
    return [...this.components.values()].find(({ props }) => String(props['text']).includes(text));
  }

  of<T extends ServerFrame['type']>(type: T): readonly Extract<ServerFrame, { type: T }>[] {
    return this.frames.filter((frame) => frame.type === type) as Extract<ServerFrame, { type: T }>[]; // as the filter says
  }

  async close(): Promise<void> {
    this.socket.close();
    await until(() => this.closed !== null);
  }

  #take(frame: ServerFrame): void {
    this.frames.push(frame);
    if (frame.type !== 'server.a2ui.patch') return;
    for (const step of frame.payload.steps) {
      if (step.op === 'clear') this.components.clear();
      else if (step.op === 'remove') this.components.delete(step.id);
      else this.components.set(step.component.id, step.component);
    }
    this.seq = Math.max(this.seq, frame.payload.seq);
  }
}

function labelsOf({ props }: PageComponent): readonly string[] {
  return ((props['buttons'] ?? []) as { label: string }[]).map(({ label }) => label);
}
