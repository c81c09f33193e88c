import type { ErrorObject } from 'ajv';
import { type ApiSchemas, loadSchemas, type ApiSchema } from './api-schema.ts';

/** Problems of a call, as sentences for the call log. */
export interface CallProblems {
  /** Missing parameters and values of the wrong type. */
  readonly violations: readonly string[];
  /** Parameters and fields that are unknown to the Bot API, which Telegram ignores. */
  readonly warnings: readonly string[];
}

export interface CheckedCall extends CallProblems {
  /** Parameters with a wrong value, without missing ones, for which the method has Telegram's message. */
  readonly wrong: readonly string[];
}

/** Limits the list, because further problems usually repeat the first ones. */
const MAX_PROBLEMS = 8;

/** Cached per process, because compiling takes up to a second. */
let loaded: ApiSchemas | undefined;

/** Validates a call against the types of Bot API 10.3. As in a form, text may replace any value. */
export function checkCall(
  method: string,
  values: Readonly<Record<string, unknown>>,
  files: ReadonlyMap<string, unknown>,
): CheckedCall {
  loaded ??= loadSchemas();
  const schemas = loaded;
  const found = schemas.findParameters(method);
  if (!found) return { violations: [], warnings: Object.keys(values).map(toUnknown), wrong: [] };
  const { name, schema } = found;
  const properties = schema.properties ?? {};
  const missing = (schema.required ?? []).filter((one) => values[one] === undefined && !files.has(one));
  const violations = missing.map((one) => `${one} is missing`);
  const warnings: string[] = [];
  const wrong: string[] = [];
  for (const [field, value] of Object.entries(values)) {
    const property = properties[field];
    if (!property) {
      warnings.push(toUnknown(field));
      continue;
    }
    const { accepted, problems } = readValue(schemas, `${name}/properties/${field}`, value);
    violations.push(...problems.map((problem) => `${field}${problem}`));
    if (problems.length > 0) wrong.push(field);
    else warnings.push(...listUnknownFields(schemas, property, accepted, field));
  }
  return { violations: violations.slice(0, MAX_PROBLEMS), warnings: warnings.slice(0, MAX_PROBLEMS), wrong };
}

function toUnknown(field: string): string {
  return `${field} is unknown`;
}

/** Returns the type error of a value, such as a `TelegramInputRichMessage`; null when it is valid. */
export function findViolation(type: string, value: unknown): string | null {
  loaded ??= loadSchemas();
  return readValue(loaded, type, value).problems[0]?.trim() ?? null;
}

/** Validates a value, or its parsed JSON when only the JSON is valid. Returns the accepted form and its problems. */
function readValue(
  schemas: ApiSchemas,
  place: string,
  value: unknown,
): { readonly accepted: unknown; readonly problems: readonly string[] } {
  const validate = schemas.validatorOf(place);
  if (validate(value)) return { accepted: value, problems: [] };
  const problems = describe(validate.errors ?? []);
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  if (parsed === undefined) return { accepted: value, problems };
  return validate(parsed)
    ? { accepted: parsed, problems: [] }
    : { accepted: value, problems: describe(validate.errors ?? []) };
}

/** Reports the errors of the union branch that matched furthest. */
function describe(errors: readonly ErrorObject[]): string[] {
  const depth = Math.max(...errors.map((error) => error.instancePath.split('/').length));
  const deepest = errors.filter((error) => error.instancePath.split('/').length === depth);
  return [...new Set(deepest.map((error) => `${error.instancePath} ${error.message ?? 'is wrong'}`))];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lists fields of a valid value, at any depth, that its schema lacks. */
function listUnknownFields(schemas: ApiSchemas, schema: ApiSchema, value: unknown, path: string): string[] {
  const resolved = schemas.resolve(schema);
  if (Array.isArray(value)) {
    const item = resolved.items;
    if (item) return value.flatMap((one, index) => listUnknownFields(schemas, item, one, `${path}/${index}`));
  }
  const branches = resolved.anyOf ?? resolved.oneOf;
  if (branches) return listOfBranch(schemas, branches, value, path);
  const { properties } = resolved;
  // A schema without properties allows all fields.
  if (!properties || !isFields(value)) return [];
  return Object.entries(value).flatMap(([field, inner]) => {
    const property = properties[field];
    const place = `${path}/${field}`;
    return property ? listUnknownFields(schemas, property, inner, place) : [`${place} is unknown`];
  });
}

/** Uses the union branch with the fewest unknown fields among those whose required fields exist. */
function listOfBranch(schemas: ApiSchemas, branches: readonly ApiSchema[], value: unknown, path: string): string[] {
  const fitting = branches.filter((branch) => fits(schemas.resolve(branch), value));
  const lists = fitting.map((branch) => listUnknownFields(schemas, branch, value, path));
  return lists.sort((a, b) => a.length - b.length)[0] ?? [];
}

function fits(schema: ApiSchema, value: unknown): boolean {
  if (Array.isArray(value)) return schema.type === 'array';
  if (!isFields(value)) return schema.type !== 'array' && !schema.properties;
  if (schema.type === 'array' || schema.type === 'string') return false;
  const tag: unknown = Reflect.get(schema.properties?.['type'] ?? {}, 'const');
  return (tag === undefined || tag === value['type']) && (schema.required ?? []).every((field) => field in value);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
