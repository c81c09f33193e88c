import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGithubApi, type ApiRequest } from './github-api.ts';
import { describeComment, describeRequest, sendWebhook, type WebhookTarget } from './github-webhooks.ts';
import { createGitlabApi, describeBlocked, sendGitlabWebhook } from './gitlab.ts';
import { createRuns, type NewRun, type Runs, type SimulatedRun } from './runs.ts';

/** An answer that comes instead of the right one. */
export interface Fault {
  /** Matches the method and path, such as `POST /repos/acme/shop/actions/runs/1/deployment_protection_rule`. */
  readonly at: RegExp;
  readonly status?: number;
  readonly body?: unknown;
  /** The request is carried out, and its answer is lost. */
  readonly breaksAfter?: true;
  /** The answer never comes. */
  readonly hangs?: true;
  /** How many requests it meets; 1 by default. */
  times?: number;
}

export interface ForgeSimulator {
  /** Address of the API of GitHub, and of what people do there. */
  readonly url: string;
  /** The App that reviews deployments. */
  readonly app: { readonly id: string; readonly key: string };
  readonly runs: Runs;
  readonly requests: ApiRequest[];
  readonly faults: Fault[];
  /** Where webhooks go, and what signs them. */
  hook: WebhookTarget | null;
  /** The same for GitLab, whose API is at `/api/v4`. */
  gitlabHook: WebhookTarget | null;
  /** Starts a run that waits, and tells by webhook. */
  ask(run: NewRun): Promise<SimulatedRun>;
  again(id: number, starter?: string): Promise<SimulatedRun | undefined>;
  /** Sends the webhook of a run once more, and returns the status of the answer. */
  redeliver(run: SimulatedRun): Promise<number>;
  /** Writes a comment on an issue. */
  comment(login: string, text: string, repository?: string): Promise<number>;
  close(): Promise<void>;
}

export interface ForgeSimulatorOptions {
  readonly port?: number;
  /** Private key of the App, in PEM; otherwise a new one. */
  readonly key?: string;
  readonly hook?: WebhookTarget;
  readonly gitlabHook?: WebhookTarget;
}

const GITLAB_PATH = '/api/v4';
const MAX_BODY_BYTES = 1024 * 1024;

/** Starts a GitHub of one machine, in memory. Everybody who reaches it can act as anybody, so it listens on 127.0.0.1 only. */
export async function createForgeSimulator(options: ForgeSimulatorOptions = {}): Promise<ForgeSimulator> {
  const key = options.key ?? createAppKey();
  const app = { id: '1743871', key };
  const runs = createRuns();
  const [requests, faults]: [ApiRequest[], Fault[]] = [[], []];
  const answerGitlab = createGitlabApi(runs);
  const answerGithub = createGithubApi(runs, { id: app.id, publicKey: createPublicKey(key) });
  const send = (event: string, body: object): Promise<number> =>
    simulator.hook === null ? Promise.resolve(0) : sendWebhook(simulator.hook, event, body);
  const redeliver = (run: SimulatedRun): Promise<number> => {
    if (run.forge === 'github') return send('deployment_protection_rule', describeRequest(run, simulator.url));
    const { gitlabHook } = simulator;
    return gitlabHook === null ? Promise.resolve(0) : sendGitlabWebhook(gitlabHook, describeBlocked(run));
  };
  const tell = async (run: SimulatedRun | undefined): Promise<SimulatedRun | undefined> => {
    if (run) await redeliver(run);
    return run;
  };
  const comment: ForgeSimulator['comment'] = (login, text, repository = 'acme/shop') =>
    send('issue_comment', describeComment(runs.findLogin(login), text, repository));

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [method, path] = [request.method ?? 'GET', decodeURIComponent(url.pathname)];
    const body = await readJson(request);
    const reply = (status: number, content?: unknown): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(content === undefined ? '' : `${JSON.stringify(content)}\n`);
    // A page of a browser must not act as people.
    if (request.headers.origin !== undefined) return reply(403, { message: 'no browsers' });
    if (path.startsWith('/play/')) {
      const played = await play(simulator, path, body);
      return played === undefined ? reply(404, { message: 'no such play, or no such run' }) : reply(200, played);
    }
    const asked = { method, path, query: url.searchParams, body, authorization: request.headers.authorization ?? '' };
    requests.push(asked);
    const fault = faults.find(({ at, times = 1 }) => times > 0 && at.test(`${method} ${path}`));
    if (fault) fault.times = (fault.times ?? 1) - 1;
    if (fault?.hangs) return;
    if (fault?.status !== undefined) return reply(fault.status, fault.body ?? {});
    const isGitlab = path.startsWith(GITLAB_PATH);
    const answered = isGitlab ? answerGitlab({ ...asked, path: path.slice(GITLAB_PATH.length) }) : answerGithub(asked);
    if (fault?.breaksAfter) return void request.socket.destroy();
    return reply(answered.status, answered.body);
  };
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const simulator: ForgeSimulator = {
    url: `http://127.0.0.1:${port}`,
    app,
    runs,
    requests,
    faults,
    hook: options.hook ?? null,
    gitlabHook: options.gitlabHook ?? null,
    ask: async (run) => {
      const started = runs.start(run);
      await redeliver(started);
      return started;
    },
    again: (id, starter) => tell(runs.again(id, starter)),
    redeliver,
    comment,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return simulator;
}

/** Does what somebody does at the forge; undefined for no such thing. Whoever plays here may break only their own simulator. */
async function play(simulator: ForgeSimulator, path: string, body: unknown): Promise<unknown> {
  const { runs } = simulator;
  const given = (body ?? {}) as Record<string, string>; // fields that are missing have defaults
  const id = Number(given['run']);
  const run = runs.find(id);
  switch (path) {
    case '/play/runs':
      return runs.all;
    case '/play/ask':
      return simulator.ask(given);
    case '/play/again':
      return simulator.again(id, given['actor']);
    case '/play/redeliver':
      return run && { status: await simulator.redeliver(run) };
    case '/play/comment':
      return { status: await simulator.comment(given['actor'] ?? 'ada', given['text'] ?? '') };
    case '/play/cancel':
      return run && Object.assign(run, { state: 'cancelled' });
    default:
      return undefined;
  }
}

/** Creates the private key of an App, in PEM. */
export function createAppKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  // a request without an encoding gives buffers
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new Error('the body is too large');
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString();
  return text === '' ? undefined : (JSON.parse(text) as unknown); // read where it is used
}
