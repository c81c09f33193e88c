import {
  CLOSE_CODES,
  type ClientFrame,
  type Component,
  type ServerFrame,
} from '@signalbox/contracts/conversation/frames';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import { Voice } from '../voice/voice.ts';
import { Connection, type Link } from './connection.ts';
import { Conversation, type Change } from './conversation.ts';
import { Pending, type PendingMessage, type PendingPress } from './pending.ts';
import { socketUrl, type Place } from './place.ts';

/** How long an answer may take. A message that is not confirmed after this time says that the socket is dead, whatever it says itself. */
const CONFIRM_MS = 15_000;
/** Messages that wait for their confirmation at most; the gateway takes forty at once. */
const AT_ONCE = 20;
/** As wide as a page on a desktop is at least. */
const NARROW = matchMedia('(width <= 760px)');

interface Options {
  readonly place: Place;
  readonly person: string;
  readonly onChange: () => void;
  /** The gateway does not know the person any more. */
  readonly onSessionEnd: () => void;
}

/** A conversation with an agent: what is shown of it, what is being said, and how it is connected. */
export class Chat {
  readonly conversation = new Conversation();
  readonly pending: Pending;
  readonly voice: Voice;
  isThinking = false;
  /** What the agent is writing, and what is heard of the person, until it is final. */
  partial: { readonly agent: string; readonly person: string } = { agent: '', person: '' };
  /** Why the gateway closed the last socket; null while one is open. */
  closeCode: number | null = null;
  /** Whether everything that was there before was loaded. */
  isLoaded = false;
  readonly #options: Options;
  readonly #connection: Connection;
  /** As the gateway calls it, once it said something. */
  #sessionId: string | null = null;
  /** The messages that went out on the socket of now. */
  readonly #sent = new Set<string>();
  /** What the conversation was told last of how the page is used: by the first socket, and then by frames alone. */
  #toldMode: PageMode | null = null;
  #confirmBy: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    const { place, person, onChange } = options;
    this.#options = options;
    this.pending = new Pending(JSON.stringify([place.agent, place.session, person]));
    this.voice = new Voice({ onChange, onMode: () => this.#sendMode() });
    this.#connection = new Connection({
      url: () => this.#url(),
      onOpen: () => this.#sendAgain(),
      onFrame: (frame) => this.#take(frame),
      onChange: (code) => this.#linkChanged(code),
    });
  }

  get link(): Link {
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

  /** Keeps nothing of what was not sent: the person left. */
  forget(): void {
    this.pending.clear();
  }

  say(text: string, voice = false): void {
    this.pending.addMessage(text, voice);
    this.#sendPending();
    this.#options.onChange();
  }

  /** Sends a refused message again. */
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

  /** Presses a button, once: until the gateway has answered, others of the component do nothing. */
  press({ id, version }: Pick<Component, 'id' | 'version'>, index: number): void {
    if (this.pending.pressOf(id) !== null) return;
    this.#sendPress(this.pending.addPress(id, version, index));
    this.#options.onChange();
  }

  /** Sends what this socket has not sent yet, some at a time: a gateway refuses a flood. */
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
    // A press that changes nothing leaves the buttons as they are: after a while they can be pressed again.
    setTimeout(() => {
      if (this.link !== 'open') return;
      this.pending.dropPress(press.id);
      this.#options.onChange();
    }, CONFIRM_MS);
  }

  get #mode(): PageMode {
    return { mode: this.voice.isOn ? 'voice' : 'text', device: NARROW.matches ? 'mobile' : 'desktop' };
  }

  /** Says how the page is used, unless that is known. */
  readonly #sendMode = (): void => {
    const mode = this.#mode;
    if (!this.#isReady || (mode.mode === this.#toldMode?.mode && mode.device === this.#toldMode.device)) return;
    this.#toldMode = mode;
    this.#sendFrame({ type: 'client.mode.update', payload: mode });
  };

  #url(): string {
    this.#toldMode ??= this.#mode;
    return socketUrl(this.#options.place, this.conversation.seq, this.#mode);
  }

  /** A frame needs the name that the gateway gives to the session: before the first one of the gateway there is nothing to say. */
  get #isReady(): boolean {
    return this.link === 'open' && this.#sessionId !== null;
  }

  /** A new socket hears everything that no socket before it got confirmed. */
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
        // It allows what only the person begins: nothing listens before they press the button.
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

  /** What comes back changed was taken, and a message of the agent ends what it was writing. */
  #confirm({ id, component }: Change): void {
    const press = this.pending.presses.find(({ componentId }) => componentId === id);
    if (press && isAnswered(press, component)) this.pending.dropPress(press.id);
    if (component?.type !== 'Message') return;
    const { messageId, from } = component.props;
    if (typeof messageId === 'string') this.pending.dropMessage(messageId);
    if (from === 'agent') this.partial = { ...this.partial, agent: '' };
  }

  get components(): readonly Component[] {
    return this.conversation.components;
  }
}

/** Whether a component that was put again shows that a press of it was taken. The same one may come again as it was. */
function isAnswered({ version }: PendingPress, component: Component | null): boolean {
  if (component === null || component.version !== version) return true;
  const { pressed, isPressed, buttons } = component.props;
  return typeof pressed === 'number' || isPressed === true || (Array.isArray(buttons) && buttons.length === 0);
}

/** What a page says, without what every frame has. */
type Frame = {
  [T in ClientFrame['type']]: Pick<Extract<ClientFrame, { type: T }>, 'type' | 'payload'>;
}[ClientFrame['type']];
