import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** One statement of a client of Postgres, as it stands on the wire. */
export interface WireStatement {
  readonly text: string;
  readonly values: readonly string[];
  /** Which connection it came on. */
  readonly connection: number;
}

/** Decides about a statement: `hold` keeps the request, or the answer, and everything after it on this connection, for good. */
export type StatementWatch = (
  statement: WireStatement,
  side: 'before' | 'after',
  /** After an answer: whether the connection is inside of a transaction, so that nothing is durable yet. */
  inTransaction: boolean,
) => 'pass' | 'hold';

/** A wire to a Postgres on this machine that knows where one statement ends and the next one begins. */
export interface StatementRelay {
  readonly port: number;
  /** Ends every connection, as the death of the client does. */
  cut(): void;
  close(): Promise<void>;
}

/** Opens a wire to this port. Requests are looked at before the server has them, answers before the client has them. */
export async function openStatementRelay(target: number, watch: StatementWatch): Promise<StatementRelay> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    keep(near);
    keep(far);
    relay(near, far, (connections += 1), watch);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port, // it listens on TCP
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Both directions of one connection. A client of `pg` sends one statement at a time and waits for `ReadyForQuery`. */
function relay(near: Socket, far: Socket, connection: number, watch: StatementWatch): void {
  const named = new Map<string, string>();
  let asked: { text: string; values: readonly string[] } = { text: '', values: [] };
  let running: WireStatement | null = null;
  let isHeld = false;

  const requests = createFrames(true);
  let request: Buffer[] = [];
  near.on('data', (chunk) => {
    if (isHeld) return;
    for (const { type, whole, body } of requests(chunk)) {
      request.push(whole);
      if (type === 'P') {
        const [name, text] = strings(body, 2) as [string, string];
        named.set(name, text);
      } else if (type === 'B') asked = readBind(body, named);
      else if (type === 'Q') asked = { text: strings(body, 1)[0] ?? '', values: [] };
      // What belongs to one statement leaves together, at its Sync.
      if (['P', 'B', 'D', 'E'].includes(type)) continue;
      if (type === 'Q' || type === 'S') {
        running = { ...asked, connection };
        if (watch(running, 'before', false) === 'hold') return void (isHeld = true);
      }
      far.write(Buffer.concat(request));
      request = [];
    }
  });

  const answers = createFrames(false);
  let answer: Buffer[] = [];
  far.on('data', (chunk) => {
    for (const { type, whole, body } of answers(chunk)) {
      answer.push(whole);
      if (running && type !== 'Z') continue;
      const done = running;
      running = null;
      if (done && watch(done, 'after', body[0] !== 0x49 /* I: idle */) === 'hold') isHeld = true;
      if (!isHeld) near.write(Buffer.concat(answer));
      answer = [];
    }
  });
}

interface Frame {
  /** Empty for the start-up message, which has none. */
  readonly type: string;
  readonly whole: Buffer;
  readonly body: Buffer;
}

/** Cuts a stream into messages: a type, a length that counts itself, and a body. */
function createFrames(isClient: boolean): (chunk: Buffer) => readonly Frame[] {
  let rest = Buffer.alloc(0);
  let isFirst = isClient;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const frames: Frame[] = [];
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4) return frames;
      const size = head + rest.readInt32BE(head);
      if (rest.length < size) return frames;
      const whole = rest.subarray(0, size);
      frames.push({ type: isFirst ? '' : String.fromCharCode(whole[0] ?? 0), whole, body: whole.subarray(head + 4) });
      isFirst = false;
      rest = rest.subarray(size);
    }
  };
}

/** The first strings of a body, each ended by a zero. */
function strings(body: Buffer, count: number): readonly string[] {
  return body.toString('latin1').split('\0', count).map(fromLatin);
}

function fromLatin(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

/** Portal and statement, formats, then values with their sizes. */
function readBind(body: Buffer, named: ReadonlyMap<string, string>): { text: string; values: readonly string[] } {
  const portalEnd = body.indexOf(0);
  const nameEnd = body.indexOf(0, portalEnd + 1);
  const name = body.toString('utf8', portalEnd + 1, nameEnd);
  let at = nameEnd + 1;
  at += 2 + 2 * body.readInt16BE(at);
  const count = body.readInt16BE(at);
  at += 2;
  const values: string[] = [];
  for (let n = 0; n < count; n++) {
    const size = body.readInt32BE(at);
    at += 4;
    values.push(size < 0 ? '' : body.toString('utf8', at, at + size));
    at += Math.max(0, size);
  }
  return { text: named.get(name) ?? name, values };
}
