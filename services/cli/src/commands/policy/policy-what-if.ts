import { PolicyDecision, PolicyQuestion, type PolicyEngine } from '@signalbox/contracts/governance/decision';
import { readProposals, type RecordedProposal } from '../../queries/proposals.ts';
import type { PolicySet } from '@signalbox/safety/policy/policy-set';
import { SECOND_MS } from '@signalbox/contracts/time';
import { parseSince, UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { formatCount, formatTable, formatTime } from '../../table.ts';

/** A recorded proposal that the other policies would decide differently. */
interface Change extends Pick<RecordedProposal, 'actionId' | 'tool' | 'userKey' | 'proposedAt'> {
  readonly was: ComparedDecision;
  readonly wouldBe: ComparedDecision;
}

/** The compared fields of a decision. Another rule with the same result is no change. */
type ComparedDecision = Pick<PolicyDecision, 'effect' | 'rule' | 'sentence' | 'approval'>;

/** `policy what-if`: decides recorded proposals again by the policies of a folder, and lists the differences. */
export async function runPolicyWhatIf(
  context: CommandContext,
  openSet: (context: CommandContext) => Promise<PolicySet>,
): Promise<CommandResult> {
  const { policies, since: given = '30d', limit } = context.arguments;
  if (policies === undefined) throw new UsageError();
  const since = new Date(Date.now() - parseSince(given));
  const { engine } = await openSet(context);
  const data = await compare(engine, readProposals(context.database(), since), limit);
  return { ok: true, data: { since, ...data }, lines: describe(since, data) };
}

async function compare(engine: PolicyEngine, recorded: AsyncIterable<RecordedProposal>, limit: number) {
  const changes: Change[] = [];
  const counts: Record<string, number> = {};
  let [proposals, unreadable, changed, otherRule] = [0, 0, 0, 0];
  for await (const proposal of recorded) {
    proposals += 1;
    const question = PolicyQuestion.safeParse(proposal.question);
    const decision = PolicyDecision.safeParse(proposal.decision);
    if (!question.success || !decision.success) {
      unreadable += 1;
      continue;
    }
    const wouldBe = engine.decide(question.data);
    if (isSame(decision.data, wouldBe)) {
      if (decision.data.rule !== wouldBe.rule) otherRule += 1;
      continue;
    }
    changed += 1;
    const kind = `${describeDecision(decision.data)} → ${describeDecision(wouldBe)}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (changes.length < limit) changes.push(toChange(proposal, decision.data, wouldBe));
  }
  return { version: engine.version, proposals, changed, otherRule, unreadable, counts, changes };
}

function isSame(a: PolicyDecision, b: PolicyDecision): boolean {
  if (a.effect !== b.effect) return false;
  const [x, y] = [a.approval, b.approval];
  if (x === null || y === null) return x === y;
  return x.approvals === y.approvals && x.role === y.role && x.expiresMs === y.expiresMs && x.solo === y.solo;
}

function toChange(
  { actionId, tool, userKey, proposedAt }: RecordedProposal,
  was: PolicyDecision,
  wouldBe: PolicyDecision,
): Change {
  return { actionId, tool, userKey, proposedAt, was: toComparedDecision(was), wouldBe: toComparedDecision(wouldBe) };
}

function toComparedDecision({ effect, rule, sentence, approval }: PolicyDecision): ComparedDecision {
  return { effect, rule, sentence, approval };
}

function describeDecision({ effect, approval }: Pick<PolicyDecision, 'effect' | 'approval'>): string {
  if (!approval || effect === 'confirm') return effect;
  const time = `${Math.round(approval.expiresMs / SECOND_MS / 60)} min`;
  return `${effect} ${approval.approvals} ${approval.role} ${time}${approval.solo ? ' solo' : ''}`;
}

function describe(since: Date, compared: Awaited<ReturnType<typeof compare>>): readonly string[] {
  const { proposals, changed, otherRule, unreadable, counts, changes } = compared;
  const summary = `${changed} of ${formatCount(proposals, 'proposal')} since ${formatTime(since)} would have been decided otherwise.`;
  const rows = changes.map(({ proposedAt, actionId, tool, userKey, was, wouldBe }) => [
    formatTime(proposedAt),
    actionId,
    tool,
    userKey,
    describeDecision(was),
    describeDecision(wouldBe),
    wouldBe.rule,
  ]);
  return [
    summary,
    ...Object.entries(counts).map(([kind, count]) => `  ${kind}: ${count}`),
    ...(rows.length > 0 ? ['', ...formatTable(['when', 'action', 'tool', 'who', 'was', 'would be', 'by'], rows)] : []),
    ...(changed > changes.length ? [`… and ${changed - changes.length} more; --limit shows more.`] : []),
    ...(otherRule > 0 ? ['', `${formatCount(otherRule, 'other')} would come to the same by another rule.`] : []),
    ...(unreadable > 0 ? ['', `${formatCount(unreadable, 'proposal')} could not be read and were left out.`] : []),
  ];
}
