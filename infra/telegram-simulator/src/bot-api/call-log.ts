/** One Bot API call, logged on arrival. */
export interface LoggedCall {
  readonly seq: number;
  readonly method: string;
  /** Arrival time in epoch milliseconds, with a fraction. */
  readonly at: number;
  readonly chatId: number | string | null;
  readonly params: Readonly<Record<string, unknown>>;
  /** HTTP status; null while the call runs, 0 for a dropped connection. */
  status: number | null;
  /** Type errors, for which the call is refused. */
  readonly violations: readonly string[];
  readonly warnings: readonly string[];
}

const KEPT_CALLS = 20_000;

/** Returns the current time for `Call.at`. */
export function readArrivalTime(): number {
  return performance.timeOrigin + performance.now();
}

/** Keeps the last calls, so that tests can check their order and timing. */
export class CallLog {
  #calls: LoggedCall[] = [];
  #next = 1;

  start(arrived: Omit<LoggedCall, 'seq' | 'chatId' | 'status'>): LoggedCall {
    const call: LoggedCall = {
      ...arrived,
      seq: this.#next++,
      chatId: readChatId(arrived.params['chat_id']),
      status: null,
    };
    this.#calls.push(call);
    // Removes calls in bulk, because each removal moves the whole array.
    if (this.#calls.length > KEPT_CALLS * 1.5) this.#calls = this.#calls.slice(-KEPT_CALLS);
    return call;
  }

  listAfter(seq: number): readonly LoggedCall[] {
    return this.#calls.slice(-KEPT_CALLS).filter((call) => call.seq > seq);
  }
}

function readChatId(value: unknown): number | string | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  return /^-?\d+$/.test(value) ? Number(value) : value;
}
