import type {
  Context,
  EntityJson,
  EntityUid,
  PolicyJson,
  StatefulAuthorizationCall,
  TypeAndId,
} from '@cedar-policy/cedar-wasm/nodejs';

/** The attributes of a request that policies read, besides principal, action, resource and memberships. */
export interface VisibleAttributes {
  /** Attribute names; `all` when a policy reads the whole context. */
  readonly attributes: ReadonlySet<string> | 'all';
  readonly tags: boolean;
  /** True when a policy may tell two people of equal roles and attributes apart. */
  readonly people: boolean;
}

/** The type of the entities of people, as in the schema. */
const PERSON = 'User';

/** Collects the attributes that policies read, because other attributes cannot matter. When unsure, collects all. */
export function readVisibleAttributes(policies: readonly PolicyJson[]): VisibleAttributes {
  const attributes = new Set<string>();
  let isWhole = false;
  let tags = false;
  let people = policies.some(namesPerson);
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [operator, below] of Object.entries(node)) {
      if (operator === 'Var' && below === 'context') isWhole = true;
      if (operator === 'Var' && below === 'principal') people = true;
      if (operator === 'in' && isMembership(below)) continue;
      if (operator === 'getTag' || operator === 'hasTag') tags = true;
      if (operator === '.' || operator === 'has') visitAccess(below);
      else visit(below);
    }
  };
  const visitAccess = (access: unknown): void => {
    const { left, attr } = Object(access) as { readonly left?: unknown; readonly attr?: unknown }; // the lines below check both fields
    const names = Array.isArray(attr) ? (attr as readonly unknown[]) : [attr];
    for (const name of names)
      if (typeof name === 'string') attributes.add(name);
      else isWhole = true; // a record field has the name '.' or 'has', so this is no access
    if (!isVariable(left, 'context') && !isVariable(left, 'principal')) visit(left);
  };
  for (const { conditions } of policies) visit(conditions);
  return { attributes: isWhole ? 'all' : attributes, tags, people };
}

function isVariable(node: unknown, name: string): boolean {
  return typeof node === 'object' && node !== null && 'Var' in node && node.Var === name;
}

/** True for `principal in Role::"…"`, which depends only on the memberships of a person. */
function isMembership(operands: unknown): boolean {
  const { left, right } = Object(operands) as { readonly left?: unknown; readonly right?: unknown }; // both are checked here
  if (!isVariable(left, 'principal')) return false;
  const { Value } = Object(right) as { readonly Value?: unknown }; // checked below
  const { __entity } = Object(Value) as { readonly __entity?: unknown }; // checked below
  const { type } = Object(__entity) as { readonly type?: unknown }; // checked below
  return typeof type === 'string' && type !== PERSON;
}

/** True when the head of a policy may name a person, as `principal == User::"…"` does. */
function namesPerson({ principal }: PolicyJson): boolean {
  if (principal.op === 'All') return false;
  if (principal.op === 'is') return principal.in !== undefined;
  return !('entity' in principal) || toTypeAndId(principal.entity).type === PERSON;
}

function toTypeAndId(uid: EntityUid): TypeAndId {
  return '__entity' in uid ? uid.__entity : uid;
}

/**
 * Computes a cache key: equal for all requests that these policies cannot distinguish and the schema accepts alike. Unread values count
 * by type only, and so do people whom no policy tells apart. Requests of other slices need their own cache.
 */
export function toCacheKey({ attributes, tags, people }: VisibleAttributes, call: StatefulAuthorizationCall): string {
  const isRead = (name: string): boolean => attributes === 'all' || attributes.has(name);
  const fields = (record: Context): object =>
    Object.entries(record).map(([name, value]) => [name, isRead(name) ? value : toShape(value)]);
  const { type } = toTypeAndId(call.principal);
  const who = people || type !== PERSON ? call.principal : type;
  const entity = ({ uid, parents, attrs, tags: given = {} }: EntityJson): object => [
    toTypeAndId(uid).type === type ? who : uid,
    parents,
    fields(attrs),
    tags ? given : listShapes(given),
  ];
  return JSON.stringify([who, call.action, call.resource, fields(call.context), call.entities.map(entity)]);
}

/** Reduces a value to what the schema distinguishes: the type of strings, booleans and integers, and other values completely. */
function toShape(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)) return typeof value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return ['string'];
  return value;
}

/** Lists the distinct types of tags. Names with a meaning for Cedar are kept. */
function listShapes(tags: Readonly<Record<string, unknown>>): unknown {
  const entries = Object.entries(tags);
  if (entries.some(([name]) => name.startsWith('__'))) return tags;
  return [...new Set(entries.map(([, value]) => JSON.stringify(toShape(value))))].sort();
}
