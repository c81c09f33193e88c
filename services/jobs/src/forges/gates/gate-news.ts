import { INBOUND_TOPIC } from '@signalbox/contracts/conversation/topics';
import type { AppError } from '@signalbox/contracts/errors';
import { FORGE_NAMES } from '@signalbox/contracts/operations/gate';
import { explainError, say } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { publishStored, type Publisher } from '@signalbox/platform/streams/publish';
import { putNotice } from '@signalbox/store/deploy/incident-news';
import { closeIncident, endIncident, openIncident } from '@signalbox/store/deploy/incidents';
import { noteRunEnd } from '@signalbox/store/governance/approval-cards';
import { closeGate, type OpenGate } from '@signalbox/store/governance/gates';
import { findRecipients } from '@signalbox/store/people/recipients';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { wakeChats } from '../../runner/wake-chats.ts';
import type { GateAnswer } from './gate-driver.ts';

const KIND = 'gate';

/** Tells those who decided about a gate what became of their decision at the forge. */
export function createGateNews(
  { pool, publisher, log }: { readonly pool: Pool; readonly publisher: Publisher; readonly log: Log },
  { eventId, actionId, forge, repository, target, isTold }: OpenGate,
  deciders: readonly string[],
) {
  const subject = `gate:${eventId}`;
  const about = { forge: FORGE_NAMES[forge], repository, environment: target.environment };
  const sayRefused = (state: GateAnswer['state'], isEnd: boolean): string =>
    say('gate.not-taken', { ...about, run: target.run, state, isOver: isEnd ? 'yes' : 'no' });
  const close = async (words: () => string): Promise<void> => {
    const closed = await closeIncident(pool, { subject, kind: KIND, project: null, say: words });
    await publishStored({ publisher, log }, INBOUND_TOPIC, closed?.notified ? [closed.notified] : []);
  };
  return {
    /** Tells each of them once that the forge did not take the decision. */
    async tellRefused(state: GateAnswer['state'], error: AppError, isEnd: boolean): Promise<void> {
      const sentence = (): string => sayRefused(state, isEnd);
      // The forge's own words are text from outside.
      const news = {
        project: null,
        say: sentence,
        quote: String(error.data['detail'] ?? explainError(error)).slice(0, 700),
        buttons: [],
      };
      const recipients = [...deciders];
      const report = {
        subject,
        kind: KIND,
        detail: sentence,
        evidence: { repository },
        recipients,
        mutedUntil: null,
        ...news,
      };
      const { incident, notified } = await openIncident(pool, report);
      const others = (await findRecipients(pool, deciders)).filter(({ userKey }) => userKey !== notified?.userKey);
      const { incidentId } = incident;
      const woken = [];
      for (const one of others)
        woken.push(
          await putNotice(pool, { incidentId, once: `opened:${one.userKey}` }, one, {
            phase: 'opened',
            ...news,
            say: sentence(),
          }),
        );
      await publishStored({ publisher, log }, INBOUND_TOPIC, [...(notified ? [notified] : []), ...woken]);
    },
    /** Ends a gate whose answer the forge will never take: nothing is wrong any more, and its card says so. */
    async endRefused(state: GateAnswer['state']): Promise<void> {
      if (isTold) await close(() => sayRefused(state, true));
      const chats = await withTransaction(pool, async (db) => {
        await closeGate(db, eventId, 'refused');
        await endIncident(db, { subject, kind: KIND });
        return noteRunEnd(db, actionId, `⏹ ${say('gate.without-effect', about)}`);
      });
      await wakeChats({ publisher, log }, chats);
    },
    /** Tells that the forge has taken it after all. */
    tellTaken: (): Promise<void> => close(() => say('gate.taken-now', about)),
  };
}
