import { INBOUND } from '@signalbox/contracts/conversation/topics';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';
import type { IncidentNews } from '@signalbox/store/deploy/incidents';
import { notifyWaiting } from '@signalbox/store/deploy/incident-news';
import { listAdmins } from '@signalbox/store/people/recipients';
import type { Pool, Queryable } from '@signalbox/store/pool';
import type { Log } from '@signalbox/platform/log';

/** Whom to tell of what broke: those whom it concerns, in their order, then the admins. */
export async function chooseRecipients(db: Queryable, owners: readonly string[]): Promise<readonly string[]> {
  return [...new Set([...owners, ...(await listAdmins(db))])];
}

interface Announcing {
  readonly publisher: Publisher;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** Wakes the lanes of those who were told. News that reaches nobody is an error of ours, said once. */
export async function announce({ publisher, log }: Announcing, news: readonly (IncidentNews | null)[]): Promise<void> {
  for (const { incident, isUnheard } of news.filter((one) => one !== null))
    if (isUnheard)
      log.error('nobody can be told of an incident; it is told as soon as somebody can be written to', {
        subject: incident.subject,
        kind: incident.kind,
        incidentId: incident.incidentId,
      });
  const wakes = news.flatMap((one) => one?.told ?? []);
  await publishStored({ publisher, log }, INBOUND, wakes);
}

/** Tells what could be told to nobody before, as soon as that is possible. */
export async function announceWaiting({ publisher, log }: Announcing, pool: Pool): Promise<void> {
  const wakes = await notifyWaiting(pool, await listAdmins(pool));
  await publishStored({ publisher, log }, INBOUND, wakes);
}
