import { Agent, request } from 'node:http';

/** What became of the requests of a load. */
export interface LoadResult {
  readonly requests: number;
  /** Whatever a client of the service would have noticed, in words. */
  readonly failures: readonly string[];
  readonly releases: ReadonlySet<string>;
  readonly perSecond: number;
}

interface Kind {
  readonly path: string;
  readonly body: string | null;
  readonly expected: string;
  readonly keepAlive: boolean;
}

const KINDS: readonly Kind[] = [
  { path: '/', body: null, expected: 'quick', keepAlive: true },
  { path: '/', body: null, expected: 'quick', keepAlive: false },
  { path: '/', body: 'a small body', expected: 'a small body', keepAlive: true },
  { path: '/slow', body: null, expected: 'one two three', keepAlive: true },
];

/** Clients that ask one after the other until they are stopped; each checks every answer to its last byte. */
export function startLoad(port: number, clients: number, kinds = KINDS): { stop(): Promise<LoadResult> } {
  const stopping = new AbortController();
  const failures: string[] = [];
  const releases = new Set<string>();
  let requests = 0;
  const startedAt = performance.now();
  const agent = new Agent({ keepAlive: true });
  const client = async (kind: Kind): Promise<void> => {
    while (!stopping.signal.aborted) {
      const answer = await ask(port, kind, kind.keepAlive ? agent : undefined);
      requests += 1;
      if (answer.release !== undefined) releases.add(answer.release);
      if (answer.problem !== null)
        failures.push(`${kind.body === null ? 'GET' : 'POST'} ${kind.path}: ${answer.problem}`);
    }
  };
  const running = Array.from({ length: clients }, (_, at) => client(kinds[at % kinds.length] as Kind)); // there are some
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
      agent.destroy();
      return { requests, failures, releases, perSecond: (requests * 1_000) / (performance.now() - startedAt) };
    },
  };
}

const DEADLINE_MS = 20_000;

function ask(
  port: number,
  kind: Kind,
  agent: Agent | undefined,
): Promise<{ problem: string | null; release?: string | undefined }> {
  return new Promise((resolve) => {
    const { path, body, expected } = kind;
    const options = { host: '127.0.0.1', port, path, method: body === null ? 'GET' : 'POST', agent: agent ?? false };
    const asked = request({ ...options, signal: AbortSignal.timeout(DEADLINE_MS) }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.once('error', (error) => resolve({ problem: `broke off: ${error.message}` }));
      answer.once('end', () => {
        const release = answer.headers['x-release']?.toString();
        const isRight = answer.statusCode === 200 && text === expected;
        resolve({ problem: isRight ? null : `${answer.statusCode} ${text.slice(0, 100)}`, release });
      });
    });
    asked.once('error', (error) => resolve({ problem: error.message }));
    asked.end(body ?? undefined);
  });
}
