import type { WebSocket } from '@fastify/websocket';
import {
  CLOSE_CODES,
  type PageAgent,
  type PatchStep,
  type ServerFrame,
} from '@signalbox/contracts/conversation/frames';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import { SECOND_MS, waitAtMost } from '@signalbox/contracts/time';
import { runInBackground } from '@signalbox/platform/lifecycle';
import type { Log } from '@signalbox/platform/log';
import type { Speaker } from '@signalbox/models/speech/speaker';
import { MAX_READ_PATCHES, type MissingPatches, type StoredPatch } from '../shown/patches.ts';
import { toSpeech } from '../shown/speech.ts';
import { dependsOnDevice, toStep } from '../shown/view.ts';
import { TemporaryDisplay } from './temporary-display.ts';

/*
 * Sends one page its frames, each only once the frame before has left this process: a page that does not read delays no
 * other page and keeps one frame in memory.
 *
 *   idle → (behind) → missing patches read → sent → … → (mode changed) → view sent again → (temporary display changed) → sent → idle
 *   a frame does not leave in time ─▶ closed with 4003 · signed out ─▶ closed with 4001
 */

/** A page that has not taken a frame within this time does not read. */
const SLOW_MS = 10 * SECOND_MS;
/** How long a page may take to answer a close. */
const GOODBYE_MS = 2 * SECOND_MS;

export interface PageSocketOptions {
  readonly socket: WebSocket;
  readonly chatKey: string;
  readonly sessionId: string;
  /** SHA-256 of the login cookie with which the page was opened. */
  readonly login: string;
  readonly userKey: string;
  /** The newest patch number that the page has; null when it has none. */
  readonly after: number | null;
  readonly mode: PageMode;
  readonly read: (page: {
    readonly chatKey: string;
    readonly login: string;
    readonly after: number | null;
  }) => Promise<MissingPatches>;
  /** The agent that answers in the conversation; null while there is none. */
  readonly agent: () => Promise<PageAgent | null>;
  /** Makes the audio of answers in voice mode; null when browsers read aloud themselves. */
  readonly speaker: Speaker | null;
  readonly log: Log;
  readonly slowMs?: number | undefined;
}

type Outgoing = {
  [T in ServerFrame['type']]: Pick<Extract<ServerFrame, { type: T }>, 'type' | 'payload'>;
}[ServerFrame['type']];

export class PageSocket {
  readonly chatKey: string;
  readonly login: string;
  readonly userKey: string;
  readonly display = new TemporaryDisplay();
  /** True when the page has answered the last ping. */
  isAlive = true;
  /** True while the socket is paused, when no answer can be received. */
  isPaused = false;
  readonly #options: PageSocketOptions;
  /** The newest patch number sent; null before the first view. */
  #seen: number | null;
  #mode: PageMode;
  #nextMode: PageMode | null = null;
  #isFirst: boolean;
  /** The agent that the page shows, as JSON. */
  #shownAgent = 'null';
  #isBehind = false;
  #isChanged = false;
  #isRunning = false;
  /** Settles when the answers so far were read aloud: audio takes seconds, and what is written does not wait for it. */
  #spoken: Promise<void> = Promise.resolve();

  constructor(options: PageSocketOptions) {
    this.#options = options;
    this.chatKey = options.chatKey;
    this.login = options.login;
    this.userKey = options.userKey;
    this.#seen = options.after;
    this.#mode = options.mode;
    this.#isFirst = options.after === null;
    options.socket.on('pong', () => (this.isAlive = true));
  }

  get isOpen(): boolean {
    return this.#options.socket.readyState === this.#options.socket.OPEN;
  }

  get mode(): PageMode {
    return this.#nextMode ?? this.#mode;
  }

  lacks(seq: number): boolean {
    return this.#isFirst || this.#seen === null || this.#seen < seq;
  }

  /** Reads and sends new patches. */
  wake(): void {
    this.#isBehind = true;
    this.#start();
  }

  /** Sends the temporary display, which has changed. */
  refresh(): void {
    this.#isChanged = true;
    this.#start();
  }

  /** Changes the page mode and sends the view again. */
  changeMode(mode: PageMode): void {
    this.#nextMode = mode;
    this.#start();
  }

  /** Closes the socket, and terminates it if it does not answer. */
  close(code: number, reason: string): void {
    const { socket } = this.#options;
    socket.close(code, reason);
    // A paused socket would miss the answer.
    socket.resume();
    setTimeout(() => socket.terminate(), GOODBYE_MS).unref();
  }

  /** Pings the page, and terminates a page that did not answer the last ping. */
  ping(): void {
    const { socket } = this.#options;
    if (this.isPaused) return;
    if (!this.isAlive) return socket.terminate();
    this.isAlive = false;
    socket.ping();
  }

  #start(): void {
    if (this.#isRunning || !this.isOpen) return;
    this.#isRunning = true;
    runInBackground(this.#options.log, 'page', this.#run());
  }

  async #run(): Promise<void> {
    try {
      // Nothing is awaited between the last check and the end, so later work starts the loop again.
      for (let goesOn = true; goesOn && this.isOpen && this.#hasWork();) goesOn = await this.#step();
    } finally {
      this.#isRunning = false;
    }
  }

  #hasWork(): boolean {
    return this.#isBehind || this.#nextMode !== null || this.#isChanged;
  }

  /** Does one piece of work. False when nothing could be read. */
  async #step(): Promise<boolean> {
    if (this.#isBehind) return this.#catchUp();
    if (this.#nextMode) await this.#applyMode(this.#nextMode);
    else await this.#showDisplay();
    return true;
  }

  /** Sends what the page lacks. False when nothing could be read; the hub tries again. */
  async #catchUp(): Promise<boolean> {
    const { read, chatKey, login, log } = this.#options;
    this.#isBehind = false;
    let missing: MissingPatches;
    let agent: PageAgent | null;
    try {
      missing = await read({ chatKey, login, after: this.#seen });
      agent = await this.#options.agent();
    } catch (error) {
      log.debug('page not brought up to date', { chatKey, error });
      return false;
    }
    if (!missing.isSignedIn) {
      this.close(CLOSE_CODES.notSignedIn, 'signed out');
      return false;
    }
    const { patches, isFresh } = missing;
    const before = isFresh ? Infinity : (this.#seen ?? 0);
    const isAll = isFresh || patches.length < MAX_READ_PATCHES;
    const seq = isAll ? missing.seq : (patches.at(-1)?.seq ?? missing.seq);
    const steps: PatchStep[] = patches.map((one) => toStep(one, this.#mode.device));
    const answers = patches.filter((one) => one.place > before && isAnswer(one));
    // The answer replaces its draft in the same step.
    const hadDraft = answers.length > 0 && this.display.answered();
    if (hadDraft) steps.unshift(...this.display.take().steps);
    if (isFresh) steps.unshift({ op: 'clear' });
    this.#isBehind ||= !isAll;
    if (steps.length > 0 && !(await this.#send({ type: 'server.a2ui.patch', payload: { seq, steps } }))) return false;
    this.#seen = seq;
    this.#isChanged ||= this.#isFirst || answers.length > 0;
    this.#isFirst = false;
    await this.#showAgent(agent);
    for (const answer of answers) await this.#speak(answer, hadDraft);
    return true;
  }

  async #showAgent(agent: PageAgent | null): Promise<void> {
    const shown = JSON.stringify(agent);
    if (agent === null || shown === this.#shownAgent) return;
    if (await this.#send({ type: 'server.agent.current', payload: agent })) this.#shownAgent = shown;
  }

  /** Speaks a new answer in voice mode. */
  async #speak({ patch }: StoredPatch, hadDraft: boolean): Promise<void> {
    const { text, language } = patch?.props ?? {};
    if (typeof text !== 'string') return;
    const isVoice = this.#mode.mode === 'voice';
    if (isVoice || hadDraft) await this.#send({ type: 'server.transcript.final', payload: { speaker: 'agent', text } });
    if (!isVoice) return;
    const said = toSpeech(text);
    if (said !== '') await this.#readAloud(said, typeof language === 'string' ? language : null);
  }

  /** Sends audio of the text, or the text alone when there is no speaker or it fails. */
  async #readAloud(text: string, language: string | null): Promise<void> {
    const { speaker, log, chatKey } = this.#options;
    const say: Outgoing = { type: 'server.voice.say', payload: { text, language } };
    if (speaker === null) return void (await this.#send(say));
    const before = this.#spoken;
    this.#spoken = speaker.speak(text, language).then(async (spoken) => {
      await before;
      if (this.#mode.mode !== 'voice') return;
      if (spoken.kind === 'failed') {
        log.warn('an answer is read aloud by the browser', { chatKey, ...spoken });
        return void (await this.#send(say));
      }
      const data = Buffer.from(spoken.bytes).toString('base64');
      await this.#send({ type: 'server.voice.audio', payload: { mimeType: spoken.mimeType, data } });
    });
    runInBackground(log, 'speech', this.#spoken);
  }

  async #applyMode(next: PageMode): Promise<void> {
    const before = this.#mode;
    this.#nextMode = null;
    this.#mode = next;
    if (before.mode !== next.mode)
      await this.#send({ type: next.mode === 'voice' ? 'server.voice.start' : 'server.voice.stop', payload: {} });
    if (before.device !== next.device && !this.#isFirst) await this.#drawAgain();
  }

  /** Sends those components again that look different on the new device. */
  async #drawAgain(): Promise<void> {
    const { read, chatKey, login, log } = this.#options;
    try {
      const { patches } = await read({ chatKey, login, after: null });
      // Components not sent yet follow in order.
      const shown = patches.filter((one) => one.seq <= (this.#seen ?? 0) && dependsOnDevice(one));
      const steps = shown.map((one) => toStep(one, this.#mode.device));
      if (steps.length > 0) await this.#send({ type: 'server.a2ui.patch', payload: { seq: this.#seen ?? 0, steps } });
    } catch (error) {
      log.debug('page not drawn again', { chatKey, error });
    }
  }

  async #showDisplay(): Promise<void> {
    this.#isChanged = false;
    if (this.#isFirst) return;
    const { steps, frames } = this.display.take();
    if (steps.length > 0)
      await this.#send({ type: 'server.a2ui.patch', payload: { seq: this.#seen ?? 0, steps: [...steps] } });
    for (const frame of frames) await this.#send(frame);
  }

  /** True when the frame was sent. A page that does not read is closed, and reconnects for the frames that it lacks. */
  async #send(frame: Outgoing): Promise<boolean> {
    const { socket, sessionId, chatKey, log, slowMs = SLOW_MS } = this.#options;
    if (!this.isOpen) return false;
    const text = JSON.stringify({ ...frame, ts: new Date().toISOString(), sessionId });
    const sending = new Promise<boolean>((resolve) => socket.send(text, (error) => resolve(!error)));
    const hasLeft = await waitAtMost(sending, slowMs);
    if (hasLeft !== undefined) return hasLeft;
    log.info('a page that does not read is closed', { chatKey });
    this.close(CLOSE_CODES.tooSlow, 'too slow');
    return false;
  }
}

/** True for a message of the agent or the runtime. */
function isAnswer({ patch }: StoredPatch): boolean {
  return patch !== null && (patch.type === 'Approval' || (patch.type === 'Message' && patch.props['from'] === 'agent'));
}
