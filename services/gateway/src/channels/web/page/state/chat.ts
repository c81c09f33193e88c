import {
  CLOSE_CODES,
  type ClientFrame,
  type Component,
  type ServerFrame,
} from '@signalbox/contracts/conversation/frames';
import { Voice } from '../voice/voice.ts';
import { Connection, type Link } from './connection.ts';
import { Conversation, type Change } from './conversation.ts';
import { Pending, type PendingMessage, type PendingPress } from './pending.ts';
import { socketUrl, type Place } from './place.ts';

/** How long an answer may take. A message that is not confirmed after this time says that the socket is dead, whatever it says itself. */
const CONFIRM_MS = 15_000;
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
  #sessionId: string;
  #confirmBy: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    const { place, person, onChange } = options;
    this.#options = options;
    this.#sessionId = place.session ?? 'main';
    this.pending = new Pending(JSON.stringify([place.agent, place.session, person]));
    this.voice = new Voice({ onChange, onMode: () => this.#sendMode() });
    this.#connection = new Connection({
      url: () => socketUrl(place, this.conversation.seq),
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
    this.#send(this.pending.addMessage(text, voice));
    this.#options.onChange();
  }

  /** Sends a refused message again. */
  sayAgain(message: PendingMessage): void {
    this.pending.allow(message.id);
    if (this.link === 'ended') location.reload();
    else this.#send(message);
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

  #send({ id, text, voice }: PendingMessage): void {
    this.#sendFrame({ type: 'client.message', payload: { id, text, voice } });
    this.#expectConfirmation();
  }

  #sendPress(press: PendingPress): void {
    this.#sendFrame({ type: 'client.action', payload: press });
    if (this.link !== 'open') return;
    // A press that changes nothing leaves the buttons as they are: after a while they can be pressed again.
    setTimeout(() => {
      if (this.link !== 'open') return;
      this.pending.dropPress(press.id);
      this.#options.onChange();
    }, CONFIRM_MS);
  }

  readonly #sendMode = (): void => {
    const mode = this.voice.isOn ? 'voice' : 'text';
    const device = NARROW.matches ? 'mobile' : 'desktop';
    this.#sendFrame({ type: 'client.mode.update', payload: { mode, device } });
  };

  /** A new socket hears how the page is used, and everything that no socket before it got confirmed. */
  #sendAgain(): void {
    this.#sendMode();
    for (const message of this.pending.messages) if (!message.isRefused) this.#send(message);
    for (const press of this.pending.presses) this.#sendPress(press);
    this.#expectConfirmation();
  }

  #sendFrame(frame: Frame): void {
    this.#connection.send({ ...frame, ts: new Date().toISOString(), sessionId: this.#sessionId });
  }

  #expectConfirmation(): void {
    clearTimeout(this.#confirmBy);
    const waits = this.pending.messages.some(({ isRefused }) => !isRefused);
    if (waits && this.link === 'open') this.#confirmBy = setTimeout(() => this.#connection.restart(), CONFIRM_MS);
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
    this.#sessionId = sessionId;
    switch (type) {
      case 'server.a2ui.patch':
        for (const change of this.conversation.apply(payload.seq, payload.steps)) this.#confirm(change);
        this.isLoaded = true;
        this.#expectConfirmation();
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
        this.voice.listen();
        break;
      case 'server.voice.stop':
        this.voice.stop();
        break;
      case 'server.voice.audio':
        this.voice.play(payload.mimeType, payload.data);
        break;
    }
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
