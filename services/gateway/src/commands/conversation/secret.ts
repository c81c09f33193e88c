import { NewName } from '@signalbox/contracts/conversation/fields';
import { plainName } from '@signalbox/contracts/plain-name';
import { roleCovers } from '@signalbox/contracts/governance/roles';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { deleteSecret, listSecrets, putSecrets, type SecretName } from '@signalbox/store/secrets';
import { HANDLE_PREFIX } from '@signalbox/safety/secrets/hide';
import type { ChatCommand } from '../chat-command.ts';
import { refuse, type Answer, type AnswerParts, type Asked } from '../question.ts';
import { recordCommand } from '../record.ts';

/** No one reads a longer list. */
const MAX_NAMED = 100;
/** More do not fit a phone. */
const MAX_LISTED = 50;
/** Of secrets that a person named. */
const NAMED = 'named';

/**
 * `/secret` keeps a value under a name, lists names, forgets one. The value came beside the command and is in no envelope.
 * Keeping the same name again replaces the value. No command shows a value.
 */
export default {
  name: 'secret',
  who: 'viewer',
  personal: true,
  menu: { place: 60, description: 'menu.secret' },
  help: 'help.secret',
  answer: (parts, typed, asked) => {
    const [verb = '', word = '', ...more] = typed.split(/\s+/);
    switch (verb.toLowerCase()) {
      case 'set':
        return keep(parts, word, asked);
      case 'list':
        return list(parts, word, asked);
      case 'delete':
        return more.length > 0 ? usage() : forget(parts, word, asked);
      default:
        return usage();
    }
  },
} satisfies ChatCommand;

async function keep({ db, cipher }: AnswerParts, word: string, asked: Asked): Promise<Answer> {
  const { envelope, secret } = asked;
  const { userKey } = envelope;
  // Everybody in the group has seen the value.
  if (envelope.chatKind === 'group') {
    await recordCommand(db, asked, 'secret.refused', { reason: 'sent into a group' });
    return { text: say('people.exposed') };
  }
  const name = NewName.safeParse(word.replace(/^secret:/i, ''));
  if (secret === null || word === '') return usage();
  if (!name.success)
    return { text: say('people.bad-name', { problem: name.error.issues[0]?.message ?? say('people.no-name') }) };
  const handle = `${HANDLE_PREFIX}${name.data}`;
  const known = (await listSecrets(db, userKey)).filter(({ kind }) => kind === NAMED);
  const isNew = !known.some((one) => one.handle === handle);
  if (isNew && known.length >= MAX_NAMED) return { text: say('people.full', { count: MAX_NAMED }) };
  const ciphertext = cipher.seal(secret, { userKey, handle });
  await putSecrets(db, [{ userKey, handle, kind: NAMED, ciphertext, keptMs: null }]);
  await recordCommand(db, asked, 'secret.kept', { handle, kind: NAMED, found: false, replaced: !isNew });
  return { text: say(isNew ? 'people.kept' : 'people.replaced', { handle }) };
}

/** One's own names; an admin may look at another person's. */
async function list({ db }: AnswerParts, person: string, asked: Asked): Promise<Answer> {
  const isOwn = person === '' || person === asked.envelope.userKey;
  if (!isOwn && !roleCovers(asked.role, 'admin')) return refuse(asked, 'admin');
  const secrets = await listSecrets(db, isOwn ? asked.envelope.userKey : person);
  return { text: describeSecrets(secrets, isOwn ? null : person) };
}

async function forget({ db }: AnswerParts, word: string, asked: Asked): Promise<Answer> {
  if (word === '') return usage();
  const handle = word.toLowerCase().startsWith(HANDLE_PREFIX)
    ? word.toLowerCase()
    : `${HANDLE_PREFIX}${word.toLowerCase()}`;
  const wasThere = await deleteSecret(db, asked.envelope.userKey, handle);
  if (wasThere) await recordCommand(db, asked, 'secret.deleted', { handle });
  return { text: say(wasThere ? 'people.forgotten' : 'people.secretsUnknown', { handle: plainCode(handle) }) };
}

function usage(): Answer {
  return { text: say('people.secretsUsage') };
}

/** Names and times, never values. `person`: another person, whom an admin asks about. */
function describeSecrets(secrets: readonly SecretName[], person: string | null, now = Date.now()): string {
  const whose = person === null ? { whose: 'yours', person: '' } : { whose: 'other', person: plainName(person) };
  if (secrets.length === 0) return say('people.none', whose);
  const lines = secrets.slice(0, MAX_LISTED).map(({ handle, expiresAt, usedAt }) =>
    say('people.named', {
      handle: plainCode(handle),
      used: usedAt === null ? 'never' : sayDuration(now - usedAt.getTime()),
      left: expiresAt === null ? 'always' : sayDuration(expiresAt.getTime() - now),
    }),
  );
  const more = secrets.length - lines.length;
  return [
    say('people.secretsList', whose),
    '',
    ...lines,
    ...(more > 0 ? [say('people.secretsMore', { count: more })] : []),
  ].join('\n');
}

const plainCode = (text: string): string => text.replace(/[`\s]+/g, ' ').slice(0, 80);
