import type {
  ApproverQuestion,
  Permission,
  PolicyDecision,
  PolicyEngine,
  PolicyQuestion,
} from '@signalbox/contracts/governance/decision';
import { Role, roleCovers } from '@signalbox/contracts/governance/roles';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { createLocalTime } from './local-time.ts';
import { EvaluationError } from './problems.ts';
import { approvalSubject, callSubject, classOf, groupSubject, personOf } from './request.ts';
import type { Rule, RuleSet } from './rules.ts';
import { askRules, judge, type Verdict } from './verdict.ts';

/** What came of a question, and every rule that had a part in it. */
export interface Judged<T> {
  readonly answer: T;
  readonly because: readonly string[];
  /** With `policy-error`: what went wrong, for the operator who mends it. */
  readonly detail?: string;
}

/** A policy engine that also tells which rules had a part, for examples and explanations. */
export interface JudgingEngine extends PolicyEngine {
  judgeCall(question: PolicyQuestion): Judged<PolicyDecision>;
  judgeApprover(question: ApproverQuestion): Judged<Permission>;
  judgeLoad(question: LoadQuestion): Judged<Permission>;
}

export type LoadQuestion = Parameters<PolicyEngine['mayLoad']>[0];

/** An approval that no rule gives a time for waits for so long. */
const DEFAULT_EXPIRY_MS = 60 * MINUTE_MS;

/**
 * Answers questions by the rules of a set: pure, and never throws. What no rule permits is denied (`default-deny`), what a rule
 * forbids is denied, what can only do harm is denied (`refused`), and what cannot be evaluated is denied (`policy-error`). A call must be allowed to the person and to the
 * class of the agent, and the stricter of the two answers counts: deny, ask, confirm, run. Throws RangeError at creation for a time zone that there is not.
 */
export function createEngine(set: RuleSet, version: string, timeZone: string): JudgingEngine {
  const localTime = createLocalTime(timeZone);

  /** What the schema does not know Cedar would refuse to look at: an older set was made without it, and has no rule for it. */
  const known = (action: PolicyQuestion['action']): PolicyQuestion['action'] => {
    if (set.hasAge || action.assessment.ageMs === undefined) return action;
    const { ageMs: _, ...assessment } = action.assessment;
    return { ...action, assessment };
  };

  const judgeCall = (question: PolicyQuestion): Judged<PolicyDecision> => {
    const { principal, action, context } = question;
    const { score, refusal } = action.assessment;
    // No set of rules lets a person approve what can only do harm.
    if (refusal !== undefined)
      return {
        answer: { effect: 'deny', rule: 'refused', sentence: refusal, score, policyVersion: version, approval: null },
        because: [],
      };
    try {
      const subject = callSubject(known(action), context, localTime(context.at));
      const whoAsks = personOf(principal.userKey, principal.role);
      const whatAsks = classOf(principal.agentClass);
      const person = judge(set, whoAsks, subject);
      // What the person may not do needs no second answer.
      const agent = person.effect === 'deny' ? person : judge(set, whatAsks, subject);
      // Where one of them may run and the other has to ask, what rules ask of the first counts as well.
      const mixed = (person.effect === 'ask') !== (agent.effect === 'ask') && agent.effect !== 'deny';
      const [runner, type] =
        person.effect !== 'ask' ? ([whoAsks, 'User'] as const) : ([whatAsks, 'AgentClass'] as const);
      const further = mixed && set.hasTerms[type] ? askRules(set, 'request', runner, subject) : null;
      const asking = [person, agent].filter(({ effect }) => effect === 'ask').flatMap(({ asks }) => asks);
      const asks = [...asking, ...(further?.allowed ? further.rules : [])];
      const answer = { ...decisionOf(question, person, agent, asks), score, policyVersion: version };
      return { answer, because: namesOf([person, agent], answer.effect) };
    } catch (error) {
      const { detail, ...said } = failedOn(error);
      return {
        answer: { effect: 'deny', ...said, score, policyVersion: version, approval: null },
        because: [],
        detail,
      };
    }
  };

  const permission = (
    ask: () => Omit<Judged<Permission>['answer'], 'policyVersion'> & { because: readonly Rule[] },
  ) => {
    try {
      const { because, ...answer } = ask();
      return { answer: { ...answer, policyVersion: version }, because: because.map(({ id }) => id) };
    } catch (error) {
      const { detail, ...said } = failedOn(error);
      return { answer: { allowed: false, ...said, policyVersion: version }, because: [], detail };
    }
  };

  const judgeApprover = (question: ApproverQuestion): Judged<Permission> =>
    permission(() => {
      const { approver, context } = question;
      const subject = approvalSubject({ ...question, action: known(question.action) }, localTime(context.at));
      const answer = askRules(set, 'approve', personOf(approver.userKey, approver.role), subject);
      return { allowed: answer.allowed, ...named(answer.rules, people(approver.role)), because: answer.rules };
    });

  const judgeLoad = ({ principal, group, context }: LoadQuestion): Judged<Permission> =>
    permission(() => {
      const subject = groupSubject(group, context, localTime(context.at));
      const person = askRules(set, 'load', personOf(principal.userKey, principal.role), subject);
      const agent = askRules(set, 'load', classOf(principal.agentClass), subject);
      const allowed = person.allowed && agent.allowed;
      const speaks = person.allowed === allowed ? person : agent;
      const who = speaks === person ? people(principal.role) : agents(principal.agentClass);
      const because = [person, agent].filter((answer) => answer.allowed === allowed).flatMap(({ rules }) => rules);
      return { allowed, ...named(speaks.rules, who), because };
    });

  return {
    version,
    judgeCall,
    judgeApprover,
    judgeLoad,
    decide: (question) => judgeCall(question).answer,
    mayApprove: (question) => judgeApprover(question).answer,
    mayLoad: (question) => judgeLoad(question).answer,
  };
}

function decisionOf(
  { principal, action, context }: PolicyQuestion,
  person: Verdict,
  agent: Verdict,
  asks: readonly Rule[],
): Omit<PolicyDecision, 'score' | 'policyVersion'> {
  if (person.effect === 'deny')
    return { effect: 'deny', ...named(person.forbids, people(principal.role)), approval: null };
  if (agent.effect === 'deny')
    return { effect: 'deny', ...named(agent.forbids, agents(principal.agentClass)), approval: null };
  if (person.effect === 'run' && agent.effect === 'run')
    return { effect: 'run', ...named(person.runs, people(principal.role)), approval: null };
  const asking = [person, agent].filter(({ effect }) => effect === 'ask');
  if (asking.length === 0) {
    const confirms = [...person.asks, ...agent.asks].sort(stricterFirst);
    const approval = confirmationOf(confirms, action.leastRole ?? 'viewer');
    return { effect: 'confirm', ...named(confirms, people(principal.role)), approval };
  }
  const own = asking.flatMap((verdict) => verdict.asks).sort(stricterFirst);
  // What forbids running unattended says better why a person is asked than what permits asking.
  const forbids = [...person.forbids, ...agent.forbids];
  const speaks = forbids.length > 0 ? forbids : own;
  const approval = approvalOf(asks, action.leastRole ?? 'viewer', context.otherApprovers);
  return { effect: 'ask', ...named(speaks, people(principal.role)), approval };
}

/** One tap of the requester, within the shortest time. */
function confirmationOf(confirms: readonly Rule[], role: Role): PolicyDecision['approval'] {
  const expiresMs = Math.min(...confirms.map(({ terms }) => terms.expiresMs ?? DEFAULT_EXPIRY_MS));
  return { approvals: 1, role, expiresMs, solo: false };
}

/** The strictest of all terms. Alone means alone: where one person may approve alone, one approval is enough. */
function approvalOf(asks: readonly Rule[], leastRole: Role, otherApprovers: number): PolicyDecision['approval'] {
  const terms = asks.map((rule) => rule.terms);
  const approvals = Math.max(1, ...terms.flatMap(({ approvals: some }) => some ?? []));
  const roles = terms.flatMap(({ approver }) => approver ?? []);
  const named = roles.length > 0 ? roles : (['operator'] as const);
  const solos = terms.flatMap(({ solo: may }) => may ?? []);
  const solo = otherApprovers === 0 && solos.length > 0 && solos.every(Boolean);
  return {
    approvals: solo ? 1 : approvals,
    role: [...named, leastRole].reduce((a, b) => (roleCovers(a, b) ? a : b)),
    expiresMs: Math.min(...terms.map(({ expiresMs }) => expiresMs ?? DEFAULT_EXPIRY_MS)),
    solo,
  };
}

/** More approvals, a higher role, less time; of equal ones the first as they are written. */
function stricterFirst(a: Rule, b: Rule): number {
  const rank = ({ approver }: Rule['terms']): number => (approver === null ? 0 : Role.options.indexOf(approver));
  return (
    (b.terms.approvals ?? 1) - (a.terms.approvals ?? 1) ||
    rank(b.terms) - rank(a.terms) ||
    (a.terms.expiresMs ?? DEFAULT_EXPIRY_MS) - (b.terms.expiresMs ?? DEFAULT_EXPIRY_MS) ||
    a.order - b.order
  );
}

function named([rule]: readonly Rule[], who: string): { readonly rule: string; readonly sentence: string } {
  if (rule) return { rule: rule.id, sentence: rule.reason };
  return { rule: 'default-deny', sentence: `No rule permits this to ${who}.` };
}

/** Messages of others than this engine are for who mends it, not for people. */
function failedOn(error: unknown): { readonly rule: string; readonly sentence: string; readonly detail: string } {
  const [says, detail] =
    error instanceof EvaluationError
      ? [error.message, error.detail]
      : ['The rules could not be evaluated', error instanceof Error ? error.message : String(error)];
  return { rule: 'policy-error', sentence: `${says}, so this is refused.`.slice(0, 500), detail };
}

function people(role: Role): string {
  return `somebody with the role ${role}`;
}

function agents(agentClass: string): string {
  return `agents of the class ${agentClass}`;
}

/** The rules that had a part in an outcome: those of each side that went no further. */
function namesOf(verdicts: readonly Verdict[], effect: PolicyDecision['effect']): readonly string[] {
  const parts = verdicts.filter((verdict) => verdict.effect === effect);
  return [...new Set(parts.flatMap(({ runs, asks, forbids }) => [...forbids, ...asks, ...runs]).map(({ id }) => id))];
}
