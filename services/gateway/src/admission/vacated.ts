import { toPrivateChat } from '@signalbox/contracts/conversation/chat-key';
import { newTraceId } from '@signalbox/contracts/ids';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import type { Log } from '@signalbox/platform/log';
import { appendAudit } from '@signalbox/store/audit/audit';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { listAdmins } from '@signalbox/store/people/recipients';
import { readLanguages } from '@signalbox/store/people/users';
import { storeFingerprint, vacateAccount, type VacatedAccount } from '@signalbox/store/people/vacated-accounts';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { listValues } from '@signalbox/store/sql';
import type { IncomingUpdate } from '../channels/channel.ts';
import { mayWriteTo } from '../delivery/outgoing.ts';
import { createControlMessage } from './control-line.ts';
import type { Notifier } from './notify.ts';

const MAX_REMEMBERED = 10_000;

/**
 * Checks, before updates are admitted, that accounts still belong to their person. A suspect account loses its role and its messages wait
 * until its person or an admin confirms it.
 */
export function createOwnerCheck(deps: {
  readonly pool: Pool;
  readonly channel: string;
  readonly notifier: Notifier;
  readonly onPeopleChanged: () => void;
  readonly log: Log;
}): (updates: readonly IncomingUpdate[]) => Promise<void> {
  const { pool, channel, notifier, onPeopleChanged, log } = deps;
  const known = new Map<string, string>();

  const hasOtherOwner = async (userKey: string, marks: Readonly<Record<string, string>>): Promise<boolean> => {
    const serialized = JSON.stringify(marks);
    if (known.get(userKey) === serialized) return false;
    const isChanged = await withTransaction(pool, (db) => storeFingerprint(db, userKey, marks));
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(userKey, serialized);
    return isChanged;
  };

  const vacate = async (userKey: string, event: string, why: string): Promise<void> => {
    const chats = await withTransaction(pool, async (db) => {
      const account = await vacateAccount(db, { userKey, event, why });
      return account && notifyVacated(db, { account, channel, event, why });
    });
    if (chats === null) return;
    log.warn('an account may have another owner, it has no role until that is confirmed', { userKey, why });
    onPeopleChanged();
    for (const chatKey of chats) await notifier.answerChats([chatKey], newTraceId());
  };

  return async (updates) => {
    for (const update of updates) {
      if (update.kind === 'vacated') await vacate(update.userKey, update.updateId, update.reason);
      else if ('marks' in update && update.marks && (await hasOtherOwner(update.userKey, update.marks)))
        await vacate(update.userKey, update.updateId, 'identity changed');
    }
  };
}

/** Audits the suspect account and notifies everyone who can confirm it. Returns the chats with new messages. */
async function notifyVacated(
  db: Queryable,
  vacated: {
    readonly account: VacatedAccount;
    readonly channel: string;
    readonly event: string;
    readonly why: string;
  },
): Promise<readonly string[]> {
  const { account, channel, event, why } = vacated;
  const { userKey, person, name, role } = account;
  const data = { person: userKey, from: role, to: null, by: channel, why };
  await appendAudit(db, [{ kind: 'role.changed', actor: 'system', data }]);
  const others = await listValues<string>(db)`select user_key from users where person = ${person} order by user_key`;
  const chats: string[] = [];
  for (const reader of new Set([...others, ...(await listAdmins(db))])) {
    const chatKey = toPrivateChat(reader);
    if (!(await mayWriteTo(db, reader, chatKey))) continue;
    const [language] = await readLanguages(db, [{ userKey: reader, chatKey }]);
    const text = runInLanguage(language ?? null, () =>
      say('people.vacated', { name: toPlainName(name), userKey, role }),
    );
    const sent = { userKey: reader, chatKey, traceId: newTraceId() };
    await putOutbox(db, [createControlMessage(sent, `vacated:${event}:${reader}`, { text, buttons: [] })]);
    chats.push(chatKey);
  }
  return chats;
}
