import { toPlainName } from '@signalbox/contracts/plain-name';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { say, sayReason } from '@signalbox/messages/say';
import type { Queryable } from '@signalbox/store/pool';
import { listRows, sql } from '@signalbox/store/sql';
import { asCodeBlock, renderExactAction } from '@signalbox/safety/cards/canonical-card';
import type { ChatCommand } from '../chat-command.ts';

/** `/why` explains which rule decided the newest actions, or those of a turn or receipt. Operators may ask about anyone's. */
export default {
  name: 'why',
  who: 'viewer',
  personal: true,
  menu: { place: 50, description: 'menu.why' },
  help: null,
  answer: async ({ db }, typed, { envelope, role }) => {
    const id = /^(?:turn|act)_\w+$/.test(typed) ? typed : null;
    if (typed !== '' && id === null) return { text: say('control.why-usage') };
    const any = coversRole(role, 'operator');
    return { text: describeActions(await explainActions(db, { id, userKey: envelope.userKey, any })) };
  },
} satisfies ChatCommand;

export interface ExplainedAction {
  readonly actionId: string;
  readonly turnId: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly status: string;
  readonly effect: string | null;
  readonly rule: string | null;
  readonly sentence: string | null;
  readonly risk: string | null;
  readonly reasons: readonly string[];
  readonly approvalId: string | null;
  readonly approvalStatus: string | null;
  readonly voters: readonly string[];
}

/** Lists the actions of a turn or with an id prefix; without an id, of the person's newest turn. `any` includes other people's. */
function explainActions(
  db: Queryable,
  { id, userKey, any }: { readonly id: string | null; readonly userKey: string; readonly any: boolean },
): Promise<readonly ExplainedAction[]> {
  const filter = id?.startsWith('act_')
    ? sql`starts_with(a.action_id, ${id})`
    : sql`a.turn_id = coalesce(${id}, (select turn_id from actions where user_key = ${userKey} order by proposed_at desc limit 1))`;
  return listRows<ExplainedAction>(db)`
    select a.action_id as "actionId", a.turn_id as "turnId", a.tool, a.status, a.arguments, a.proposal -> 'decision' ->> 'effect' as effect,
            a.proposal -> 'decision' ->> 'rule' as rule, a.proposal -> 'decision' ->> 'sentence' as sentence,
            a.proposal -> 'action' -> 'assessment' ->> 'risk' as risk,
            coalesce(array(select jsonb_array_elements_text(a.proposal -> 'action' -> 'assessment' -> 'reasons')), '{}') as reasons,
            p.approval_id as "approvalId", p.status as "approvalStatus",
            coalesce((select array_agg(v.name order by v.voted_at) from approval_votes v where v.approval_id = p.approval_id), '{}') as voters
       from actions a left join approvals p on p.action_id = a.action_id
      where (a.user_key = ${userKey} or ${any && id !== null}) and ${filter}
      order by a.proposed_at, a.action_id limit 50`;
}

function describeActions(actions: readonly ExplainedAction[]): string {
  const [first] = actions;
  if (!first) return say('control.no-actions');
  const exact = actions.length > 1 ? '' : `\n\n${asCodeBlock(renderExactStart(first))}`;
  return `\`${first.turnId}\`\n${actions.map(describeAction).join('\n')}${exact}`;
}

function describeAction(action: ExplainedAction): string {
  const { tool, status, rule, sentence, risk, reasons, approvalId, approvalStatus, voters } = action;
  const decided = say('control.action', {
    tool,
    risk: risk ?? say('control.no-risk'),
    status,
    sentence: sentence === null ? say('control.no-decision') : sayReason(sentence),
    rule: rule ?? 'none',
  });
  const because = reasons.map((reason) => sayReason(reason).replace(/[.。]$/, '')).join('; ');
  const votes = {
    status: String(approvalStatus),
    voted: voters.length > 0 ? 'yes' : 'no',
    voters: voters.map(toPlainName).join(', '),
  };
  return [
    decided,
    ...(reasons.length === 0 ? [] : [say('control.because', { reasons: because })]),
    ...(approvalId === null ? [] : [say('control.voted', { approvalId, ...votes })]),
  ].join(' ');
}

/** Longer actions are cut here; the audit holds them whole. */
const MAX_EXACT_LENGTH = 1_500;

function renderExactStart({ tool, arguments: args }: ExplainedAction): string {
  const exact = renderExactAction({ tool, arguments: (args ?? {}) as Record<string, unknown> }); // the tool's schema parsed them to a record
  return exact.length > MAX_EXACT_LENGTH ? `${exact.slice(0, MAX_EXACT_LENGTH)}…` : exact;
}
