import { newId } from '@signalbox/contracts/ids';
import { redactText, redactValue } from '@signalbox/safety/redact/redact';
import type { Queryable } from '../pool.ts';
import { findValue } from '../sql.ts';

export interface DeadLetter {
  readonly source: 'inbound' | 'outbound' | 'job' | 'stream';
  /** Id of the failed work: an inbox id, outbox id, run id or stream entry. Each source and ref has one dead letter. */
  readonly ref: string;
  readonly userKey: string | null;
  readonly reason: string;
  readonly body: unknown;
}

/** Records failed work without its secrets. Returns an id that a person can quote; every call for the same work returns the same id. */
export function putDeadLetter(db: Queryable, letter: DeadLetter): Promise<string> {
  return findValue<string>(db, '')`
    insert into dead_letters (id, source, ref, user_key, reason, body)
      values (${newId('dlq')}, ${letter.source}, ${letter.ref}, ${letter.userKey}, ${redactText(letter.reason)},
      ${JSON.stringify(redactValue(letter.body))})
     on conflict (source, ref) do update set reason = excluded.reason, resolved_at = null returning id`;
}
