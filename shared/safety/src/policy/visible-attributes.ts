import type { Context, EntityJson, PolicyJson, StatefulAuthorizationCall } from '@cedar-policy/cedar-wasm/nodejs';

/** What the policies of a slice can see of a question, besides who asks for what and which entities are in which. */
export interface VisibleAttributes {
  /** Attributes by name, wherever they are read; `all` when a policy looks at the context as a whole. */
  readonly attributes: ReadonlySet<string> | 'all';
  readonly tags: boolean;
}

/** Reads from policies what they can see: what an expression does not name it cannot tell apart. In doubt, everything. */
export function visibleAttributes(policies: readonly PolicyJson[]): VisibleAttributes {
  const attributes = new Set<string>();
  let isWhole = false;
  let tags = false;
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [operator, below] of Object.entries(node)) {
      if (operator === 'Var' && below === 'context') isWhole = true;
      if (operator === 'getTag' || operator === 'hasTag') tags = true;
      if (operator === '.' || operator === 'has') visitAccess(below);
      else visit(below);
    }
  };
  const visitAccess = (access: unknown): void => {
    const { left, attr } = Object(access) as { readonly left?: unknown; readonly attr?: unknown }; // looked at below
    const names = Array.isArray(attr) ? (attr as readonly unknown[]) : [attr];
    for (const name of names)
      if (typeof name === 'string') attributes.add(name);
      else isWhole = true; // no access but the field of a record that is named so
    const isContext = typeof left === 'object' && left !== null && 'Var' in left && left.Var === 'context';
    if (!isContext) visit(left);
  };
  for (const { conditions } of policies) visit(conditions);
  return { attributes: isWhole ? 'all' : attributes, tags };
}

/**
 * One text for all questions that policies with this sight cannot tell apart and that the schema takes alike: of what is not seen,
 * only the shape counts. Questions of other slices need a place of their own.
 */
export function cacheKey({ attributes, tags }: VisibleAttributes, call: StatefulAuthorizationCall): string {
  const isSeen = (name: string): boolean => attributes === 'all' || attributes.has(name);
  const fields = (record: Context): object =>
    Object.entries(record).map(([name, value]) => [name, isSeen(name) ? value : shapeOf(value)]);
  const entity = ({ uid, parents, attrs, tags: given = {} }: EntityJson): object => [
    uid,
    parents,
    fields(attrs),
    tags ? given : shapesIn(given),
  ];
  return JSON.stringify([call.principal, call.action, call.resource, fields(call.context), call.entities.map(entity)]);
}

/** What the schema can tell apart: the kind of a text, a truth and a whole number; all of anything else. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)) return typeof value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return ['string'];
  return value;
}

/** The shapes of tags; none when there are none. Names with a meaning for Cedar count as they are. */
function shapesIn(tags: Readonly<Record<string, unknown>>): unknown {
  const entries = Object.entries(tags);
  if (entries.some(([name]) => name.startsWith('__'))) return tags;
  return [...new Set(entries.map(([, value]) => JSON.stringify(shapeOf(value))))].sort();
}
