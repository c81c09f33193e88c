import type {
  BotStatus,
  Click,
  StoredCommand,
  PrivateChat,
  StoreEvent,
  QueuedUpdate,
  StoredFile,
  StoredMessage,
  Webhook,
} from './event.ts';
import { FIRST_PEOPLE, GROUP, type Person } from './people.ts';

/** Limits memory; the oldest messages of a chat are removed first. */
const MAX_MESSAGES_PER_CHAT = 50_000;
const MAX_CLICKS = 20_000;

/** All data of the simulator, rebuilt from the log. Only `applyEvent` changes it. */
export class SimulatorState {
  readonly people = new Map<number, Person>(FIRST_PEOPLE.map((person) => [person.id, person]));
  readonly contacts = new Map<number, PrivateChat>();
  /** Messages by chat and id, oldest first. */
  readonly chats = new Map<number, Map<number, StoredMessage>>([[GROUP.id, new Map()]]);
  /** Status of the bot in the group. */
  botStatus: BotStatus = 'member';
  readonly files = new Map<string, StoredFile>();
  /** Unconfirmed updates by position. */
  readonly updates = new Map<number, QueuedUpdate>();
  readonly commands = new Map<string, readonly StoredCommand[]>();
  readonly clicks = new Map<string, Click>();
  /** Menu buttons by chat. */
  readonly profile = new Map<string, string>();
  allowedUpdates: readonly string[] = [];
  webhook: Webhook | null = null;
  /** Next free numbers, which only grow. */
  readonly next: { updateId: number; messageId: number; position: number; seq: number };

  /** Creates an empty state. Ids start at the time in milliseconds, so that a restart without data does not repeat them. */
  constructor(nowMs: number) {
    this.next = { updateId: nowMs, messageId: nowMs, position: nowMs, seq: nowMs };
  }
}

/** Applies one event; an event about an existing record replaces it. */
export function applyEvent(state: SimulatorState, event: StoreEvent): void {
  switch (event.kind) {
    case 'counters':
      ({
        updateId: state.next.updateId,
        messageId: state.next.messageId,
        position: state.next.position,
        seq: state.next.seq,
      } = event);
      return;
    case 'person':
      return void state.people.set(event.person.id, event.person);
    case 'contact':
      return void state.contacts.set(event.contact.personId, event.contact);
    case 'message':
      return applyMessage(state, event.message);
    case 'topic':
      return;
    case 'botStatus':
      state.botStatus = event.status;
      return;
    case 'file':
      return void state.files.set(event.file.fileId, event.file);
    case 'update':
      return applyUpdate(state, event.item);
    case 'confirmed':
      for (const position of event.positions) state.updates.delete(position);
      return;
    case 'allowedUpdates':
      state.allowedUpdates = event.allowed;
      return;
    case 'webhook':
      state.webhook = event.webhook;
      return;
    case 'commands':
      return void state.commands.set(event.key, event.commands);
    case 'profile':
      return void state.profile.set(event.key, event.value);
    case 'click':
      state.clicks.set(event.click.id, event.click);
      dropOldest(state.clicks, MAX_CLICKS);
      return;
  }
}

/** Yields the fewest events that rebuild this state. */
export function* listEvents(state: SimulatorState): Generator<StoreEvent> {
  yield { kind: 'counters', ...state.next };
  yield { kind: 'allowedUpdates', allowed: [...state.allowedUpdates] };
  yield { kind: 'webhook', webhook: state.webhook };
  for (const person of state.people.values()) yield { kind: 'person', person };
  for (const contact of state.contacts.values()) yield { kind: 'contact', contact };
  for (const [key, commands] of state.commands) yield { kind: 'commands', key, commands: [...commands] };
  for (const [key, value] of state.profile) yield { kind: 'profile', key, value };
  for (const click of state.clicks.values()) yield { kind: 'click', click };
  yield { kind: 'botStatus', status: state.botStatus };
  for (const file of state.files.values()) yield { kind: 'file', file };
  for (const messages of state.chats.values()) {
    for (const message of messages.values()) yield { kind: 'message', message };
  }
  for (const item of state.updates.values()) yield { kind: 'update', item };
}

function applyMessage(state: SimulatorState, message: StoredMessage): void {
  const chat = state.chats.get(message.chatId) ?? new Map<number, StoredMessage>();
  state.chats.set(message.chatId, chat);
  chat.set(message.messageId, message);
  dropOldest(chat, MAX_MESSAGES_PER_CHAT);
  state.next.messageId = Math.max(state.next.messageId, message.messageId + 1);
  state.next.seq = Math.max(state.next.seq, message.seq + 1);
}

/** Limits the effect of a large injected id, which could exceed exact integers. */
const MAX_ID_JUMP = 1_000_000;

function applyUpdate(state: SimulatorState, item: QueuedUpdate): void {
  state.updates.set(item.position, item);
  state.next.position = Math.max(state.next.position, item.position + 1);
  const id = item.update['update_id'];
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return;
  // The next updates need larger ids, because confirming this one confirms all smaller ids.
  if (id >= state.next.updateId && id < state.next.updateId + MAX_ID_JUMP) state.next.updateId = id + 1;
}

function dropOldest<Key, Value>(map: Map<Key, Value>, max: number): void {
  while (map.size > max) {
    const oldest = map.keys().next();
    if (oldest.done) return;
    map.delete(oldest.value);
  }
}
