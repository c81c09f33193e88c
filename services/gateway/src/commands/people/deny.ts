import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { findUserChannel } from '@signalbox/contracts/conversation/chat-key';
import { listIdentities } from '@signalbox/store/people/identities';
import { removeUser, findUser } from '@signalbox/store/people/users';
import { stopLane } from '../../rows/inbox.ts';
import type { ChatCommand } from '../chat-command.ts';
import { describeUsage, createPrivateNotice, refuseLastAdmin } from '../people-changes.ts';
import { auditCommand } from '../record.ts';

/** `/deny <id>` removes a role, stops that person's work and deletes their memory. */
export default {
  name: 'deny',
  asksWhenOld: true,
  who: 'admin',
  personal: true,
  menu: { place: 40, description: 'menu.deny' },
  help: 'help.deny',
  answer: async (parts, typed, asked) => {
    const [id = ''] = typed.split(/\s+/);
    if (findUserChannel(id) === null) return { text: describeUsage('/deny <id>', null) };
    const known = await findUser(parts.db, id);
    const accounts = await listIdentities(parts.db, id);
    const { change, factsForgotten } = await removeUser(parts.db, id);
    const person = { userKey: id, name: known?.name ?? id };
    if (change === 'last admin') return refuseLastAdmin(person.name);
    if (change === 'stranger') return { text: say('people.stranger', { userKey: toPlainName(id) }) };
    const auditData = { person: id, from: known?.role ?? null, to: null, factsForgotten };
    await auditCommand(parts.db, asked, 'role.changed', auditData);
    // Running turns stop and waiting messages are voided, for all accounts of the person.
    const stops: string[] = [];
    for (const { userKey } of accounts) if (await stopLane(parts.db, userKey, asked.inboxId)) stops.push(userKey);
    return {
      text: say('people.denied', { ...person, name: toPlainName(person.name), facts: factsForgotten }),
      notices: await createPrivateNotice(parts, id, asked, () => say('people.role-lost', { userKey: id })),
      stops,
      peopleChanged: true,
    };
  },
} satisfies ChatCommand;
