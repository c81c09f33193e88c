import { z } from 'zod';

/** A tool argument that the planner can fill. */
export interface Field {
  readonly name: string;
  /** True also for an argument that a model may leave out and the planner asks for. */
  readonly required: boolean;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'other';
  /** Entity that the value names, such as project; null when the schema names none. */
  readonly entity: string | null;
  readonly ask: string | null;
  readonly choices: readonly string[];
  readonly rules: Property;
}

/** Properties that cannot be read are left out. */
const maybe = <Type extends z.ZodType>(type: Type) => type.optional().catch(undefined);
const Property = z.object({
  type: maybe(z.union([z.string(), z.array(z.string())])),
  enum: maybe(z.array(z.unknown())),
  const: z.unknown().optional(),
  minimum: maybe(z.number()),
  maximum: maybe(z.number()),
  exclusiveMinimum: maybe(z.number()),
  exclusiveMaximum: maybe(z.number()),
  minLength: maybe(z.number()),
  maxLength: maybe(z.number()),
  pattern: maybe(z.string()),
  format: maybe(z.string()),
  default: z.unknown().optional(),
  entity: maybe(z.string()),
  ask: maybe(z.string()),
  isAsked: maybe(z.boolean()),
  anyOf: maybe(z.array(z.unknown())),
});
type Property = z.infer<typeof Property>;

const ObjectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).catch({}),
  required: z.array(z.string()).catch([]),
});

/** Reads the arguments of a tool from its JSON Schema. Skips arguments that cannot be read; never throws. */
export function readFields(schema: unknown): readonly Field[] {
  const parsed = ObjectSchema.safeParse(schema);
  if (!parsed.success) return [];
  const { properties, required } = parsed.data;
  return Object.entries(properties).flatMap(([name, property]) => {
    const rules = readProperty(property);
    const isNeeded = required.includes(name) || rules?.isAsked === true;
    return rules ? [describeField(name, rules, isNeeded && rules.default === undefined)] : [];
  });
}

/** Describes for people what is wrong with a value; null when the schema accepts the value. */
export function findProblem(field: Field, value: unknown): string | null {
  const { rules } = field;
  if (field.choices.length > 0 && !field.choices.includes(String(value))) return `one of ${field.choices.join(', ')}`;
  if (rules.const !== undefined && value !== rules.const) return JSON.stringify(rules.const);
  if (field.type === 'integer' || field.type === 'number') return numberProblem(field, value);
  if (field.type === 'boolean') return typeof value === 'boolean' ? null : 'yes or no';
  if (field.type === 'array') return Array.isArray(value) ? null : 'a list';
  return field.type === 'string' ? textProblem(rules, value) : null;
}

function readProperty(property: unknown): Property | null {
  const parsed = Property.safeParse(property);
  if (!parsed.success) return null;
  const { anyOf, ...own } = parsed.data;
  // A nullable field has the schema `anyOf [type, null]`; the first branch other than null has its type.
  const branch = anyOf?.map(readProperty).find((candidate) => candidate && candidate.type !== 'null');
  return { ...branch, ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) };
}

function describeField(name: string, rules: Property, required: boolean): Field {
  const declared = Array.isArray(rules.type) ? rules.type.find((type) => type !== 'null') : rules.type;
  return {
    name,
    required,
    type: TYPES.find((type) => type === declared) ?? (rules.enum ? 'string' : 'other'),
    entity: rules.entity ?? null,
    ask: rules.ask ?? null,
    choices: (rules.enum ?? []).filter((value) => typeof value === 'string'),
    rules,
  };
}

const TYPES = ['string', 'integer', 'number', 'boolean', 'array'] as const;

function numberProblem({ type, rules }: Field, value: unknown): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'a number';
  if (type === 'integer' && !Number.isSafeInteger(value)) return 'a whole number';
  // zod adds safe-integer bounds to every integer; they are no limits of the field.
  const least = Math.max(rules.minimum ?? -Infinity, rules.exclusiveMinimum ?? -Infinity);
  const most = Math.min(rules.maximum ?? Infinity, rules.exclusiveMaximum ?? Infinity);
  const low = value < least || value === rules.exclusiveMinimum;
  const high = value > most || value === rules.exclusiveMaximum;
  if (!low && !high) return null;
  const isBounded = Number.isSafeInteger(least + 1) && Number.isSafeInteger(most) && most < Number.MAX_SAFE_INTEGER;
  if (isBounded) return `a number from ${least} to ${most}`;
  return low ? `a number of at least ${least}` : `a number of at most ${most}`;
}

function textProblem(rules: Property, value: unknown): string | null {
  if (typeof value !== 'string') return 'text';
  if (value.length < (rules.minLength ?? 0))
    return value === '' ? 'something' : `at least ${rules.minLength} characters`;
  if (value.length > (rules.maxLength ?? Infinity)) return `at most ${rules.maxLength} characters`;
  if (rules.format === 'uri' && !URL.canParse(value)) return 'a web address';
  if (rules.pattern !== undefined && !matches(rules.pattern, value)) return patternInWords(rules.pattern);
  return null;
}

/** Describes the usual pattern of names in words; people do not see other patterns. */
function patternInWords(pattern: string): string {
  return pattern.startsWith('^[a-z]')
    ? 'small letters, digits and single hyphens, beginning with a letter'
    : 'written another way';
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true; // A pattern that JavaScript cannot read is left to the tool to check.
  }
}
