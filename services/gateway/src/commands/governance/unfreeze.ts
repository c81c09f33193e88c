import { coversRole } from '@signalbox/contracts/governance/roles';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { liftFreeze } from '@signalbox/governance/freezes/freezes';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import type { Queryable } from '@signalbox/store/pool';
import { sql } from '@signalbox/store/sql';
import { putSetting } from '@signalbox/store/settings';
import type { ChatCommand } from '../chat-command.ts';
import { createDeciderNotices } from '../deciders.ts';
import { refuseRole, type GatewayAnswer, type AnswerDeps, type QuestionContext } from '../question.ts';
import { auditCommand } from '../record.ts';

const BREAK_GLASS_MS = 15 * MINUTE_MS;

/** `/unfreeze` lifts a freeze; `/unfreeze break-glass` lets actions pass it for BREAK_GLASS_MS. */
export default {
  name: 'unfreeze',
  asksWhenOld: true,
  who: 'operator',
  personal: false,
  menu: null,
  help: null,
  answer: async ({ db }, typed, asked) => {
    if (typed === 'break-glass') return breakGlass(db, asked);
    const { notice } = await liftFreeze(db, { ...asked.envelope, role: asked.role });
    if (!notice) return { text: say('control.not-frozen') };
    return { text: say('control.unfrozen'), notices: await createDeciderNotices(db, asked, notice) };
  },
} satisfies ChatCommand;

async function breakGlass(db: AnswerDeps['db'], asked: QuestionContext): Promise<GatewayAnswer> {
  if (!coversRole(asked.role, 'admin')) return refuseRole(asked, 'admin');
  const { userKey, name } = asked.envelope;
  await openBreakGlass(db, userKey, BREAK_GLASS_MS);
  await auditCommand(db, asked, 'break_glass.opened', { validMs: BREAK_GLASS_MS });
  const notice = (): string =>
    say('control.glass-broken-by', { name: toPlainName(name), time: sayDuration(BREAK_GLASS_MS) });
  const time = sayDuration(BREAK_GLASS_MS);
  return { text: say('control.glass-broken', { time }), notices: await createDeciderNotices(db, asked, notice) };
}

function openBreakGlass(db: Queryable, by: string, validMs: number): Promise<void> {
  const until = sql`clock_timestamp() + ${validMs} * interval '1 ms'`;
  return putSetting(db, 'break_glass', sql`jsonb_build_object('by', ${by}::text, 'until', ${until})`);
}
