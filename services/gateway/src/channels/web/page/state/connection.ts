import { CLOSE_CODES, ServerFrame } from '@signalbox/contracts/conversation/frames';
import { parseJson } from '@signalbox/contracts/system-error';

/*
 * connecting ─opened─▶ open ─closed─▶ waiting ─time, or online again─▶ connecting
 *                        └─closed for good (4000, 4001, 4002)─▶ ended
 */
export type ConnectionState = 'connecting' | 'open' | 'waiting' | 'ended';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** Wait after a refusal for too many frames, which the gateway counts over a few seconds. */
const TOO_FAST_WAIT_MS = 5_000;
/** A socket open this long resets the reconnect delay. */
const STEADY_MS = 5_000;
const CONNECT_MS = 10_000;
/** Close codes after which reconnecting is useless. */
const FOR_GOOD: readonly number[] = [CLOSE_CODES.unknownAgent, CLOSE_CODES.notSignedIn, CLOSE_CODES.badFrame];

interface Options {
  readonly url: () => string;
  readonly onOpen: () => void;
  readonly onFrame: (frame: ServerFrame) => void;
  /** Called when the link's state changes; `code` is the gateway's close code, if any. */
  readonly onChange: (code: number | null) => void;
}

/** A socket that reconnects with growing delays. Frames sent while it is down are lost: see Pending. */
export class Connection {
  link: ConnectionState = 'waiting';
  readonly #options: Options;
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #openedAt: number | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  start(): void {
    addEventListener('online', this.#connect);
    addEventListener('offline', this.#drop);
    this.#connect();
  }

  /** Closes the socket for good. */
  stop(): void {
    removeEventListener('online', this.#connect);
    removeEventListener('offline', this.#drop);
    this.#leaveSocket();
    this.link = 'ended';
  }

  /** Replaces a socket that does not answer. */
  restart(): void {
    if (this.link !== 'ended') this.#lost(null);
  }

  send(frame: object): void {
    if (this.link === 'open') this.#socket?.send(JSON.stringify(frame));
  }

  readonly #connect = (): void => {
    if (this.link === 'ended' || this.link === 'open') return;
    this.#leaveSocket();
    const socket = new WebSocket(this.#options.url());
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#lost(null), CONNECT_MS);
    socket.onopen = () => {
      clearTimeout(this.#timer);
      this.#openedAt = performance.now();
      this.#become('open', null);
      this.#options.onOpen();
    };
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = ({ code }) => this.#lost(code);
    this.#become('connecting', null);
  };

  readonly #drop = (): void => this.#lost(null);

  #take(data: unknown): void {
    const read = ServerFrame.safeParse(typeof data === 'string' ? parseJson(data) : null);
    // A newer gateway may send frames that this page does not know.
    if (read.success) this.#options.onFrame(read.data);
  }

  #lost(code: number | null): void {
    this.#leaveSocket();
    const wasSteady = this.#openedAt !== null && performance.now() - this.#openedAt >= STEADY_MS;
    this.#openedAt = null;
    if (code !== null && FOR_GOOD.includes(code)) {
      this.stop();
      this.#options.onChange(code);
      return;
    }
    this.#failures = wasSteady ? 0 : this.#failures + 1;
    const least = code === CLOSE_CODES.tooFast ? TOO_FAST_WAIT_MS : 0;
    this.#timer = setTimeout(this.#connect, least + waitMs(this.#failures));
    this.#become('waiting', code);
  }

  #leaveSocket(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #become(link: ConnectionState, code: number | null): void {
    this.link = link;
    this.#options.onChange(code);
  }
}

/** Doubles each time, with jitter, so that pages do not return to a restarted gateway at once. */
function waitMs(failures: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10));
  return longest * (0.5 + Math.random() / 2);
}
