type Schema = Readonly<Record<string, unknown>>;

/** What all providers understand of JSON Schema when they hold an answer to it; bounds such as maxLength are checked by us afterwards. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'anyOf',
]);

/**
 * A JSON Schema in the strict form that providers hold answers to: every field is required, no other is allowed, and keywords that
 * one of them refuses are left out. A field that may be missing must therefore allow null.
 */
export function toStrictSchema(schema: Schema): Record<string, unknown> {
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => UNDERSTOOD.has(key)));
  if (Array.isArray(kept['anyOf'])) kept['anyOf'] = kept['anyOf'].map((part) => toStrictSchema(asSchema(part)));
  if (kept['items'] !== undefined) kept['items'] = toStrictSchema(asSchema(kept['items']));
  if (kept['type'] !== 'object') return kept;
  const properties = Object.entries(asSchema(kept['properties'])).map(([name, part]) => [
    name,
    toStrictSchema(asSchema(part)),
  ]);
  return {
    ...kept,
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
    additionalProperties: false,
  };
}

function asSchema(part: unknown): Schema {
  return typeof part === 'object' && part !== null ? (part as Schema) : {}; // JSON Schema: an object, or true for anything
}
