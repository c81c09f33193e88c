import type { Context, EntityJson, EntityUid, StatefulAuthorizationCall } from '@cedar-policy/cedar-wasm/nodejs';
import type { ApproverQuestion, PolicyQuestion } from '@signalbox/contracts/governance/decision';
import { Role, roleCovers } from '@signalbox/contracts/governance/roles';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { LocalTime } from './local-time.ts';
import { EvaluationError } from './problems.ts';
import { sliceId, type Verb } from './slices.ts';

/** What Cedar is asked, but for who asks and what for. */
export interface Subject {
  readonly resource: EntityUid;
  readonly context: Context;
  readonly entities: readonly EntityJson[];
}

/** More arguments than this cannot be looked at; a call that has more is refused. */
const MAX_ARGUMENTS = 1_000;

const uid = (type: string, id: string): { readonly type: string; readonly id: string } => ({
  type,
  id: id.toWellFormed(),
});
const ref = (type: string, id: string) => ({ __entity: uid(type, id) });

const CALL = uid('Call', 'this');
const NUMBERS = uid('Numbers', 'this');
const APPROVAL = uid('Approval', 'this');

/** The person of a question: in their role and in every lesser one. */
export function personOf(userKey: string, role: Role): EntityJson {
  const roles = Role.options.filter((option) => roleCovers(role, option));
  return { uid: uid('User', userKey), attrs: {}, parents: roles.map((option) => uid('Role', option)) };
}

/** The class of the agent of a question. */
export function classOf(agentClass: string): EntityUid {
  return uid('AgentClass', agentClass);
}

/** A call that is to run. Throws EvaluationError when its arguments cannot be looked at. */
export function callSubject(
  action: PolicyQuestion['action'],
  context: PolicyQuestion['context'],
  at: LocalTime,
): Subject {
  return { resource: CALL, context: momentOf(context, at), entities: callEntities(action) };
}

/** A call that a person wants to approve. Throws EvaluationError when its arguments cannot be looked at. */
export function approvalSubject(question: ApproverQuestion, at: LocalTime): Subject {
  const { action, context, authors, ageMs } = question;
  const attrs = {
    call: { __entity: CALL },
    authors: authors.map((author) => ref('User', author)),
    ageMs: Math.max(0, Math.floor(ageMs)),
  };
  return {
    resource: APPROVAL,
    context: momentOf(context, at),
    entities: [...callEntities(action), { uid: APPROVAL, attrs, parents: [] }],
  };
}

/** A capability group that is to be loaded. */
export function groupSubject(group: string, context: PolicyQuestion['context'], at: LocalTime): Subject {
  return { resource: uid('Group', group), context: momentOf(context, at), entities: [] };
}

/** The call of Cedar that asks whether `principal` may. */
export function toAuthorizationCall(
  setId: string,
  verb: Verb,
  principal: EntityJson | EntityUid,
  { resource, context, entities }: Subject,
): StatefulAuthorizationCall {
  const isPerson = 'uid' in principal;
  return {
    principal: isPerson ? principal.uid : principal,
    action: uid('Action', verb),
    resource,
    context,
    entities: isPerson ? [principal, ...entities] : [...entities],
    preparsedPolicySetId: sliceId(setId, verb, isPerson ? 'User' : 'AgentClass'),
    preparsedSchemaName: setId,
    validateRequest: true, // a question in another shape than the schema's fails, and a failure is a deny
  };
}

function callEntities({
  kind,
  tool,
  group,
  environment,
  resources,
  arguments: args,
  assessment,
  leastRole = 'viewer',
}: PolicyQuestion['action']): readonly EntityJson[] {
  const { risk, score, tainted, touchesPrivate, egress, ageMs } = assessment;
  const { texts, numbers } = readArguments(args);
  const attrs = {
    kind: ref('Kind', kind),
    risk: ref('Risk', risk),
    score: Math.ceil(score * 1_000),
    environment: ref('Environment', environment),
    leastRole: ref('Role', leastRole),
    tainted,
    touchesPrivate,
    egress,
    ...(ageMs === undefined ? {} : { ageMinutes: Math.floor(ageMs / MINUTE_MS) }),
    resources: resources.map((resource) => resource.toWellFormed()),
    numbers: { __entity: NUMBERS },
  };
  const call = { uid: CALL, attrs, parents: [uid('Tool', tool), uid('Group', group)], tags: texts };
  if (Object.keys(numbers).length === 0) return [call]; // an entity that is not there has no tags either
  return [call, { uid: NUMBERS, attrs: {}, parents: [], tags: numbers }];
}

function momentOf(context: PolicyQuestion['context'], at: LocalTime): Context {
  const { channel, inGroup, frozen, breakGlass, granted, otherApprovers, budget } = context;
  const { callsLeft, tokensLeft, costUsdLeft } = budget;
  return {
    channel: channel.toWellFormed(),
    inGroup,
    ...at,
    frozen,
    breakGlass,
    granted,
    otherApprovers,
    ...(callsLeft === null ? {} : { callsLeft: Math.floor(callsLeft) }),
    ...(tokensLeft === null ? {} : { tokensLeft: Math.floor(tokensLeft) }),
    ...(costUsdLeft === null ? {} : { costLeftCents: Math.floor(costUsdLeft * 100) }),
  };
}

/** Every string, number and boolean below the arguments, by its path: `version`, `labels.0`. */
function readArguments(args: Readonly<Record<string, unknown>>) {
  // Without a prototype, so that an argument named __proto__ is one like any other. Only strings go in.
  const texts = Object.create(null) as Record<string, string>;
  const numbers = Object.create(null) as Record<string, number>; // and here only numbers
  let count = 0;
  const visit = (path: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) visit(path === '' ? key : `${path}.${key}`, member);
      return;
    }
    if (!['string', 'number', 'boolean'].includes(typeof value)) return;
    if (++count > MAX_ARGUMENTS)
      throw new EvaluationError(`More than ${MAX_ARGUMENTS} arguments cannot be looked at`, path);
    const name = path.toWellFormed();
    if (name in texts) throw new EvaluationError('Two arguments have the same name', name);
    texts[name] = String(value).toWellFormed();
    if (typeof value === 'number') numbers[name] = asWhole(value);
  };
  visit('', args);
  return { texts, numbers };
}

/** Away from zero, so that a limit of 1000 holds against 1000.5; what is too large for a Long counts as the largest. */
function asWhole(value: number): number {
  const whole = Math.sign(value) * Math.ceil(Math.abs(value));
  return Math.min(Math.max(whole, -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
