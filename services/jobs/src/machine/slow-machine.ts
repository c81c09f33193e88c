import { formatServiceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import {
  closeIncident,
  listOpenIncidents,
  openIncident,
  type IncidentOutcome,
} from '@signalbox/store/deploy/incidents';
import { listProbesOfServer, MACHINE_SLOW, type ProbedService } from '@signalbox/store/deploy/service-health';
import { listIncidentPeople, listOnCallPeople } from '@signalbox/store/incidents/incident-people';
import type { Pool } from '@signalbox/store/pool';
import { createServerProbeStore } from './server-probes.ts';
import { isMachineSlow } from './strain.ts';

/** Number of services that a message names. */
const MAX_NAMED = 12;

export interface MachineNews {
  /** Servers that are slow as a whole. */
  readonly slow: ReadonlySet<string>;
  readonly news: readonly IncidentOutcome[];
  readonly opened: number;
  readonly closed: number;
}

/**
 * Opens one incident for each server on which most services became slow, and closes it when they are well. `servers`: where this round found
 * a slow service. `unproven`: services of which it found nothing out. Each incident is told once.
 */
export async function settleMachines(
  pool: Pool,
  { servers, unproven }: { readonly servers: readonly string[]; readonly unproven: readonly ServiceKey[] },
  now: Date,
): Promise<MachineNews> {
  const unknown = new Set(unproven.map(formatServiceName));
  const open = await listOpenIncidents(pool, null, MACHINE_SLOW);
  const slow = new Set<string>();
  const news: IncidentOutcome[] = [];
  const counts = { opened: 0, closed: 0 };
  for (const server of new Set([...servers, ...open.map(({ subject }) => subject.slice(SUBJECT.length))])) {
    const incident = open.find(({ subject }) => subject === `${SUBJECT}${server}`) ?? null;
    const serving = await listProbesOfServer(pool, server);
    const probes = serving.filter((one) => one.isFresh && (one.isStrained || !unknown.has(formatServiceName(one))));
    if (isMachineSlow(probes, incident !== null)) {
      slow.add(server);
      const opened = await openMachineIncident(pool, server, probes);
      if (opened.isNew) counts.opened += 1;
      news.push(opened);
    } else if (incident && (probes.length > 0 || serving.length === 0)) {
      const closed = await closeMachineIncident(pool, server, now.getTime() - incident.openedAt.getTime());
      if (closed) counts.closed += 1;
      news.push(...(closed ? [closed] : []));
    } else if (incident) slow.add(server); // Nothing there was measured lately.
  }
  return { slow, news, ...counts };
}

const SUBJECT = 'server:';

async function openMachineIncident(
  pool: Pool,
  server: string,
  probes: readonly ProbedService[],
): ReturnType<typeof openIncident> {
  const affected = probes.filter(({ isStrained }) => isStrained);
  const recipients = await listPeople(pool, server, affected);
  const names = affected.slice(0, MAX_NAMED).map(formatServiceName).join(', ');
  const values = { server, affected: affected.length, probed: probes.length, services: names };
  const silences = affected.map(({ mutedUntil }) => mutedUntil?.getTime() ?? 0);
  return openIncident(pool, {
    subject: `${SUBJECT}${server}`,
    kind: MACHINE_SLOW,
    detail: () => say('services.machineSlowDetail', values),
    evidence: { server, services: affected.map(formatServiceName) },
    recipients,
    project: null,
    say: () => say('services.machineSlow', { detail: say('services.machineSlowDetail', values) }),
    buttons: [],
    card: { environment: null },
    // It is muted while all services that it affects are.
    mutedUntil: new Date(Math.min(...silences)),
  });
}

function closeMachineIncident(pool: Pool, server: string, lastedMs: number): ReturnType<typeof closeIncident> {
  return closeIncident(pool, {
    subject: `${SUBJECT}${server}`,
    kind: MACHINE_SLOW,
    project: null,
    say: () => say('services.machineWell', { server, lasted: sayDuration(lastedMs) }),
  });
}

/** Lists whom it tells: who is on call for the affected projects, whoever registered the server, then the people of the services. */
async function listPeople(pool: Pool, server: string, affected: readonly ProbedService[]): Promise<readonly string[]> {
  const projects = [null, ...new Set(affected.map(({ project }) => project))];
  const onCall: string[] = [];
  for (const project of projects) onCall.push(...(await listOnCallPeople(pool, project)));
  const { owner } = await createServerProbeStore(pool).get(server);
  const people: string[] = [];
  for (const service of affected) people.push(...(await listIncidentPeople(pool, service)));
  return [...new Set([...onCall, ...(owner === null ? [] : [owner]), ...people])];
}
