import {
  CLOSE_CODES,
  type ClientFrame,
  type PageAgent,
  type PageComponent,
  type ServerFrame,
} from '@signalbox/contracts/conversation/frames';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import { Voice } from '../voice/voice.ts';
import { Connection, type ConnectionState } from './connection.ts';
import { Conversation, type ComponentChange } from './conversation.ts';
import { PendingInput, type PendingMessage, type PendingPress } from './pending.ts';
import { getSocketUrl, type PageAddress } from './page-address.ts';

/** A message that is not confirmed within this time means that the socket is dead. */
const CONFIRM_MS = 15_000;
/** The most unconfirmed messages; the gateway accepts forty at once. */
const AT_ONCE = 20;
/** Narrower screens count as mobile. */
const NARROW = matchMedia('(width <= 760px)');

interface Options {
  readonly address: PageAddress;
  readonly person: string;
  readonly onChange: () => void;
  /** Called when the gateway no longer knows the person. */
  readonly onSessionEnd: () => void;
}

/** A conversation with an agent: messages, drafts and connection. */
export class Chat {
  readonly conversation = new Conversation();
  readonly pending: PendingInput;
  readonly voice: Voice;
  /** The agent that answers here; null until the gateway has named it. */
  agent: PageAgent | null = null;
  isThinking = false;
  /** Texts in progress: the agent's draft and the person's speech. */
  partial: { readonly agent: string; readonly person: string } = { agent: '', person: '' };
  /** Why the gateway closed the last socket; null while a socket is open. */
  closeCode: number | null = null;
  isLoaded = false;
  readonly #options: Options;
  readonly #connection: Connection;
  /** The session's name at the gateway, which its first frame brings. */
  #sessionId: string | null = null;
  /** Ids of messages sent on the current socket. */
  readonly #sent = new Set<string>();
  /** The page mode that the gateway knows. */
  #toldMode: PageMode | null = null;
  #confirmBy: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    const { address, person, onChange } = options;
    this.#options = options;
    this.pending = new PendingInput(JSON.stringify([address.agent, address.session, person]));
    this.voice = new Voice({ onChange, onMode: () => this.#sendMode() });
    this.#connection = new Connection({
      url: () => this.#url(),
      onOpen: () => this.#sendAgain(),
      onFrame: (frame) => this.#take(frame),
      onChange: (code) => this.#linkChanged(code),
    });
  }

  get link(): ConnectionState {
    return this.#connection.link;
  }

  start(): void {
    NARROW.addEventListener('change', this.#sendMode);
    this.#connection.start();
  }

  stop(): void {
    NARROW.removeEventListener('change', this.#sendMode);
    clearTimeout(this.#confirmBy);
    this.voice.stop();
    this.#connection.stop();
  }

  /** Drops unsent messages, because the person signed out. */
  forget(): void {
    this.pending.clear();
  }

  say(text: string, voice = false): void {
    this.pending.addMessage(text, voice);
    this.#sendPending();
    this.#options.onChange();
  }

  sayAgain({ id }: PendingMessage): void {
    this.pending.allow(id);
    if (this.link === 'ended') location.reload();
    else this.#sendPending();
    this.#options.onChange();
  }

  discard(id: string): void {
    this.pending.dropMessage(id);
    this.#options.onChange();
  }

  /** Presses a button once: until the gateway answers, the component's buttons are inactive. */
  press({ id, version }: Pick<PageComponent, 'id' | 'version'>, index: number): void {
    if (this.pending.pressOf(id) !== null) return;
    this.#sendPress(this.pending.addPress(id, version, index));
    this.#options.onChange();
  }

  /** Sends pending messages, a few at a time, since gateways refuse a flood. */
  #sendPending(): void {
    if (!this.#isReady) return;
    const waiting = this.pending.messages.filter(({ isRefused }) => !isRefused);
    for (const { id, text, voice } of waiting.slice(0, AT_ONCE)) {
      if (this.#sent.has(id)) continue;
      this.#sent.add(id);
      this.#sendFrame({ type: 'client.message', payload: { id, text, voice } });
    }
    clearTimeout(this.#confirmBy);
    if (waiting.length > 0) this.#confirmBy = setTimeout(() => this.#connection.restart(), CONFIRM_MS);
  }

  #sendPress(press: PendingPress): void {
    if (!this.#isReady) return;
    this.#sendFrame({ type: 'client.action', payload: press });
    // A press without effect changes no component, so its buttons become active again after a while.
    setTimeout(() => {
      if (this.link !== 'open') return;
      this.pending.dropPress(press.id);
      this.#options.onChange();
    }, CONFIRM_MS);
  }

  get #mode(): PageMode {
    return { mode: this.voice.isOn ? 'voice' : 'text', device: NARROW.matches ? 'mobile' : 'desktop' };
  }

  /** Sends the page mode, unless the gateway knows it. */
  readonly #sendMode = (): void => {
    const mode = this.#mode;
    if (!this.#isReady || (mode.mode === this.#toldMode?.mode && mode.device === this.#toldMode.device)) return;
    this.#toldMode = mode;
    this.#sendFrame({ type: 'client.mode.update', payload: mode });
  };

  #url(): string {
    this.#toldMode ??= this.#mode;
    return getSocketUrl(this.#options.address, this.conversation.seq, this.#mode);
  }

  get #isReady(): boolean {
    return this.link === 'open' && this.#sessionId !== null;
  }

  /** Repeats everything unconfirmed on a new socket. */
  #sendAgain(): void {
    if (!this.#isReady) return;
    this.#sent.clear();
    this.#sendMode();
    this.#sendPending();
    for (const press of this.pending.presses) this.#sendPress(press);
  }

  #sendFrame(frame: Frame): void {
    const { type, payload } = frame;
    this.#connection.send({ type, ts: new Date().toISOString(), sessionId: this.#sessionId, payload });
  }

  #linkChanged(code: number | null): void {
    if (this.link === 'open') this.closeCode = null;
    else if (code !== null) this.closeCode = code;
    if (this.link !== 'open') {
      this.isThinking = false;
      this.partial = { agent: '', person: '' };
    }
    if (code === CLOSE_CODES.notSignedIn) return this.#options.onSessionEnd();
    if (code === CLOSE_CODES.badFrame) this.pending.refuseAll();
    this.#options.onChange();
  }

  #take({ type, payload, sessionId }: ServerFrame): void {
    const isFirst = this.#sessionId === null;
    this.#sessionId = sessionId;
    switch (type) {
      case 'server.a2ui.patch':
        for (const change of this.conversation.apply(payload.seq, payload.steps)) this.#confirm(change);
        this.isLoaded = true;
        this.#sendPending();
        break;
      case 'server.agent.current':
        this.agent = payload;
        break;
      case 'server.agent.thinking':
        this.isThinking = payload.active;
        break;
      case 'server.transcript.partial':
        this.partial = { ...this.partial, [payload.speaker]: payload.text };
        break;
      case 'server.transcript.final':
        this.partial = { ...this.partial, [payload.speaker]: '' };
        break;
      case 'server.voice.say':
        this.voice.say(payload.text, payload.language);
        break;
      case 'server.voice.start':
        // Listening starts only when the person presses the button.
        break;
      case 'server.voice.stop':
        this.voice.stop();
        break;
      case 'server.voice.audio':
        this.voice.play(payload.mimeType, payload.data);
        break;
    }
    if (isFirst) this.#sendAgain();
    this.#options.onChange();
  }

  /** A changed component confirms a press, and a message of the agent ends its draft. */
  #confirm({ id, component }: ComponentChange): void {
    const press = this.pending.presses.find(({ componentId }) => componentId === id);
    if (press && isAnswered(press, component)) this.pending.dropPress(press.id);
    if (component?.type !== 'Message') return;
    const { messageId, from } = component.props;
    if (typeof messageId === 'string') this.pending.dropMessage(messageId);
    if (from === 'agent') this.partial = { ...this.partial, agent: '' };
  }

  get components(): readonly PageComponent[] {
    return this.conversation.components;
  }
}

/** True when a component shows that its press was accepted. A component may also arrive unchanged. */
function isAnswered({ version }: PendingPress, component: PageComponent | null): boolean {
  if (component === null || component.version !== version) return true;
  const { pressed, isPressed, buttons } = component.props;
  return typeof pressed === 'number' || isPressed === true || (Array.isArray(buttons) && buttons.length === 0);
}

/** A frame without the fields that all frames share. */
type Frame = {
  [T in ClientFrame['type']]: Pick<Extract<ClientFrame, { type: T }>, 'type' | 'payload'>;
}[ClientFrame['type']];
