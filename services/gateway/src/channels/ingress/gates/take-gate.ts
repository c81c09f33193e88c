import { newId } from '@signalbox/contracts/ids';
import { GateRequest, type GateForge } from '@signalbox/contracts/operations/gate';
import { makeStorable } from '@signalbox/contracts/storable';
import { parseJson } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import type { NotifiedLane } from '@signalbox/store/deploy/incident-news';
import { recordGate } from '@signalbox/store/governance/gates';
import type { Pool } from '@signalbox/store/pool';
import { canWrite } from '../accounts.ts';
import type { AlarmSource } from '../alarms/alarm-source.ts';
import { reportTrouble } from '../alarms/take-alarms.ts';
import { toIncomingUpdate } from '../receive/event.ts';
import type { AdmitEvents } from '../receive/take-event.ts';
import type { IngressSource } from '../sources.ts';
import { WAITS_MS, type DecodeGate } from './forge-gate.ts';
import { decodeGithubGate } from './github-gate.ts';
import { decodeGitlabGate } from './gitlab-gate.ts';
import { takeLinkProof } from './link-proof.ts';

export interface GateDeps {
  /** The accounts in whose name forges ask, by source. */
  readonly forges: ReadonlyMap<string, IngressSource>;
  readonly githubApi: string;
  /** Returns null while nobody listens. */
  readonly sink: () => AdmitEvents | null;
}

export interface TakenGate {
  readonly status: 200 | 400 | 403 | 503;
  readonly body: Readonly<Record<string, unknown>>;
  readonly notified: readonly NotifiedLane[];
}

const DECODERS: Readonly<Record<GateForge, DecodeGate>> = { github: decodeGithubGate, gitlab: decodeGitlabGate };

/**
 * Takes the webhook of a forge whose deployment waits: the same event as a pipeline's own request. Also takes a comment with which a person
 * proves an account. Null for every other webhook. Status 200 means that it is stored; a webhook that comes again is the same event.
 */
export async function takeForgeEvent(
  pool: Pool,
  { forges, githubApi, sink }: GateDeps,
  source: AlarmSource,
  raw: Buffer,
): Promise<TakenGate | null> {
  const account = forges.get(source.name);
  if (source.gates === null || !account) return null;
  const message = makeStorable(parseJson(raw.toString()) ?? null);
  const decoded = DECODERS[source.gates](message, { githubApi });
  if (decoded === null) {
    const proof = await takeLinkProof(pool, source.gates, message);
    return proof && { status: 200, body: { ...proof }, notified: [] };
  }
  const parsed = 'wrong' in decoded ? null : GateRequest.safeParse(decoded.gate);
  if ('wrong' in decoded || !parsed?.success) {
    const field = 'wrong' in decoded ? decoded.wrong : String(parsed?.error?.issues[0]?.path[0] ?? '');
    const notified = await reportTrouble(pool, source, 'unreadable');
    return { status: 400, body: { error: say('ingress.gate-wrong', { field }) }, notified };
  }
  const admit = sink();
  if (!admit) return { status: 503, body: {}, notified: [] };
  if (!(await canWrite(pool, account))) return { status: 403, body: { error: say('ingress.no-role') }, notified: [] };
  const { once, accounts, target } = decoded;
  const { data: gate } = parsed;
  const about = { source: source.name, forge: source.gates, once, repository: gate.repository };
  const eventId = await recordGate(pool, { ...about, accounts, target, waitsMs: WAITS_MS }, newId('evt'));
  await admit([toIncomingUpdate(account, eventId, { what: { gate }, key: null, callback: null, bodySha256: '' })]);
  return { status: 200, body: { id: eventId, status: 'accepted' }, notified: [] };
}
