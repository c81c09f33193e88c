import type {
  ApproverQuestion,
  PermissionDecision,
  PolicyDecision,
  PolicyEngine,
  PolicyQuestion,
} from '@signalbox/contracts/governance/decision';
import { Role, coversRole } from '@signalbox/contracts/governance/roles';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { createLocalTime } from './local-time.ts';
import { EvaluationError } from './problems.ts';
import { toApprovalResource, toCallResource, toClassEntity, toGroupResource, toPersonEntity } from './request.ts';
import type { Rule, RuleSet } from './rules.ts';
import { askRules, judge, type Verdict } from './verdict.ts';

/** The answer to a question and the rules that contributed to it. */
export interface ExplainedAnswer<T> {
  readonly answer: T;
  readonly because: readonly string[];
  /** Set with `policy-error`: the problem, for operators. */
  readonly detail?: string;
}

/** A policy engine that also returns the contributing rules, for examples and explanations. */
export interface ExplainingEngine extends PolicyEngine {
  explainCall(question: PolicyQuestion): ExplainedAnswer<PolicyDecision>;
  explainApprover(question: ApproverQuestion): ExplainedAnswer<PermissionDecision>;
  explainLoad(question: GroupQuestion): ExplainedAnswer<PermissionDecision>;
}

export type GroupQuestion = Parameters<PolicyEngine['mayLoad']>[0];

/** Lifetime of an approval when no rule sets a lifetime. */
const DEFAULT_EXPIRY_MS = 60 * MINUTE_MS;

/**
 * Creates an engine for a rule set: pure, never throws when asked. Denies calls that no rule permits (`default-deny`), that a rule
 * forbids, that can only do harm (`refused`) or that cannot be evaluated (`policy-error`). Both the person and the agent's class must be
 * allowed; the stricter answer counts: deny, ask, confirm, run. Throws RangeError for an unknown time zone.
 */
export function createEngine(set: RuleSet, version: string, timeZone: string): ExplainingEngine {
  const localTime = createLocalTime(timeZone);

  /** Drops the request's age when the schema of an older policy set has no `ageMinutes`, because Cedar would refuse the question. */
  const dropUnknown = (action: PolicyQuestion['action']): PolicyQuestion['action'] => {
    if (set.hasAge || action.assessment.ageMs === undefined) return action;
    const { ageMs: _, ...assessment } = action.assessment;
    return { ...action, assessment };
  };

  const explainCall = (question: PolicyQuestion): ExplainedAnswer<PolicyDecision> => {
    const { principal, action, context } = question;
    const { score, refusal } = action.assessment;
    // No rule may allow an action that can only do harm.
    if (refusal !== undefined)
      return {
        answer: { effect: 'deny', rule: 'refused', sentence: refusal, score, policyVersion: version, approval: null },
        because: [],
      };
    try {
      const subject = toCallResource(dropUnknown(action), context, localTime(context.at));
      const user = toPersonEntity(principal.userKey, principal.role);
      const agentClass = toClassEntity(principal.agentClass);
      const person = judge(set, user, subject);
      // When the person is denied, the answer for the agent's class does not matter.
      const agent = person.effect === 'deny' ? person : judge(set, agentClass, subject);
      // When one of person and agent may run the call and the other needs approval, the approval terms of both apply.
      const mixed = (person.effect === 'ask') !== (agent.effect === 'ask') && agent.effect !== 'deny';
      const [runner, type] =
        person.effect !== 'ask' ? ([user, 'User'] as const) : ([agentClass, 'AgentClass'] as const);
      const further = mixed && set.hasTerms[type] ? askRules(set, 'request', runner, subject) : null;
      const asking = [person, agent].filter(({ effect }) => effect === 'ask').flatMap(({ asks }) => asks);
      const asks = [...asking, ...(further?.allowed ? further.rules : [])];
      const answer = { ...combine(question, person, agent, asks), score, policyVersion: version };
      return { answer, because: listRuleIds([person, agent], answer.effect) };
    } catch (error) {
      const { detail, ...said } = toFailure(error);
      return {
        answer: { effect: 'deny', ...said, score, policyVersion: version, approval: null },
        because: [],
        detail,
      };
    }
  };

  const permission = (
    ask: () => Omit<ExplainedAnswer<PermissionDecision>['answer'], 'policyVersion'> & { because: readonly Rule[] },
  ) => {
    try {
      const { because, ...answer } = ask();
      return { answer: { ...answer, policyVersion: version }, because: because.map(({ id }) => id) };
    } catch (error) {
      const { detail, ...said } = toFailure(error);
      return { answer: { allowed: false, ...said, policyVersion: version }, because: [], detail };
    }
  };

  const explainApprover = (question: ApproverQuestion): ExplainedAnswer<PermissionDecision> =>
    permission(() => {
      const { approver, context } = question;
      const subject = toApprovalResource({ ...question, action: dropUnknown(question.action) }, localTime(context.at));
      const { allowed, rules } = askRules(set, 'approve', toPersonEntity(approver.userKey, approver.role), subject);
      return { allowed, ...toAnswer(rules, sayRole(approver.role)), because: rules };
    });

  const explainLoad = ({ principal, group, context }: GroupQuestion): ExplainedAnswer<PermissionDecision> =>
    permission(() => {
      const subject = toGroupResource(group, context, localTime(context.at));
      const person = askRules(set, 'load', toPersonEntity(principal.userKey, principal.role), subject);
      const agent = askRules(set, 'load', toClassEntity(principal.agentClass), subject);
      const allowed = person.allowed && agent.allowed;
      const deciding = person.allowed === allowed ? person : agent;
      const who = deciding === person ? sayRole(principal.role) : sayClass(principal.agentClass);
      const because = [person, agent].filter((answer) => answer.allowed === allowed).flatMap(({ rules }) => rules);
      return { allowed, ...toAnswer(deciding.rules, who), because };
    });

  return {
    version,
    explainCall,
    explainApprover,
    explainLoad,
    decide: (question) => explainCall(question).answer,
    mayApprove: (question) => explainApprover(question).answer,
    mayLoad: (question) => explainLoad(question).answer,
  };
}

function combine(
  { principal, action, context }: PolicyQuestion,
  person: Verdict,
  agent: Verdict,
  asks: readonly Rule[],
): Omit<PolicyDecision, 'score' | 'policyVersion'> {
  if (person.effect === 'deny')
    return { effect: 'deny', ...toAnswer(person.forbids, sayRole(principal.role)), approval: null };
  if (agent.effect === 'deny')
    return { effect: 'deny', ...toAnswer(agent.forbids, sayClass(principal.agentClass)), approval: null };
  if (person.effect === 'run' && agent.effect === 'run')
    return { effect: 'run', ...toAnswer(person.runs, sayRole(principal.role)), approval: null };
  const asking = [person, agent].filter(({ effect }) => effect === 'ask');
  if (asking.length === 0) {
    const confirms = [...person.asks, ...agent.asks].sort(stricterFirst);
    const approval = toConfirmation(confirms, action.leastRole ?? 'viewer');
    return { effect: 'confirm', ...toAnswer(confirms, sayRole(principal.role)), approval };
  }
  const own = asking.flatMap((verdict) => verdict.asks).sort(stricterFirst);
  // A rule that forbids running explains better why approval is needed than the rule that permits asking.
  const forbids = [...person.forbids, ...agent.forbids];
  const deciding = forbids.length > 0 ? forbids : own;
  const approval = combineTerms(asks, action.leastRole ?? 'viewer', context.otherApprovers);
  return { effect: 'ask', ...toAnswer(deciding, sayRole(principal.role)), approval };
}

/** Builds a confirmation by the requester, with the shortest lifetime. */
function toConfirmation(confirms: readonly Rule[], role: Role): PolicyDecision['approval'] {
  const expiresMs = Math.min(...confirms.map(({ terms }) => terms.expiresMs ?? DEFAULT_EXPIRY_MS));
  return { approvals: 1, role, expiresMs, solo: false };
}

/** Combines the strictest terms of all rules. In solo mode one approval is enough. */
function combineTerms(asks: readonly Rule[], leastRole: Role, otherApprovers: number): PolicyDecision['approval'] {
  const terms = asks.map((rule) => rule.terms);
  const approvals = Math.max(1, ...terms.flatMap(({ approvals: count }) => count ?? []));
  const roles = terms.flatMap(({ approver }) => approver ?? []);
  const approverRoles = roles.length > 0 ? roles : (['operator'] as const);
  const solos = terms.flatMap(({ solo: may }) => may ?? []);
  const solo = otherApprovers === 0 && solos.length > 0 && solos.every(Boolean);
  return {
    approvals: solo ? 1 : approvals,
    role: [...approverRoles, leastRole].reduce((a, b) => (coversRole(a, b) ? a : b)),
    expiresMs: Math.min(...terms.map(({ expiresMs }) => expiresMs ?? DEFAULT_EXPIRY_MS)),
    solo,
  };
}

/** Sorts by more approvals, higher role, shorter lifetime, then by position in the files. */
function stricterFirst(a: Rule, b: Rule): number {
  const rank = ({ approver }: Rule['terms']): number => (approver === null ? 0 : Role.options.indexOf(approver));
  return (
    (b.terms.approvals ?? 1) - (a.terms.approvals ?? 1) ||
    rank(b.terms) - rank(a.terms) ||
    (a.terms.expiresMs ?? DEFAULT_EXPIRY_MS) - (b.terms.expiresMs ?? DEFAULT_EXPIRY_MS) ||
    a.order - b.order
  );
}

function toAnswer([rule]: readonly Rule[], who: string): { readonly rule: string; readonly sentence: string } {
  if (rule) return { rule: rule.id, sentence: rule.reason };
  return { rule: 'default-deny', sentence: `No rule permits this to ${who}.` };
}

/** Error messages from outside this engine go to operators only. */
function toFailure(error: unknown): { readonly rule: string; readonly sentence: string; readonly detail: string } {
  const [says, detail] =
    error instanceof EvaluationError
      ? [error.message, error.detail]
      : ['The rules could not be evaluated', error instanceof Error ? error.message : String(error)];
  return { rule: 'policy-error', sentence: `${says}, so this is refused.`.slice(0, 500), detail };
}

function sayRole(role: Role): string {
  return `somebody with the role ${role}`;
}

function sayClass(agentClass: string): string {
  return `agents of the class ${agentClass}`;
}

/** Lists the ids of the contributing rules: those of the person and of the agent's class with this effect. */
function listRuleIds(verdicts: readonly Verdict[], effect: PolicyDecision['effect']): readonly string[] {
  const parts = verdicts.filter((verdict) => verdict.effect === effect);
  return [...new Set(parts.flatMap(({ runs, asks, forbids }) => [...forbids, ...asks, ...runs]).map(({ id }) => id))];
}
