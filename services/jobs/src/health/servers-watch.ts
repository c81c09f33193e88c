import { inLanguage } from '@signalbox/messages/language';
import { closeIncident, openIncident, type IncidentNews, type IncidentReport } from '@signalbox/store/deploy/incidents';
import type { Pool } from '@signalbox/store/pool';
import { say } from '@signalbox/messages/say';
import { announce, chooseRecipients } from './notify.ts';
import { closeQuietly, type ServerLook, type WatchedServer } from './server-probes.ts';
import type { Publisher } from '@signalbox/platform/streams/publish';
import { MINUTE_MS, sleep } from '@signalbox/contracts/time';
import type { JobContext, HandlerOf } from '../runner/handlers.ts';
import { describeEnded, probeServer, type ServerLookParts } from '../jobs/server-inspect.ts';

const AT_ONCE = 4;
/** One failed look may be chance: it is made again after this before anybody is told. */
const AGAIN_MS = 2_000;
/** Opening a login's key is audited, so it is kept in memory for so long rather than opened with each look. */
const KEY_MS = 30 * MINUTE_MS;
const KIND = 'server-down';
const LOST = 'lost-command';

type OpenSecret = JobContext['openSecret'];

/**
 * Looks at every server that can be reached: what it has, what is free, and whether it answers. When one goes down its incident is
 * opened, and closed when it answers again; whoever registered it is told each once, however often this runs.
 */
export function createServersWatch(
  parts: ServerLookParts & { readonly pool: Pool; readonly publisher: Publisher },
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
      const looking = { signal, log, openSecret: keptKeys(context.openSecret) };
      const left = [...(await parts.looks.watched())];
      const work = async (): Promise<void> => {
        for (let next = left.pop(); next && !signal.aborted; next = left.pop())
          await inLanguage(next.language, () => lookAfter(parts, next, looking, counts));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return counts;
    },
    say: ({ looked, down }) => say('jobs.serversLooked', { looked, down }),
    isNotable: ({ opened, closed }) => opened + closed > 0,
  };
}

async function lookAfter(
  parts: Parameters<typeof createServersWatch>[0],
  server: WatchedServer,
  context: Pick<JobContext, 'signal' | 'openSecret' | 'log'>,
  counts: { looked: number; down: number; opened: number; closed: number },
): Promise<void> {
  let look = await probeServer(parts, server, context);
  if (look.kind === 'down' && server.health !== 'down') {
    await sleep(AGAIN_MS, context.signal);
    look = await probeServer(parts, server, context);
  }
  context.signal.throwIfAborted();
  await parts.looks.save(server.name, look);
  counts.looked += 1;
  if (look.kind === 'down') counts.down += 1;
  const news = await settle(parts.pool, server, look, counts);
  await announce({ publisher: parts.publisher, log: context.log }, [news]);
}

async function settle(
  pool: Pool,
  server: WatchedServer,
  look: ServerLook,
  counts: { opened: number; closed: number },
): Promise<IncidentNews | null> {
  const { name, driver, measuredAt } = server;
  const subject = subjectOf(server);
  if (look.kind === 'up') {
    if (look.ended.length > 0) return tellEnded(pool, server, look.ended);
    const closed = await closeIncident(pool, { subject, kind: KIND, project: null, say: `**${name}** answers again.` });
    if (closed) counts.closed += 1;
    return closed;
  }
  // One that was never reached has not gone down: whoever registered it has read why.
  if (look.kind === 'unknown' || measuredAt === null) return null;
  const { detail } = look;
  const opened = await openOf(pool, server, KIND, {
    detail,
    evidence: { driver, detail },
    say: `**${name}** is down. ${detail}`,
  });
  if (opened.isNew) counts.opened += 1;
  return opened;
}

/** One line for whoever registered it; it is over with that. That the server answers again, if it was down, the next look says. */
async function tellEnded(
  pool: Pool,
  server: WatchedServer,
  ended: Parameters<typeof describeEnded>[0],
): Promise<IncidentNews | null> {
  const detail = describeEnded(ended);
  const opened = await openOf(pool, server, LOST, {
    detail,
    evidence: { ended },
    say: `**${server.name}**: ${detail}`,
  });
  await closeQuietly(pool, subjectOf(server), LOST);
  return opened;
}

async function openOf(
  pool: Pool,
  server: WatchedServer,
  kind: string,
  { evidence, ...report }: Pick<IncidentReport, 'detail' | 'evidence' | 'say'>,
): ReturnType<typeof openIncident> {
  const owners = server.owner === null ? [] : [server.owner];
  const recipients = await chooseRecipients(pool, owners);
  const about = { subject: subjectOf(server), kind, recipients, evidence: { server: server.name, ...evidence } };
  return openIncident(pool, { ...report, ...about, project: null, buttons: [], mutedUntil: null });
}

function subjectOf({ name }: WatchedServer): string {
  return `server:${name}`;
}
