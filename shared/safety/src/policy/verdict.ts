import '../wasm-guard.ts';
import {
  statefulIsAuthorized,
  type EntityJson,
  type EntityUid,
  type StatefulAuthorizationCall,
} from '@cedar-policy/cedar-wasm/nodejs';
import type { PolicyEffect } from '@signalbox/contracts/governance/decision';
import { EvaluationError } from './problems.ts';
import { toAuthorizationCall, type CedarResource } from './request.ts';
import type { Rule, RuleSet } from './rules.ts';
import { toCacheKey } from './visible-attributes.ts';
import type { Verb } from './slices.ts';

/** The answer about one verb of one principal: the permitting rules when allowed, otherwise the forbidding rules. */
export interface VerbAnswer {
  readonly allowed: boolean;
  readonly rules: readonly Rule[];
}

/** The effect of a call for one principal, with the rules for it. */
export interface Verdict {
  readonly effect: PolicyEffect;
  /** Rules that permit `run`. */
  readonly runs: readonly Rule[];
  /** Rules that permit `request`, or `confirm`. */
  readonly asks: readonly Rule[];
  /** Forbidding rules: of `request` first, then of `run`. */
  readonly forbids: readonly Rule[];
}

/** Maximum number of cached answers per rule set: about two megabytes in all. */
const MAX_CACHED = 1_000;
const MAX_CACHED_LENGTH = 2_000;

const cachedAnswers = new WeakMap<RuleSet, Map<string, VerbAnswer>>();

/**
 * Asks Cedar, which takes a millisecond, whether the principal may do the verb. Answers are cached by the attributes that the rules read.
 * Throws EvaluationError for a question that does not fit the schema or a rule that fails: Cedar would skip that rule, which may be a
 * forbid. Errors are not cached.
 */
export function askRules(
  set: RuleSet,
  verb: Verb,
  principal: EntityJson | EntityUid,
  subject: CedarResource,
): VerbAnswer {
  const call = toAuthorizationCall(set.id, verb, principal, subject);
  const attributes = set.visible.get(call.preparsedPolicySetId);
  const question = attributes ? `${call.preparsedPolicySetId} ${toCacheKey(attributes, call)}` : null;
  if (question === null || question.length > MAX_CACHED_LENGTH) return evaluate(set, call);
  const answers = cachedAnswers.get(set) ?? new Map<string, VerbAnswer>();
  cachedAnswers.set(set, answers);
  const cached = answers.get(question);
  if (cached) return cached;
  const answer = evaluate(set, call);
  for (const oldest of answers.keys()) {
    if (answers.size < MAX_CACHED) break;
    answers.delete(oldest);
  }
  answers.set(question, answer);
  return answer;
}

function evaluate(set: RuleSet, call: StatefulAuthorizationCall): VerbAnswer {
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
 * Decides the effect for a principal: `run` when permitted, else `ask` when `request` is permitted, else `deny`. A permitted `confirm`
 * turns `run` into a confirmation.
 */
export function judge(set: RuleSet, principal: EntityJson | EntityUid, subject: CedarResource): Verdict {
  const run = askRules(set, 'run', principal, subject);
  if (run.allowed) {
    // The schema of an older set lacks `confirm`, and Cedar would refuse that verb.
    const confirm = set.hasConfirm ? askRules(set, 'confirm', principal, subject) : null;
    if (confirm?.allowed) return { effect: 'confirm', runs: run.rules, asks: confirm.rules, forbids: [] };
    return { effect: 'run', runs: run.rules, asks: [], forbids: [] };
  }
  const request = askRules(set, 'request', principal, subject);
  if (request.allowed) return { effect: 'ask', runs: [], asks: request.rules, forbids: run.rules };
  const forbids = [...request.rules, ...run.rules.filter((rule) => !request.rules.includes(rule))];
  return { effect: 'deny', runs: [], asks: [], forbids };
}
