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
}

export interface CallLog {
  readonly start: (method: string, params: Readonly<Record<string, unknown>>) => Call;
  readonly listAfter: (seq: number) => readonly Call[];
}

const KEPT_CALLS = 20_000;

/** Remembers the last calls, so that tests can assert their order and timing. */
export function createCallLog(): CallLog {
  let calls: Call[] = [];
  let next = 1;
  return {
    start: (method, params) => {
      const call: Call = {
        seq: next++,
        method,
        at: performance.timeOrigin + performance.now(),
        chatId: readChatId(params['chat_id']),
        params,
        status: null,
      };
      calls.push(call);
      // Cut in bulk: shifting one by one moves the whole list each time.
      if (calls.length > KEPT_CALLS * 1.5) calls = calls.slice(-KEPT_CALLS);
      return call;
    },
    listAfter: (seq) => calls.slice(-KEPT_CALLS).filter((call) => call.seq > seq),
  };
}

function readChatId(value: unknown): number | string | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  return /^-?\d+$/.test(value) ? Number(value) : value;
}
