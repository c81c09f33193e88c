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

/** JSON Schema keywords that tell a model what to write. Lengths and patterns are checked afterwards, with a sentence that names them. */
const TELLING_KEYWORDS: ReadonlySet<string> = new Set([
  ...SUPPORTED_KEYWORDS,
  'const',
  'oneOf',
  'allOf',
  'default',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
]);

/** Removes from a JSON Schema what no model needs, such as the questions and kinds of names of the built-in planner. Pure. */
export function toLeanSchema(schema: unknown): Record<string, unknown> {
  const kept = Object.entries(asSchema(schema)).filter(
    ([key, value]) => TELLING_KEYWORDS.has(key) && !isSilent(key, value),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, toLeanPart(key, value)]));
}

function toLeanPart(key: string, value: unknown): unknown {
  if (key === 'properties')
    return Object.fromEntries(
      Object.entries(asSchema(value)).map(([name, part]) => [name, withoutEcho(name, toLeanSchema(part))]),
    );
  if (Array.isArray(value) && key.endsWith('Of')) return value.map(toLeanSchema);
  if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object')) return toLeanSchema(value);
  return value;
}

/** Leaves out a description that only says the field's name again, such as “A known project” of `project`. */
function withoutEcho(name: string, field: Record<string, unknown>): Record<string, unknown> {
  const { description, ...rest } = field;
  const told =
    typeof description === 'string' ? description.toLowerCase().replace(/^(?:a |the )?(?:known )?/, '') : null;
  return told === name ? rest : field;
}

/** Bounds that say what every model does anyway: counts begin with 1, and nobody asks for a thousand of anything. */
const IDLE_BOUNDS: Readonly<Record<string, (bound: number) => boolean>> = {
  minimum: (bound) => bound === 1 || bound <= Number.MIN_SAFE_INTEGER,
  maximum: (bound) => bound >= 1_000,
  minItems: (bound) => bound <= 1,
};

/** True for a value that tells a model nothing: bounds of any count, a switch that is off, any or no further fields. */
function isSilent(key: string, value: unknown): boolean {
  if (key === 'properties' || key === 'items') return false;
  if (typeof value === 'number') return IDLE_BOUNDS[key]?.(value) ?? false;
  if (key === 'additionalProperties') return value === false || Object.keys(toLeanSchema(value)).length === 0;
  if (key === 'default' && (value === false || (Array.isArray(value) && value.length === 0))) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0 && !Array.isArray(value);
}

function asSchema(part: unknown): Schema {
  return typeof part === 'object' && part !== null ? (part as Schema) : {}; // a JSON Schema is an object, or `true` for anything
}
