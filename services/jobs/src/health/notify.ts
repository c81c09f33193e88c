import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';
import type { IncidentOutcome } from '@signalbox/store/deploy/incidents';
import { sendPendingNotices } from '@signalbox/store/deploy/incident-news';
import { listAdmins } from '@signalbox/store/people/recipients';
import type { Pool } from '@signalbox/store/pool';
import type { Log } from '@signalbox/platform/log';

interface Deps {
  readonly publisher: Publisher;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** Wakes the conversations of notified people. Logs an error for an incident for which nobody could be notified. */
export async function notifyPeople({ publisher, log }: Deps, news: readonly (IncidentOutcome | null)[]): Promise<void> {
  for (const { incident, hasNoRecipient } of news.filter((one) => one !== null))
    if (hasNoRecipient)
      log.error('nobody can be notified of an incident; it waits until somebody can be reached', {
        subject: incident.subject,
        kind: incident.kind,
        incidentId: incident.incidentId,
      });
  const wakes = news.flatMap((one) => one?.notified ?? []);
  await publishStored({ publisher, log }, INBOUND_TOPIC, wakes);
}

/** Notifies people of incidents for which nobody could be notified earlier. */
export async function notifyPending({ publisher, log }: Deps, pool: Pool): Promise<void> {
  const wakes = await sendPendingNotices(pool, await listAdmins(pool));
  await publishStored({ publisher, log }, INBOUND_TOPIC, wakes);
}
