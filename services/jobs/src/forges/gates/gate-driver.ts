import { GateRequest, type GateFacts } from '@signalbox/contracts/operations/gate';
import type { AppError } from '@signalbox/contracts/errors';
import { cleanName } from '@signalbox/contracts/plain-name';
import { redactText } from '@signalbox/safety/redact/redact';
import type { OpenGate } from '@signalbox/store/governance/gates';
import { sumUpChecks } from '../forge-api.ts';
import type { ForgeClient } from '../forge-client.ts';

/** The answer to a forge. `comment` stands at the forge beside the deployment. */
export interface GateAnswer {
  readonly state: 'approved' | 'rejected';
  readonly comment: string;
}

/** `isOver`: the forge will not take the answer later either. */
export type GateReply =
  { readonly kind: 'taken' } | { readonly kind: 'refused'; readonly error: AppError; readonly isOver: boolean };

/** One code host whose deployments wait. It asks only the configured address. */
export interface GateDriver {
  /** Reads what people want to know of a gate. What cannot be read is named in the result. Throws only when aborted. */
  read(gate: OpenGate, signal: AbortSignal): Promise<GateFacts>;
  /** True when the run has ended, for example because it was canceled. Throws FORGE_AWAY, FORGE_REFUSED. */
  isOver(gate: OpenGate, signal: AbortSignal): Promise<boolean>;
  /** Answers the forge. Repeating an answer is safe. Throws FORGE_AWAY, FORGE_REFUSED. */
  answer(gate: OpenGate, answer: GateAnswer, signal: AbortSignal): Promise<GateReply>;
}

/** What differs between the forges. All methods with a client throw FORGE_REFUSED and FORGE_AWAY. */
export interface GateForgeApi {
  open(repository: string): ForgeClient;
  /** The request that carries an answer. */
  toRequest(gate: OpenGate, answer: GateAnswer): { readonly path: string; readonly body: object };
  /** True when an earlier answer arrived although its reply was lost. */
  isTaken(client: ForgeClient, gate: OpenGate, answer: GateAnswer, signal: AbortSignal): Promise<boolean>;
  isOver(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<boolean>;
  /** Reads who started this attempt. */
  readRun(
    client: ForgeClient,
    gate: OpenGate,
    signal: AbortSignal,
  ): Promise<Pick<GateFacts, 'attempt' | 'accounts'> & { readonly login: string | undefined }>;
  /** Finds the commit of the last deployment to the environment that succeeded; null without one. */
  findLast(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<string | null>;
  /** Lists the commits after `last`, the newest last. */
  compare(
    client: ForgeClient,
    gate: OpenGate,
    last: string,
    signal: AbortSignal,
  ): Promise<{
    readonly count: number;
    readonly commits: readonly { readonly id: string; readonly message: string }[];
  }>;
  /** Lists the checks of the commit, without those that wait for the gate. */
  listChecks(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<Parameters<typeof sumUpChecks>[0]>;
}

/** Answers by which a forge says that the deployment does not wait any more, or never waits for us. */
const OVER: ReadonlySet<number> = new Set([400, 404, 409, 410, 422]);

const MAX_TITLE = 60;
const SHORT_COMMIT = 7;
/** Titles that people read; the others are counted. */
const MAX_TITLES = 5;

/** Creates the driver of a forge. */
export function createGateDriver(api: GateForgeApi): GateDriver {
  return {
    read: (gate, signal) => readFacts(api, gate, signal),
    isOver: (gate, signal) => api.isOver(api.open(gate.repository), gate, signal),
    async answer(gate, answer, signal) {
      const client = api.open(gate.repository);
      const reply = await client.send({ method: 'POST', ...api.toRequest(gate, answer) }, signal);
      if (reply.status >= 200 && reply.status < 300) return { kind: 'taken' };
      const isOver = OVER.has(reply.status);
      if (isOver && gate.tries > 0 && (await api.isTaken(client, gate, answer, signal))) return { kind: 'taken' };
      return { kind: 'refused', error: client.explain(reply), isOver };
    },
  };
}

async function readFacts(api: GateForgeApi, gate: OpenGate, signal: AbortSignal): Promise<GateFacts> {
  const client = api.open(gate.repository);
  const unread: GateFacts['unread'] = [];
  // A missing right or a slow forge must not keep people from deciding; the card says what is missing.
  const read = <T>(name: (typeof unread)[number], work: Promise<T>): Promise<T | null> =>
    work.catch(() => {
      unread.push(name);
      return null;
    });
  const [run, commits, checks] = await Promise.all([
    read('run', api.readRun(client, gate, signal)),
    read('commits', readCommits(api, client, gate, signal)),
    read('checks', api.listChecks(client, gate, signal)),
  ]);
  const { attempt = null, accounts = [], login } = run ?? {};
  const summary = checks && sumUpChecks(checks.map(({ name, state }) => ({ name: toLine(name), state })));
  return {
    attempt,
    accounts: [...new Set(accounts)],
    actor: GateRequest.shape.actor.safeParse(login).data ?? null,
    commits,
    checks: summary && { ...summary, failed: [...summary.failed] },
    unread: unread.toSorted(),
  };
}

/** Reads the commits since the last deployment to the environment that succeeded; null without one. */
async function readCommits(
  api: GateForgeApi,
  client: ForgeClient,
  gate: OpenGate,
  signal: AbortSignal,
): Promise<GateFacts['commits']> {
  const last = await api.findLast(client, gate, signal);
  if (last === null) return null;
  if (last === gate.target.commit) return { count: 0, titles: [] };
  const { count, commits } = await api.compare(client, gate, last, signal);
  return { count, titles: commits.slice(-MAX_TITLES).toReversed().map(toTitle) };
}

/** Writes a commit as one line. Its message is text from outside. */
function toTitle({ id, message }: { readonly id: string; readonly message: string }): string {
  return `${id.slice(0, SHORT_COMMIT)} ${toLine(message.split('\n', 1)[0] ?? '')}`.trim();
}

/** Writes a name from outside as one short line without secrets. */
function toLine(text: string): string {
  return redactText(cleanName(text)).slice(0, MAX_TITLE).toWellFormed();
}
