import type { Checkpoint } from '@signalbox/safety/audit/checkpoint';
import { toEventJson } from '@signalbox/safety/audit/event-json';
import { readAuditLogId, readCheckpoints, readChain } from '@signalbox/store/audit/audit-chain';
import type { Queryable } from '@signalbox/store/pool';
import type { ChainedEvent, History } from '../../../infra/audit/verify.mjs';

/** Events per page: enough to hide the round trip, a few megabytes at most. */
const PAGE = 2_000;

/** Opens a database's audit history for the verifier. Reads checkpoints before events, so none lacks its events. */
export async function openDatabaseHistory(db: Queryable): Promise<History> {
  const logId = await readAuditLogId(db);
  return { logId, events: () => readEvents(db), inside: () => readSigned(db, logId) };
}

async function* readEvents(db: Queryable): AsyncGenerator<ChainedEvent> {
  for (let page = readChain(db, 0, PAGE); ;) {
    const places = await page;
    const last = places.at(-1)?.seq;
    // Fetches the next page while this page is hashed.
    const next = last === undefined || places.length < PAGE ? null : readChain(db, last, PAGE);
    next?.catch(() => undefined); // The next round awaits the page, unless the reader stops.
    for (const { seq, leafHash, hash, event } of places)
      yield { seq, leafHash, hash, json: event && toEventJson(event) };
    if (next === null) return;
    page = next;
  }
}

async function* readSigned(db: Queryable, logId: string): AsyncGenerator<Checkpoint> {
  const pages: Checkpoint[] = [];
  for (;;) {
    const page = await readCheckpoints(db, pages.at(-1)?.size ?? 0, PAGE);
    pages.push(...page.map((checkpoint) => ({ ...checkpoint, logId })));
    if (page.length < PAGE) break;
  }
  yield* pages;
}
