import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';

export type Verb = 'run' | 'confirm' | 'request' | 'approve' | 'load';
export type PrincipalType = 'User' | 'AgentClass';

/**
 * Pairs of verb and principal type that the engine asks about. Cedar slows down with the number of policies, so each pair has its own set.
 */
export const SLICES: readonly { readonly verb: Verb; readonly principal: PrincipalType }[] = [
  { verb: 'run', principal: 'User' },
  { verb: 'run', principal: 'AgentClass' },
  { verb: 'confirm', principal: 'User' },
  { verb: 'confirm', principal: 'AgentClass' },
  { verb: 'request', principal: 'User' },
  { verb: 'request', principal: 'AgentClass' },
  { verb: 'approve', principal: 'User' },
  { verb: 'load', principal: 'User' },
  { verb: 'load', principal: 'AgentClass' },
];

/** Returns the id under which a slice is registered with Cedar. */
export function getSliceId(setId: string, verb: Verb, principal: PrincipalType): string {
  return `${setId}:${verb}:${principal}`;
}

/** False only when the head of a policy excludes the verb or principal type. */
export function matchesSlice({ action, principal }: PolicyJson, verb: Verb, type: PrincipalType): boolean {
  return matchesVerb(action, verb) && matchesPrincipal(principal, type);
}

function matchesVerb(action: PolicyJson['action'], verb: Verb): boolean {
  // A permit of `confirm` makes calls stricter, so a policy must name that verb explicitly.
  if (action.op === 'All') return verb !== 'confirm';
  const named = 'entities' in action ? action.entities : [action];
  const verbs = named.map((item) => ('entity' in item ? readTypeAndId(item.entity) : readTypeAndId(item)));
  return verbs.some((action) => action?.type !== 'Action' || action.id === verb);
}

function matchesPrincipal(principal: PolicyJson['principal'], type: PrincipalType): boolean {
  if (principal.op === 'is') return principal.entity_type === type;
  if (principal.op === 'All' || !('entity' in principal)) return true;
  const named = readTypeAndId(principal.entity)?.type;
  if (principal.op === '==') return named === type;
  return !(named === 'Role' && type === 'AgentClass'); // only people have roles
}

function readTypeAndId(entity: unknown): { readonly type: string; readonly id: string } | null {
  const inner = typeof entity === 'object' && entity && '__entity' in entity ? entity.__entity : entity;
  if (typeof inner !== 'object' || !inner || !('type' in inner) || !('id' in inner)) return null;
  return { type: String(inner.type), id: String(inner.id) };
}
