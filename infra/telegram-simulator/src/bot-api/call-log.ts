/** One Bot API call, written down when it arrives. */
export interface Call {
  readonly seq: number;
  readonly method: string;
  /** Arrival, epoch milliseconds with a fraction. */
  readonly at: number;
  readonly chatId: number | string | null;
  readonly params: Readonly<Record<string, unknown>>;
  /** The HTTP status of the answer; null while it runs, 0 if the connection was dropped. */
  status: number | null;
  /** What the types of the Bot API say against it; such a call is refused. */
  readonly violations: readonly string[];
  /** Parameters and fields that the Bot API does not have. */
  readonly warnings: readonly string[];
}

type ArrivedCall = Omit<Call, 'seq' | 'chatId' | 'status'>;

const KEPT_CALLS = 20_000;

/** The time of `Call.at`. */
export function readArrivalTime(): number {
  return performance.timeOrigin + performance.now();
}

/** Remembers the last calls, so that tests can assert their order and timing. */
export class CallLog {
  #calls: Call[] = [];
  #next = 1;

  start(arrived: ArrivedCall): Call {
    const call: Call = { ...arrived, seq: this.#next++, chatId: readChatId(arrived.params['chat_id']), status: null };
    this.#calls.push(call);
    // Cut in bulk: shifting one by one moves the whole list each time.
    if (this.#calls.length > KEPT_CALLS * 1.5) this.#calls = this.#calls.slice(-KEPT_CALLS);
    return call;
  }

  listAfter(seq: number): readonly Call[] {
    return this.#calls.slice(-KEPT_CALLS).filter((call) => call.seq > seq);
  }
}

function readChatId(value: unknown): number | string | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  return /^-?\d+$/.test(value) ? Number(value) : value;
}
