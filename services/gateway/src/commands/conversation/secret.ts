import { NewName } from '@signalbox/contracts/conversation/fields';
import { roleCovers } from '@signalbox/contracts/governance/roles';
import { deleteSecret, listSecrets, putSecrets } from '@signalbox/store/secrets';
import { HANDLE_PREFIX } from '@signalbox/safety/secrets/hide';
import * as words from '../../words.ts';
import type { ChatCommand } from '../chat-command.ts';
import { refuse, type Answer, type AnswerParts, type Asked } from '../question.ts';
import { recordCommand } from '../record.ts';

/** No one reads a longer list. */
const MAX_NAMED = 100;
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
    return { text: words.SECRET_EXPOSED };
  }
  const name = NewName.safeParse(word.replace(/^secret:/i, ''));
  if (secret === null || word === '') return usage();
  if (!name.success) return { text: words.secretName(name.error.issues[0]?.message ?? 'it is no name') };
  const handle = `${HANDLE_PREFIX}${name.data}`;
  const known = (await listSecrets(db, userKey)).filter(({ kind }) => kind === NAMED);
  const isNew = !known.some((one) => one.handle === handle);
  if (isNew && known.length >= MAX_NAMED) return { text: words.secretsFull(MAX_NAMED) };
  const ciphertext = cipher.seal(secret, { userKey, handle });
  await putSecrets(db, [{ userKey, handle, kind: NAMED, ciphertext, keptMs: null }]);
  await recordCommand(db, asked, 'secret.kept', { handle, kind: NAMED, found: false, replaced: !isNew });
  return { text: words.secretKept(handle, isNew) };
}

/** One's own names; an admin may look at another person's. */
async function list({ db }: AnswerParts, person: string, asked: Asked): Promise<Answer> {
  const isOwn = person === '' || person === asked.envelope.userKey;
  if (!isOwn && !roleCovers(asked.role, 'admin')) return refuse(asked, 'admin');
  const secrets = await listSecrets(db, isOwn ? asked.envelope.userKey : person);
  return { text: words.secretList(secrets, isOwn ? null : person) };
}

async function forget({ db }: AnswerParts, word: string, asked: Asked): Promise<Answer> {
  if (word === '') return usage();
  const handle = word.toLowerCase().startsWith(HANDLE_PREFIX)
    ? word.toLowerCase()
    : `${HANDLE_PREFIX}${word.toLowerCase()}`;
  const wasThere = await deleteSecret(db, asked.envelope.userKey, handle);
  if (wasThere) await recordCommand(db, asked, 'secret.deleted', { handle });
  return { text: words.secretForgotten(handle, wasThere) };
}

function usage(): Answer {
  return { text: words.SECRET_USAGE };
}
