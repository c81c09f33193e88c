import { runInLanguage } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { newTraceId } from '@signalbox/contracts/ids';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { setWrittenLanguage } from '@signalbox/store/people/users';
import type { Log } from '@signalbox/platform/log';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { parseCommand } from '../commands/registry.ts';
import type { PersonUpdate } from './choice.ts';
import { createControlMessage } from './control-line.ts';
import type { LanguageCache } from './language-cache.ts';
import type { Notifier } from './notify.ts';
import { findWrittenLanguage } from './written-language.ts';

interface AdoptionDeps {
  readonly pool: Pool;
  readonly languages: LanguageCache;
  readonly notifier: Notifier;
  readonly log: Log;
}

/**
 * Finds the language of each sender, as `LanguageCache` does. Some people read English only because nothing else is known of them. When such
 * a person writes another language of the product, Signalbox answers in it from this message on, and tells them so once. It never replaces
 * a language that the person chose. Idempotent: a repeated update finds the language that was adopted.
 */
export async function findReaderLanguages(
  deps: AdoptionDeps,
  updates: readonly PersonUpdate[],
): Promise<ReadonlyMap<string, string | null>> {
  const { languages } = deps;
  const known = new Map(await languages.findLanguages(updates));
  for (const update of updates) {
    const text = getOwnText(update);
    if (text === null || !languages.isUndecided(update.userKey)) continue;
    const language = await findWrittenLanguage(text).catch((error: unknown) => {
      // The message is admitted all the same.
      deps.log.warn('language not found', { userKey: update.userKey, error });
      return null;
    });
    if (language === null || !(await adopt(deps, update, language))) continue;
    languages.forget();
    known.set(update.userKey, language);
  }
  return known;
}

/** The words of the sender; null for a command, a press, an edit, and what somebody else or a button wrote. */
function getOwnText(update: PersonUpdate): string | null {
  if (update.kind !== 'text' || update.borrowed !== undefined || update.messageId === null) return null;
  return parseCommand(update.text) === null ? update.text : null;
}

async function adopt(
  { pool, notifier }: AdoptionDeps,
  { userKey, chatKey, chatKind, updateId }: PersonUpdate,
  language: string,
): Promise<boolean> {
  const traceId = newTraceId();
  const isAdopted = await withTransaction(pool, async (db) => {
    if (!(await setWrittenLanguage(db, userKey, language))) return false;
    const text = runInLanguage(language, () => say('people.language-adopted'));
    const body = { text, buttons: [], ...(chatKind === 'group' ? { onlyFor: userKey } : {}) };
    const key = `language:${chatKey}:${updateId}`;
    await runInLanguage(language, () =>
      putOutbox(db, [createControlMessage({ userKey, chatKey, traceId }, key, body)]),
    );
    return true;
  });
  if (isAdopted) await notifier.answerChats([chatKey], traceId);
  return isAdopted;
}
