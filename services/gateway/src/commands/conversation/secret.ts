import { NewEntityName } from '@signalbox/contracts/conversation/fields';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { deleteSecret, listSecrets, putSecrets, type SecretSummary } from '@signalbox/store/secrets';
import { HANDLE_PREFIX } from '@signalbox/safety/secrets/hide';
import type { ChatCommand } from '../chat-command.ts';
import { refuseRole, type GatewayAnswer, type AnswerDeps, type QuestionContext } from '../question.ts';
import { auditCommand } from '../record.ts';

const MAX_NAMED = 100;
/** As many names as fit on a phone. */
const MAX_LISTED = 50;
const NAMED_KIND = 'named';

/** `/secret` stores a value under a name, lists names or deletes one. Values travel outside the envelope; no command shows one. */
export default {
  name: 'secret',
  who: 'viewer',
  personal: true,
  menu: { place: 60, description: 'menu.secret' },
  help: 'help.secret',
  answer: (parts, typed, asked) => {
    const [verb = '', name = '', ...more] = typed.split(/\s+/);
    switch (verb.toLowerCase()) {
      case 'set':
        return storeSecret(parts, name, asked);
      case 'list':
        return listSecretNames(parts, name, asked);
      case 'delete':
        return more.length > 0 ? answerUsage() : forgetSecret(parts, name, asked);
      default:
        return answerUsage();
    }
  },
} satisfies ChatCommand;

async function storeSecret({ db, cipher }: AnswerDeps, name: string, asked: QuestionContext): Promise<GatewayAnswer> {
  const { envelope, secret } = asked;
  const { userKey } = envelope;
  // Everybody in the group has seen the value, so it is not stored.
  if (envelope.chatKind === 'group') {
    await auditCommand(db, asked, 'secret.refused', { reason: 'sent into a group' });
    return { text: say('people.exposed') };
  }
  const newName = NewEntityName.safeParse(name.replace(/^secret:/i, ''));
  if (secret === null || name === '') return answerUsage();
  if (!newName.success)
    return { text: say('people.bad-name', { problem: newName.error.issues[0]?.message ?? say('people.no-name') }) };
  const handle = `${HANDLE_PREFIX}${newName.data}`;
  const known = (await listSecrets(db, userKey)).filter(({ kind }) => kind === NAMED_KIND);
  const isNew = !known.some((one) => one.handle === handle);
  if (isNew && known.length >= MAX_NAMED) return { text: say('people.full', { count: MAX_NAMED }) };
  const ciphertext = cipher.seal(secret, { userKey, handle });
  await putSecrets(db, [{ userKey, handle, kind: NAMED_KIND, ciphertext, keptMs: null }]);
  await auditCommand(db, asked, 'secret.kept', { handle, kind: NAMED_KIND, found: false, replaced: !isNew });
  return { text: say(isNew ? 'people.kept' : 'people.replaced', { handle }) };
}

async function listSecretNames({ db }: AnswerDeps, person: string, asked: QuestionContext): Promise<GatewayAnswer> {
  const isOwn = person === '' || person === asked.envelope.userKey;
  if (!isOwn && !coversRole(asked.role, 'admin')) return refuseRole(asked, 'admin');
  const secrets = await listSecrets(db, isOwn ? asked.envelope.userKey : person);
  return { text: describeSecrets(secrets, isOwn ? null : person) };
}

async function forgetSecret({ db }: AnswerDeps, name: string, asked: QuestionContext): Promise<GatewayAnswer> {
  if (name === '') return answerUsage();
  const handle = name.toLowerCase().startsWith(HANDLE_PREFIX)
    ? name.toLowerCase()
    : `${HANDLE_PREFIX}${name.toLowerCase()}`;
  const wasThere = await deleteSecret(db, asked.envelope.userKey, handle);
  if (wasThere) await auditCommand(db, asked, 'secret.deleted', { handle });
  return { text: say(wasThere ? 'people.forgotten' : 'people.secretsUnknown', { handle: toPlainCode(handle) }) };
}

function answerUsage(): GatewayAnswer {
  return { text: say('people.secretsUsage') };
}

/** Lists names and times, never values. `person` is null for the sender's own secrets. */
function describeSecrets(secrets: readonly SecretSummary[], person: string | null, now = Date.now()): string {
  const owner = person === null ? { whose: 'yours', person: '' } : { whose: 'other', person: toPlainName(person) };
  if (secrets.length === 0) return say('people.none', owner);
  const lines = secrets.slice(0, MAX_LISTED).map(({ handle, expiresAt, usedAt }) =>
    say('people.named', {
      handle: toPlainCode(handle),
      used: usedAt === null ? 'never' : sayDuration(now - usedAt.getTime()),
      left: expiresAt === null ? 'always' : sayDuration(expiresAt.getTime() - now),
    }),
  );
  const more = secrets.length - lines.length;
  return [
    say('people.secretsList', owner),
    '',
    ...lines,
    ...(more > 0 ? [say('people.secretsMore', { count: more })] : []),
  ].join('\n');
}

const toPlainCode = (text: string): string => text.replace(/[`\s]+/g, ' ').slice(0, 80);
