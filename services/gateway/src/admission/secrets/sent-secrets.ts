import type { ChallengeStore } from '@signalbox/plugins/plugin';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import { hideSecrets, type HiddenSecret } from '@signalbox/safety/secrets/hide';
import { couldHoldCode, hideCodes, type Challenge } from '@signalbox/safety/secrets/step-up-code';
import { redactText } from '@signalbox/safety/redact/redact';
import type { Queryable } from '@signalbox/store/pool';
import type { PersonUpdate } from '../choice.ts';
import { findSimilarCommand, parseCommand } from '../../commands/registry.ts';

export interface SentSecrets {
  readonly found: readonly HiddenSecret[];
  /** The value given with `/secret set`, to be stored under its name; null without one. */
  readonly newValue: string | null;
  /** True when the message shows a secret to the readers of the chat. */
  readonly isShown: boolean;
}

export const NO_SECRETS_SENT: SentSecrets = { found: [], newValue: null, isShown: false };

/** Matches `/secret set name value`, also after `/new`. Group 1 is everything before the value. */
const SET_SECRET_COMMAND = /^(\s*(?:\/new(?:@\w+)?\s+)*\/secret(?:@\w+)?\s+set\s+\S+)\s+(\S[\s\S]*)$/i;

/** Removes secrets before an update is planned, stored or logged: handles replace them in texts, `[secret]` in names. */
export function extractSecrets<U extends PersonUpdate>(
  cipher: SecretSealer,
  update: U,
  challenges: readonly Challenge[] = [],
): { readonly update: U; readonly secrets: SentSecrets } {
  const named = { ...update, name: redactText(update.name), ...redactFileNames(update) };
  if (!('text' in update)) return { update: named, secrets: NO_SECRETS_SENT };
  const { text } = update;
  const set = SET_SECRET_COMMAND.exec(text);
  if (set) {
    const [, command = '', value = ''] = set;
    const secrets = { found: [], newValue: value.trim(), isShown: true };
    return { update: { ...named, text: command }, secrets };
  }
  const command = parseCommand(text);
  if (command?.name === null && findSimilarCommand(command.typed, 'viewer') === 'secret') {
    // After a mistyped /secret the rest may be a value, so only the command is stored.
    return { update: { ...named, text: `/${command.typed}` }, secrets: { ...NO_SECRETS_SENT, isShown: true } };
  }
  const hidden = hideSecrets(cipher, update.userKey, text);
  const secrets = { found: hidden.secrets, newValue: null, isShown: hidden.secrets.length > 0 };
  return { update: { ...named, text: hideCodes(cipher, hidden.text, challenges) }, secrets };
}

function redactFileNames(update: PersonUpdate): object {
  if (!('attachments' in update)) return {};
  const attachments = update.attachments.map((file) => ({ ...file, name: file.name && redactText(file.name) }));
  return { attachments };
}

/** Finds the open challenges of senders whose text may hold a step-up code; no query when no text does. */
export async function findChallenges(
  db: Queryable,
  challenges: ChallengeStore,
  updates: readonly { readonly userKey: string; readonly text?: string }[],
): Promise<ReadonlyMap<string, readonly Challenge[]>> {
  const typing = updates.flatMap(({ userKey, text = '' }) => (couldHoldCode(text) ? [userKey] : []));
  return typing.length === 0 ? new Map() : challenges.list(db, typing);
}
