import type { ErrorObject } from 'ajv';
import { type ApiSchemas, loadSchemas } from './api-schema.ts';
import { listUnknownFields } from './unknown-fields.ts';

/** What is wrong with a call, in sentences for whoever reads the call log. */
export interface CallProblems {
  /** Against the types of the Bot API: what is missing or has a wrong value. */
  readonly violations: readonly string[];
  /** Parameters and fields that the Bot API does not have, which Telegram would ignore. */
  readonly warnings: readonly string[];
}

export interface CheckedCall extends CallProblems {
  /** The parameters with a wrong value. What is missing is for the method to say: it knows Telegram's words for it. */
  readonly wrong: readonly string[];
}

/** More say the same in other words. */
const MAX_PROBLEMS = 8;

/** Compiling takes up to a second, and what comes of it is the same for every simulator of a process. */
let loaded: ApiSchemas | undefined;

/**
 * Compares what a bot sent with the types of the Bot API 10.3. A text may stand for a number, a flag, an object or a list, as
 * in a form; an upload for a file.
 */
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

/** What is wrong with a value of one of the types, such as `TelegramInputRichMessage`; null when nothing is. */
export function findViolation(type: string, value: unknown): string | null {
  loaded ??= loadSchemas();
  return readValue(loaded, type, value).problems[0]?.trim() ?? null;
}

/** The value as it is or, if it is a text that fits only so, what its JSON says; and what is wrong with it. */
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

/** Of all branches that were tried, those that got furthest are about what was meant. */
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
