import { FORGE_NAMES, GateForge } from '@signalbox/contracts/operations/gate';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import {
  createIdentityCode,
  IDENTITY_CODE_TTL_MS,
  listIdentities,
  unlinkIdentity,
} from '@signalbox/store/people/identities';
import { createForgeCode, hasForgeSource } from '@signalbox/store/people/forge-links';
import type { Queryable } from '@signalbox/store/pool';
import { createLinkWithCode, readLinks } from '../../channels/links.ts';
import type { ChatCommand } from '../chat-command.ts';
import type { GatewayAnswer, QuestionContext } from '../question.ts';
import { auditCommand } from '../record.ts';

/**
 * `/link` creates a code that links another account of the same person; `/link github <login>` one at a forge; `/link remove <key>` unlinks
 * an account.
 */
export default {
  name: 'link',
  who: 'viewer',
  personal: true,
  menu: { place: 92, description: 'menu.link' },
  help: 'help.link',
  answer: async ({ db }, typed, asked) => {
    const { envelope } = asked;
    const [, removedKey] = /^remove\s+(\S+)$/i.exec(typed) ?? [];
    if (removedKey !== undefined) return removeAccount(db, removedKey, asked);
    if (envelope.chatKind === 'group') return { text: say('people.link-in-private') };
    const [, forge, login = ''] = /^(github|gitlab)\b\s*@?(\S*)$/i.exec(typed.trim()) ?? [];
    if (forge !== undefined) return linkForge(db, GateForge.parse(forge.toLowerCase()), login, envelope);
    const code = await createIdentityCode(db, envelope.userKey);
    const left = sayDuration(IDENTITY_CODE_TTL_MS);
    const links = (await readLinks(db)).filter(({ channel }) => channel !== envelope.channel);
    const linkLines = links.map((link) => `- ${link.channel}: ${createLinkWithCode(link, code)}`);
    const text = [
      say('people.link-code', { left }),
      `\`${code}\``,
      ...(linkLines.length > 0 ? [[say('people.link-open'), ...linkLines].join('\n')] : []),
      await describeAccounts(db, envelope.userKey),
    ].join('\n\n');
    // Only this text holds the code, so the history keeps `afterwards` instead.
    return { text, afterwards: say('people.link-made', { left }) };
  },
} satisfies ChatCommand;

/** Gives a code that the login has to write at the forge: only that proves whose login it is. */
async function linkForge(
  db: Queryable,
  forge: GateForge,
  login: string,
  { userKey, chatKey }: QuestionContext['envelope'],
): Promise<GatewayAnswer> {
  const name = FORGE_NAMES[forge];
  if (!LOGIN.test(login)) return { text: say('people.forge-usage', { forge, name }) };
  if (!(await hasForgeSource(db, forge))) return { text: say('people.forge-unknown', { name }) };
  const code = await createForgeCode(db, { userKey, chatKey, forge, login });
  const values = { name, login: toPlainName(login), left: sayDuration(IDENTITY_CODE_TTL_MS) };
  const text = [say('people.forge-code', values), `\`${code}\``].join('\n\n');
  return { text, afterwards: say('people.forge-code-made', values) };
}

const LOGIN = /^\w[\w.-]{0,99}$/;

async function describeAccounts(db: Queryable, userKey: string): Promise<string> {
  const lines = (await listIdentities(db, userKey)).map(({ userKey: key, name, isFirst }) =>
    say('people.link-account', { name: toPlainName(name), userKey: key, isFirst: isFirst ? 'yes' : 'no' }),
  );
  const removeHint = lines.length > 1 ? ['', say('people.link-remove-how')] : [];
  return [say('people.link-accounts'), ...lines, ...removeHint].join('\n');
}

async function removeAccount(db: Queryable, userKey: string, asked: QuestionContext): Promise<GatewayAnswer> {
  const removed = await unlinkIdentity(db, userKey, asked.envelope.userKey);
  if (!removed) return { text: say('people.link-not-removed', { userKey: toPlainName(userKey) }) };
  await auditCommand(db, asked, 'role.changed', { person: userKey, from: asked.role, to: null, by: 'link' });
  return { text: say('people.link-removed', { userKey }), peopleChanged: true };
}
