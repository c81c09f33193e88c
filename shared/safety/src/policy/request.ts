import type { Context, EntityJson, EntityUid, StatefulAuthorizationCall } from '@cedar-policy/cedar-wasm/nodejs';
import type { ApproverQuestion, PolicyQuestion } from '@signalbox/contracts/governance/decision';
import { Role, coversRole } from '@signalbox/contracts/governance/roles';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { LocalTime } from './local-time.ts';
import { EvaluationError } from './problems.ts';
import { getSliceId, type Verb } from './slices.ts';

/** The part of a Cedar request besides principal and action. */
export interface CedarResource {
  readonly resource: EntityUid;
  readonly context: Context;
  readonly entities: readonly EntityJson[];
}

/** Maximum arguments of a call; calls with more are refused. */
const MAX_ARGUMENTS = 1_000;

const uid = (type: string, id: string): { readonly type: string; readonly id: string } => ({
  type,
  id: id.toWellFormed(),
});
const toReference = (type: string, id: string) => ({ __entity: uid(type, id) });

const CALL = uid('Call', 'this');
const NUMBERS = uid('Numbers', 'this');
const APPROVAL = uid('Approval', 'this');

/** Builds the entity of a person, who is a member of their role and all lower ones. */
export function toPersonEntity(userKey: string, role: Role): EntityJson {
  const roles = Role.options.filter((option) => coversRole(role, option));
  return { uid: uid('User', userKey), attrs: {}, parents: roles.map((option) => uid('Role', option)) };
}

/** Returns the entity id of an agent's class. */
export function toClassEntity(agentClass: string): EntityUid {
  return uid('AgentClass', agentClass);
}

/** Builds the subject of running a call. Throws EvaluationError for arguments that cannot be evaluated. */
export function toCallResource(
  action: PolicyQuestion['action'],
  context: PolicyQuestion['context'],
  at: LocalTime,
): CedarResource {
  return { resource: CALL, context: toContext(context, at), entities: callEntities(action) };
}

/** Builds the subject of approving a call. Throws EvaluationError for arguments that cannot be evaluated. */
export function toApprovalResource(question: ApproverQuestion, at: LocalTime): CedarResource {
  const { action, context, authors, ageMs } = question;
  const attrs = {
    call: { __entity: CALL },
    authors: authors.map((author) => toReference('User', author)),
    ageMs: Math.max(0, Math.floor(ageMs)),
  };
  return {
    resource: APPROVAL,
    context: toContext(context, at),
    entities: [...callEntities(action), { uid: APPROVAL, attrs, parents: [] }],
  };
}

/** Builds the subject of loading a capability group. */
export function toGroupResource(group: string, context: PolicyQuestion['context'], at: LocalTime): CedarResource {
  return { resource: uid('Group', group), context: toContext(context, at), entities: [] };
}

/** Builds the Cedar request that asks whether `principal` may do `verb`. */
export function toAuthorizationCall(
  setId: string,
  verb: Verb,
  principal: EntityJson | EntityUid,
  { resource, context, entities }: CedarResource,
): StatefulAuthorizationCall {
  const isPerson = 'uid' in principal;
  return {
    principal: isPerson ? principal.uid : principal,
    action: uid('Action', verb),
    resource,
    context,
    entities: isPerson ? [principal, ...entities] : [...entities],
    preparsedPolicySetId: getSliceId(setId, verb, isPerson ? 'User' : 'AgentClass'),
    preparsedSchemaName: setId,
    validateRequest: true, // a request that does not fit the schema fails, and the engine denies
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
    kind: toReference('Kind', kind),
    risk: toReference('Risk', risk),
    score: Math.ceil(score * 1_000),
    environment: toReference('Environment', environment),
    leastRole: toReference('Role', leastRole),
    tainted,
    touchesPrivate,
    egress,
    ...(ageMs === undefined ? {} : { ageMinutes: Math.floor(ageMs / MINUTE_MS) }),
    resources: resources.map((resource) => resource.toWellFormed()),
    numbers: { __entity: NUMBERS },
  };
  const call = { uid: CALL, attrs, parents: [uid('Tool', tool), uid('Group', group)], tags: texts };
  if (Object.keys(numbers).length === 0) return [call]; // a missing entity has no tags, so the arguments' entity can be left out
  return [call, { uid: NUMBERS, attrs: {}, parents: [], tags: numbers }];
}

function toContext(context: PolicyQuestion['context'], at: LocalTime): Context {
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

/** Collects all strings, numbers and booleans of the arguments by path: `version`, `labels.0`. */
function readArguments(args: Readonly<Record<string, unknown>>) {
  // The record has no prototype, so that an argument named __proto__ is an ordinary argument. Only strings are stored.
  const texts = Object.create(null) as Record<string, string>;
  const numbers = Object.create(null) as Record<string, number>; // only numbers are stored
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
    if (typeof value === 'number') numbers[name] = roundUp(value);
  };
  visit('', args);
  return { texts, numbers };
}

/** Rounds away from zero, so that a limit of 1000 rejects 1000.5, and clamps to safe integers. */
function roundUp(value: number): number {
  const whole = Math.sign(value) * Math.ceil(Math.abs(value));
  return Math.min(Math.max(whole, -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
