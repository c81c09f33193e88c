import { readIdTime } from '@signalbox/contracts/ids';
import { parseTraceparent } from '@signalbox/platform/tracing/trace-context';
import type { Queryable } from '@signalbox/store/pool';
import { findValue } from '@signalbox/store/sql';

/** The context in which a program sent an event, as the envelope keeps it. */
export interface ForeignTrace {
  /** Id of the request's trace when it goes on in the program's trace; null when it gets one of its own, which links there. */
  readonly traceId: string | null;
  readonly traceparent: string;
}

/** Times that our own trace ids begin with, generously: from 2020 to 2100. */
const OWN_TIMES = { from: Date.UTC(2020), until: Date.UTC(2100) };

/**
 * Lets an event go on in its program's trace, the first event of each trace only. Signalbox never takes an id that could be one of its own:
 * a program could otherwise write into another person's trace. Returns null without a valid header. Safe to repeat: an event keeps its trace.
 */
export async function joinTrace(db: Queryable, eventId: string, header: unknown): Promise<ForeignTrace | null> {
  const remote = parseTraceparent(header);
  if (remote === null || typeof header !== 'string') return null;
  const traceId = `trace_${remote.traceId}`;
  const ms = readIdTime(traceId) ?? 0;
  if (ms >= OWN_TIMES.from && ms < OWN_TIMES.until) return { traceId: null, traceparent: header };
  return { traceId: (await claim(db, eventId, traceId)) ? traceId : null, traceparent: header };
}

async function claim(db: Queryable, eventId: string, traceId: string): Promise<boolean> {
  try {
    const kept = await findValue<string>(db)`
      with taken as (
        update ingress_events e set trace_id = ${traceId}
         where e.event_id = ${eventId} and e.trace_id is null
           and not exists (select from ingress_events o where o.trace_id = ${traceId})
           and not exists (select from inbox i where i.update_id = ${eventId} and i.channel = 'ingress')
        returning e.trace_id)
      select trace_id from taken union all select trace_id from ingress_events where event_id = ${eventId} and trace_id is not null limit 1`;
    return kept === traceId;
  } catch (error) {
    // Two gateways took the same trace at the same moment.
    if (error instanceof Error && 'code' in error && error.code === '23505') return false;
    throw error;
  }
}
