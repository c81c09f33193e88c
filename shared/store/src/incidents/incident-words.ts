import type { InboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { Queryable } from '../pool.ts';
import { hasRow, sql } from '../sql.ts';

/** What the message of an incident says, kept for those who are told of it later. */
export interface IncidentWords extends Pick<
  Extract<InboundEnvelope, { kind: 'incident' }>,
  'project' | 'quote' | 'card'
> {
  /** Our sentence by language; in one language at least. */
  readonly says: Readonly<Record<string, string>>;
  /** People or chats that its source names. */
  readonly tells: readonly string[];
}

/** Records that a person is told of an incident, which waits for somebody to take it. False when that person was told before. */
export async function noteTelling(db: Queryable, incidentId: string, userKey: string): Promise<boolean> {
  const isNew = await hasRow(db)`
    insert into incident_tellings (incident_id, person, user_key) values (${incidentId}::bigint, person_of(${userKey}), ${userKey})
    on conflict do nothing returning true`;
  await db.query(sql`update incidents set escalates = true where incident_id = ${incidentId}::bigint`);
  return isNew;
}
