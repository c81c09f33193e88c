import { runInLanguage } from '@signalbox/messages/language';
import {
  closeIncident,
  openIncident,
  type IncidentOutcome,
  type IncidentReport,
} from '@signalbox/store/deploy/incidents';
import { listIncidentPeople } from '@signalbox/store/incidents/incident-people';
import type { Pool } from '@signalbox/store/pool';
import { say } from '@signalbox/messages/say';
import { notifyPeople } from '../health/notify.ts';
import { closeIncidentSilently, type ServerProbe, type WatchedServer } from './server-probes.ts';
import type { Publisher } from '@signalbox/platform/streams/publish';
import { MINUTE_MS, sleep } from '@signalbox/contracts/time';
import type { JobContext, HandlerOf } from '../runner/handlers.ts';
import { describeEndedCommands, probeServer, type MachineDeps } from './probe-server.ts';

const MAX_PARALLEL = 4;
/** A failed probe may be chance, so it is repeated after this time before anybody is notified. */
const RETRY_MS = 2_000;
/** Opening a login's key is audited, so keys are kept in memory for this time. */
const KEY_MS = 30 * MINUTE_MS;
const KIND = 'server-down';
const LOST = 'lost-command';

type OpenSecret = JobContext['openSecret'];

/** Probes every server with a driver. Opens and closes incidents of servers, and notifies each owner once. */
export function createServersWatchHandler(
  deps: MachineDeps & { readonly pool: Pool; readonly publisher: Publisher },
): HandlerOf<'servers.watch'> {
  const keys = new Map<string, { readonly value: string; readonly until: number }>();
  const keptKeys =
    (openSecret: OpenSecret): OpenSecret =>
    async (handle, purpose, owner) => {
      const name = `${owner} ${handle}`;
      const kept = keys.get(name);
      if (kept && kept.until > performance.now()) return kept.value;
      const value = await openSecret(handle, purpose, owner);
      keys.set(name, { value, until: performance.now() + KEY_MS });
      return value;
    };
  return {
    title: () => say('jobs.lookingAfterServers'),
    run: async (_, context) => {
      const counts = { looked: 0, down: 0, opened: 0, closed: 0 };
      const { signal, log } = context;
      const probing = { signal, log, openSecret: keptKeys(context.openSecret) };
      const left = [...(await deps.probes.listWatched())];
      const work = async (): Promise<void> => {
        for (let next = left.pop(); next && !signal.aborted; next = left.pop())
          await runInLanguage(next.language, () => watchServer(deps, next, probing, counts));
      };
      await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
      return counts;
    },
    say: ({ looked, down }) => say('jobs.serversLooked', { looked, down }),
    isNotable: ({ opened, closed }) => opened + closed > 0,
  };
}

async function watchServer(
  deps: Parameters<typeof createServersWatchHandler>[0],
  server: WatchedServer,
  context: Pick<JobContext, 'signal' | 'openSecret' | 'log'>,
  counts: { looked: number; down: number; opened: number; closed: number },
): Promise<void> {
  let probe = await probeServer(deps, server, context);
  if (probe.kind === 'down' && server.health !== 'down') {
    await sleep(RETRY_MS, context.signal);
    probe = await probeServer(deps, server, context);
  }
  context.signal.throwIfAborted();
  await deps.probes.save(server.name, probe);
  counts.looked += 1;
  if (probe.kind === 'down') counts.down += 1;
  const news = await settle(deps.pool, server, probe, counts);
  await notifyPeople({ publisher: deps.publisher, log: context.log }, [news]);
}

async function settle(
  pool: Pool,
  server: WatchedServer,
  probe: ServerProbe,
  counts: { opened: number; closed: number },
): Promise<IncidentOutcome | null> {
  const { name, driver, measuredAt } = server;
  const subject = subjectOf(server);
  if (probe.kind === 'up') {
    if (probe.ended.length > 0) return notifyEnded(pool, server, probe.ended);
    const sayUp = (): string => say('servers.upAgain', { server: name });
    const closed = await closeIncident(pool, { subject, kind: KIND, project: null, say: sayUp });
    if (closed) counts.closed += 1;
    return closed;
  }
  // A server that was never reached is not down: its owner learned the reason when registering it.
  if (probe.kind === 'unknown' || measuredAt === null) return null;
  const { detail } = probe;
  const opened = await openFor(pool, server, KIND, {
    detail,
    evidence: { driver, detail },
    say: () => say('servers.isDown', { server: name, detail }),
    card: { environment: null },
  });
  if (opened.isNew) counts.opened += 1;
  return opened;
}

async function notifyEnded(
  pool: Pool,
  server: WatchedServer,
  ended: Parameters<typeof describeEndedCommands>[0],
): Promise<IncidentOutcome | null> {
  const detail = describeEndedCommands(ended);
  const opened = await openFor(pool, server, LOST, {
    detail,
    evidence: { ended },
    say: `**${server.name}**: ${detail}`,
  });
  await closeIncidentSilently(pool, subjectOf(server), LOST);
  return opened;
}

async function openFor(
  pool: Pool,
  server: WatchedServer,
  kind: string,
  { evidence, ...report }: Pick<IncidentReport, 'detail' | 'evidence' | 'say' | 'card'>,
): ReturnType<typeof openIncident> {
  const owners = server.owner === null ? [] : [server.owner];
  const recipients = await listIncidentPeople(pool, { project: null, environment: null }, owners);
  const about = { subject: subjectOf(server), kind, recipients, evidence: { server: server.name, ...evidence } };
  return openIncident(pool, { ...report, ...about, project: null, buttons: [], mutedUntil: null });
}

function subjectOf({ name }: WatchedServer): string {
  return `server:${name}`;
}
