import { plainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import {
  createIdentityCode,
  IDENTITY_CODE_MS,
  listIdentities,
  unlinkIdentity,
} from '@signalbox/store/people/identities';
import type { Queryable } from '@signalbox/store/pool';
import { linkWith, readLinks } from '../../channels/links.ts';
import type { ChatCommand } from '../chat-command.ts';
import type { Answer, Asked } from '../question.ts';
import { recordCommand } from '../record.ts';

/** `/link`: a code for another account of the same person. `/link remove <key>` takes an account away. */
export default {
  name: 'link',
  who: 'viewer',
  personal: true,
  menu: { place: 92, description: 'menu.link' },
  help: 'help.link',
  answer: async ({ db }, typed, asked) => {
    const { envelope } = asked;
    const [, remove] = /^remove\s+(\S+)$/i.exec(typed) ?? [];
    if (remove !== undefined) return removeAccount(db, remove, asked);
    if (envelope.chatKind === 'group') return { text: say('people.link-in-private') };
    const code = await createIdentityCode(db, envelope.userKey);
    const left = sayDuration(IDENTITY_CODE_MS);
    const links = (await readLinks(db)).filter(({ channel }) => channel !== envelope.channel);
    const opened = links.map((link) => `- ${link.channel}: ${linkWith(link, code)}`);
    const text = [
      say('people.link-code', { left }),
      `\`${code}\``,
      ...(opened.length > 0 ? [[say('people.link-open'), ...opened].join('\n')] : []),
      await describeAccounts(db, envelope.userKey),
    ].join('\n\n');
    // The text is the only place that holds the code.
    return { text, afterwards: say('people.link-made', { left }) };
  },
} satisfies ChatCommand;

async function describeAccounts(db: Queryable, userKey: string): Promise<string> {
  const lines = (await listIdentities(db, userKey)).map(({ userKey: key, name, isFirst }) =>
    say('people.link-account', { name: plainName(name), userKey: key, isFirst: isFirst ? 'yes' : 'no' }),
  );
  const how = lines.length > 1 ? ['', say('people.link-remove-how')] : [];
  return [say('people.link-accounts'), ...lines, ...how].join('\n');
}

async function removeAccount(db: Queryable, userKey: string, asked: Asked): Promise<Answer> {
  const removed = await unlinkIdentity(db, userKey, asked.envelope.userKey);
  if (!removed) return { text: say('people.link-not-removed', { userKey: plainName(userKey) }) };
  await recordCommand(db, asked, 'role.changed', { person: userKey, from: asked.role, to: null, by: 'link' });
  return { text: say('people.link-removed', { userKey }), peopleChanged: true };
}
