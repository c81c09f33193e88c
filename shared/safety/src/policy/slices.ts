import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';

export type Verb = 'run' | 'confirm' | 'request' | 'approve' | 'load';
export type PrincipalType = 'User' | 'AgentClass';

/** The questions that the engine asks: a verb, and who. Cedar is slower the more policies it is given, so each has its own. */
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

/** Under which name Cedar knows the policies of a slice. */
export function sliceId(setId: string, verb: Verb, principal: PrincipalType): string {
  return `${setId}:${verb}:${principal}`;
}

/** False only when the head of a policy says by itself that it is about other questions. */
export function belongsTo({ action, principal }: PolicyJson, verb: Verb, type: PrincipalType): boolean {
  return aboutVerb(action, verb) && aboutPrincipal(principal, type);
}

function aboutVerb(action: PolicyJson['action'], verb: Verb): boolean {
  // `confirm` asks for more where it is permitted: a rule about everything does not mean that, so it has to be named.
  if (action.op === 'All') return verb !== 'confirm';
  const named = 'entities' in action ? action.entities : [action];
  const verbs = named.map((one) => ('entity' in one ? typeAndId(one.entity) : typeAndId(one)));
  return verbs.some((one) => one?.type !== 'Action' || one.id === verb);
}

function aboutPrincipal(principal: PolicyJson['principal'], type: PrincipalType): boolean {
  if (principal.op === 'is') return principal.entity_type === type;
  if (principal.op === 'All' || !('entity' in principal)) return true;
  const named = typeAndId(principal.entity)?.type;
  if (principal.op === '==') return named === type;
  return !(named === 'Role' && type === 'AgentClass'); // only people are in roles
}

function typeAndId(entity: unknown): { readonly type: string; readonly id: string } | null {
  const inner = typeof entity === 'object' && entity && '__entity' in entity ? entity.__entity : entity;
  if (typeof inner !== 'object' || !inner || !('type' in inner) || !('id' in inner)) return null;
  return { type: String(inner.type), id: String(inner.id) };
}
