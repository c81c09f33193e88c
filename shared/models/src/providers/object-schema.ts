type Schema = Readonly<Record<string, unknown>>;

/** JSON Schema keywords that every provider supports in strict mode; bounds such as maxLength are checked afterwards. */
const SUPPORTED_KEYWORDS: ReadonlySet<string> = new Set([
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
 * Converts a JSON Schema to the strict form of providers: every field required, no further fields, unsupported keywords dropped. An
 * optional field must therefore allow null.
 */
export function toStrictSchema(schema: Schema): Record<string, unknown> {
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => SUPPORTED_KEYWORDS.has(key)));
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
  return typeof part === 'object' && part !== null ? (part as Schema) : {}; // a JSON Schema is an object, or `true` for anything
}
