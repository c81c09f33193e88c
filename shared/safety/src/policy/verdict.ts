import '../wasm-guard.ts';
import {
  statefulIsAuthorized,
  type EntityJson,
  type EntityUid,
  type StatefulAuthorizationCall,
} from '@cedar-policy/cedar-wasm/nodejs';
import type { Effect } from '@signalbox/contracts/governance/decision';
import { EvaluationError } from './problems.ts';
import { toAuthorizationCall, type Subject } from './request.ts';
import type { Rule, RuleSet } from './rules.ts';
import { cacheKey } from './visible-attributes.ts';
import type { Verb } from './slices.ts';

/** What the rules say to one verb of one principal: the permits when allowed, the forbids that denied otherwise. */
export interface Answer {
  readonly allowed: boolean;
  readonly rules: readonly Rule[];
}

/** How far a principal may go with a call, and the rules that say so. */
export interface Verdict {
  readonly effect: Effect;
  /** Permits of `run`. */
  readonly runs: readonly Rule[];
  /** Permits of `request`, or of `confirm`. */
  readonly asks: readonly Rule[];
  /** Forbids: of `request` first, then of `run`. */
  readonly forbids: readonly Rule[];
}

/** Answers kept per set of rules, and the longest question that is worth it: about two megabytes. */
const MAX_CACHED = 1_000;
const LONGEST_KEPT = 2_000;

const kept = new WeakMap<RuleSet, Map<string, Answer>>();

/**
 * Asks Cedar whether the principal may do this verb to the subject, a call of a tool. Answers are cached by the attributes that the
 * rules read, on which alone they depend: Cedar takes a millisecond. Throws EvaluationError when the question does not fit the schema or when a
 * rule could not be evaluated: Cedar would leave that rule out, and it may be the one that forbids. Errors are never kept.
 */
export function askRules(set: RuleSet, verb: Verb, principal: EntityJson | EntityUid, subject: Subject): Answer {
  const call = toAuthorizationCall(set.id, verb, principal, subject);
  const sight = set.sights.get(call.preparsedPolicySetId);
  const question = sight ? `${call.preparsedPolicySetId} ${cacheKey(sight, call)}` : null;
  if (question === null || question.length > LONGEST_KEPT) return evaluate(set, call);
  const answers = kept.get(set) ?? new Map<string, Answer>();
  kept.set(set, answers);
  const known = answers.get(question);
  if (known) return known;
  const answer = evaluate(set, call);
  for (const oldest of answers.keys()) {
    if (answers.size < MAX_CACHED) break;
    answers.delete(oldest);
  }
  answers.set(question, answer);
  return answer;
}

function evaluate(set: RuleSet, call: StatefulAuthorizationCall): Answer {
  const answer = statefulIsAuthorized(call);
  if (answer.type !== 'success') {
    const detail = answer.errors.map(({ message }) => message).join('; ');
    throw new EvaluationError('The question does not fit the schema of the rules', detail);
  }
  const { decision, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0) {
    const detail = diagnostics.errors.map(({ policyId, error }) => `${policyId}: ${error.message}`).join('; ');
    const failed = diagnostics.errors.map(({ policyId }) => policyId).join(', ');
    throw new EvaluationError(`The rule ${failed} could not be evaluated`, detail);
  }
  const rules = diagnostics.reason.map((id) => {
    const rule = set.rules.get(id);
    if (!rule) throw new EvaluationError(`There is no rule ${id} in this set`, 'Cedar names it in its answer');
    return rule;
  });
  rules.sort((a, b) => a.order - b.order);
  return { allowed: decision === 'allow', rules };
}

/**
 * How far a principal may go: `run` if that is permitted, else `ask` if `request` is, else `deny`. `confirm` is no way round any of
 * these: where it is permitted, what would run waits for a tap of the requester.
 */
export function judge(set: RuleSet, principal: EntityJson | EntityUid, subject: Subject): Verdict {
  const run = askRules(set, 'run', principal, subject);
  if (run.allowed) {
    // An older set knows no such verb, and Cedar would refuse the question.
    const confirm = set.hasConfirm ? askRules(set, 'confirm', principal, subject) : null;
    if (confirm?.allowed) return { effect: 'confirm', runs: run.rules, asks: confirm.rules, forbids: [] };
    return { effect: 'run', runs: run.rules, asks: [], forbids: [] };
  }
  const request = askRules(set, 'request', principal, subject);
  if (request.allowed) return { effect: 'ask', runs: [], asks: request.rules, forbids: run.rules };
  const forbids = [...request.rules, ...run.rules.filter((rule) => !request.rules.includes(rule))];
  return { effect: 'deny', runs: [], asks: [], forbids };
}
