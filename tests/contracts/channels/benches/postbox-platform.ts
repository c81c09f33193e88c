import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** A message of ours, as the person sees it. */
export interface ShownMessage {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly data: string }[];
}

/** What the platform does with the next message instead of taking it; `lost`: it takes it, and its answer is lost. */
export type NextSend = { readonly status: number; readonly body: string } | 'lost' | null;

export interface PostboxPlatform {
  readonly url: string;
  /** What the person sees now, oldest first. */
  readonly shown: ShownMessage[];
  /** The presses that were answered. */
  readonly answered: string[];
  isBlocked: boolean;
  nextSend: NextSend;
  /** The person does something. Answers its number; it comes again until a request asks for what is after it. */
  add(update: { readonly kind: string; readonly messageId?: string; readonly [field: string]: unknown }): number;
  /** Idempotent. */
  close(): Promise<void>;
}

export const TOKEN = 'postbox-token';
/** The person, and their chat with us, which has their name. */
export const PERSON = 'ada';
/** Longer messages are refused. */
const LIMIT = 1_000;

/** Plays Postbox with one person. Replace it by what your platform offers for tests, or by a part of it that you play yourself. */
export async function startPostbox(): Promise<PostboxPlatform> {
  const updates: { readonly id: number }[] = [];
  const waiting = new Set<() => void>();
  let last = 0;

  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', platform.url);
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return answer(response, 401, { reason: 'a wrong token' });
    if (pathname === '/updates') return answerUpdates(response, searchParams);
    const body: unknown = JSON.parse(await readText(request));
    const [, what, id = ''] = pathname.split('/');
    if (what === 'presses') {
      platform.answered.push(id);
      return answer(response, 200, { id });
    }
    answerMessage(request.method ?? '', response, decodeURIComponent(id), body as ShownMessage); // the client's own shape
  };

  const answerUpdates = async (response: ServerResponse, query: URLSearchParams): Promise<void> => {
    const after = Number(query.get('after'));
    while (updates[0] && updates[0].id <= after) updates.shift();
    if (updates.length === 0) await waitForUpdate(response, Number(query.get('holdMs')));
    answer(response, 200, { updates });
  };
  const waitForUpdate = (response: ServerResponse, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const goOn = (): void => {
        clearTimeout(timer);
        waiting.delete(goOn);
        resolve();
      };
      const timer = setTimeout(goOn, ms);
      waiting.add(goOn);
      response.once('close', goOn);
    });

  const answerMessage = (method: string, response: ServerResponse, id: string, given: ShownMessage): void => {
    const { shown, nextSend, isBlocked } = platform;
    platform.nextSend = null;
    if (nextSend && nextSend !== 'lost') return answer(response, nextSend.status, nextSend.body);
    if (isBlocked) return answer(response, 403, { reason: 'blocked by the person' });
    if (given.text?.length > LIMIT) return answer(response, 400, { reason: 'the message is too long' });
    const place = shown.findIndex((message) => message.id === id);
    if (method !== 'POST' && place === -1) return answer(response, 404, { reason: 'no such message' });
    const message = { id: method === 'POST' ? `m${(last += 1)}` : id, text: given.text, buttons: given.buttons };
    if (method === 'POST') shown.push(message);
    else shown.splice(place, 1, ...(method === 'PUT' ? [message] : []));
    if (nextSend === 'lost') response.destroy();
    else answer(response, 200, { id: message.id });
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const platform: PostboxPlatform = {
    url: `http://127.0.0.1:${port}`,
    shown: [],
    answered: [],
    isBlocked: false,
    nextSend: null,
    add: (update) => {
      const id = (last += 1);
      const at = Math.floor(Date.now() / 1_000);
      updates.push({
        id,
        person: { id: PERSON, name: 'Ada' },
        chat: PERSON,
        at,
        messageId: `m${id}`,
        ...update,
      } as never);
      for (const goOn of waiting) goOn();
      return id;
    },
    close: async () => {
      for (const goOn of waiting) goOn();
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  return platform;
}

function answer(response: ServerResponse, status: number, body: object | string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
