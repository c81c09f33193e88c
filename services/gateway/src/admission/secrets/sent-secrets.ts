import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import { hideSecrets, type HiddenSecret } from '@signalbox/safety/secrets/hide';
import { hideCodes, type Challenge } from '@signalbox/safety/secrets/step-up-code';
import { redactText } from '@signalbox/safety/redact/redact';
import type { FromPerson } from '../choice.ts';
import { nearestCommand, parseCommand } from '../../commands/registry.ts';

/** Secrets that came with an update and are no longer in it. */
export interface SentSecrets {
  /** Found in its text. */
  readonly found: readonly HiddenSecret[];
  /** What was given with `/secret set`, to be kept under its name; null when nothing was. */
  readonly given: string | null;
  /** Whether the message shows a secret to the readers of the chat. */
  readonly isShown: boolean;
}

export const NO_SECRETS: SentSecrets = { found: [], given: null, isShown: false };

/** `/secret set name value`, also behind `/new`: group 1 is all but the value. */
const SET = /^(\s*(?:\/new(?:@\w+)?\s+)*\/secret(?:@\w+)?\s+set\s+\S+)\s+(\S[\s\S]*)$/i;

/**
 * Takes secrets out of an update, before anybody plans, stores or logs it: out of the text, with a handle in each place; out of
 * the names of the person and of files, where `[secret]` is all that is left, because no one hands over a secret as a name. The
 * value of `/secret set` is taken whole, whatever it looks like. An answer to one of `challenges` leaves its mark, and is kept nowhere.
 */
export function takeSecrets<U extends FromPerson>(
  cipher: SecretSealer,
  update: U,
  challenges: readonly Challenge[] = [],
): { readonly update: U; readonly secrets: SentSecrets } {
  const named = { ...update, name: redactText(update.name), ...cleanFiles(update) };
  if (!('text' in update)) return { update: named, secrets: NO_SECRETS };
  const { text } = update;
  const set = SET.exec(text);
  if (set) {
    const [, command = '', value = ''] = set;
    const secrets = { found: [], given: value.trim(), isShown: true };
    return { update: { ...named, text: command }, secrets };
  }
  const command = parseCommand(text);
  if (command?.name === null && nearestCommand(command.typed, 'viewer') === 'secret') {
    // A mistyped /secret: what follows may be a value, so only the command is stored.
    return { update: { ...named, text: `/${command.typed}` }, secrets: { ...NO_SECRETS, isShown: true } };
  }
  const hidden = hideSecrets(cipher, update.userKey, text);
  const secrets = { found: hidden.secrets, given: null, isShown: hidden.secrets.length > 0 };
  return { update: { ...named, text: hideCodes(cipher, hidden.text, challenges) }, secrets };
}

function cleanFiles(update: FromPerson): object {
  if (!('attachments' in update)) return {};
  const attachments = update.attachments.map((file) => ({ ...file, name: file.name && redactText(file.name) }));
  return { attachments };
}
