import type { BotView } from '../../bot-api/chats/bot-menu.ts';
import type { ChatView } from '../../store/chat-shapes.ts';
import type { MessagesView, PersonView, TopicView } from '../../people/person-api.ts';
import type { StoredCommand } from '../../store/event.ts';
import type { FeedEvent } from '../../store/feed.ts';
import { detectFileKind } from '../composer/file-kind.ts';

/** A refusal of the simulator, with a message for people. */
export class RefusalError extends Error {}

/** `Answer` is the response type of the path, which the caller knows. */
async function call<Answer>(path: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(`api/${path}`, init);
  // The simulator returns the shapes that its modules declare; a refusal has `error`.
  const answer = (await response.json()) as Answer & { readonly error?: string };
  if (!response.ok) throw new RefusalError(answer.error ?? response.statusText);
  return answer;
}

export const listPeople = () => call<readonly PersonView[]>('people');
export const listChats = (person: number) => call<readonly ChatView[]>(`chats?as=${person}`);
export const readBot = () => call<BotView>('bot');
export const listTopics = (person: number) => call<readonly TopicView[]>(`topics?as=${person}`);
export const listCommands = (person: number, chat: number) =>
  call<readonly StoredCommand[]>(`commands?as=${person}&chat=${chat}`);

/** Loads the newest messages of a chat, or those before a message. */
export function listMessages(person: number, chat: number, limit: number, before?: number): Promise<MessagesView> {
  const older = before === undefined ? '' : `&before=${before}`;
  return call(`chats/${chat}/messages?as=${person}&limit=${limit}${older}`);
}

/** Posts an action to the person API. */
export function postAction<Answer = unknown>(path: string, body: object): Promise<Answer> {
  return call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

/** Presses a button; returns the callback query id, which the bot's answer repeats. */
export function clickButton(button: object): Promise<{ readonly callbackQueryId: string }> {
  return postAction('clicks', button);
}

/** Sends a message with files; several files form an album. */
export function sendFiles(message: object, files: readonly File[]): Promise<unknown> {
  const form = new FormData();
  form.append('message', JSON.stringify(message));
  files.forEach((file, index) => form.append(`${detectFileKind(file)}${index + 1}`, file, file.name));
  return call('messages', { method: 'POST', body: form });
}

export interface Follower {
  readonly onEvent: (event: FeedEvent) => void;
  /** Receives the connection state. */
  readonly onState?: (isThere: boolean) => void;
}

const RETRY_MS = 1_000;

/** Follows public events after `seq`, or one person's view with `as`; reconnects. Returns a function that stops it. */
export function followEvents(seq: number, as: number | null, { onEvent, onState }: Follower): () => void {
  let last = seq;
  let isEnded = false;
  let source = open();
  return () => {
    isEnded = true;
    source.close();
  };

  function open(): EventSource {
    const next = new EventSource(`api/events?after=${last}${as === null ? '' : `&as=${as}`}`);
    next.addEventListener('open', () => onState?.(true));
    next.addEventListener('message', (message: MessageEvent<string>) => {
      // The simulator writes each feed event as one line of JSON.
      const event = JSON.parse(message.data) as FeedEvent;
      last = event.seq;
      onEvent(event);
    });
    next.addEventListener('error', () => {
      if (isEnded) return;
      onState?.(false);
      // The browser reconnects by itself, except after an error response.
      if (next.readyState === EventSource.CLOSED) setTimeout(() => !isEnded && (source = open()), RETRY_MS);
    });
    return next;
  }
}
