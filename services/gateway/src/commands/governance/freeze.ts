import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import type { Queryable } from '@signalbox/store/pool';
import { hasRow } from '@signalbox/store/sql';
import type { ChatCommand } from '../chat-command.ts';
import { createDeciderNotices } from '../deciders.ts';
import { auditCommand } from '../record.ts';

export default {
  name: 'freeze',
  who: 'operator',
  personal: false,
  menu: null,
  help: 'help.freeze',
  answer: async ({ db }, typed, asked) => {
    const { userKey, name, at } = asked.envelope;
    const reason = typed.slice(0, 300);
    if (!(await setFreeze(db, { by: userKey, name, reason, at }))) return { text: say('control.frozen-already') };
    await auditCommand(db, asked, 'freeze.set', { reason });
    const why = { why: reason === '' ? 'none' : 'given', reason: toPlainName(reason) };
    const notice = (): string => say('control.frozen-by', { ...why, name: toPlainName(name) });
    return { text: say('control.frozen', why), notices: await createDeciderNotices(db, asked, notice) };
  },
} satisfies ChatCommand;

export interface Freeze {
  readonly by: string;
  readonly name: string;
  readonly reason: string;
  readonly at: string;
}

/** Stops every effect until the freeze is lifted. False when a freeze is already in force. */
export function setFreeze(db: Queryable, freeze: Freeze): Promise<boolean> {
  return hasRow(db)`insert into settings (key, value) values ('freeze', ${JSON.stringify(freeze)}::jsonb)
    on conflict (key) do nothing`;
}
