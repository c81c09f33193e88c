import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';

/** What a forge publishes of its API: the operations that are used, with the schemas of their bodies. */
export interface ForgeDescription {
  readonly source: string;
  /** Checks a request. Returns its operation, or what is wrong with it. */
  checkRequest(request: DescribedRequest): { readonly operation: string } | { readonly problem: string };
  /** Builds an answer: what its schema requires, and `given` in it. Throws when the whole does not fit. */
  buildAnswer(operation: string, status: number, given: unknown): unknown;
}

export interface DescribedRequest {
  readonly method: string;
  /** Path below the API's address. */
  readonly path: string;
  readonly query: readonly string[];
  readonly body: unknown;
}

interface Schema {
  readonly [key: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly query: readonly string[];
  readonly body?: Schema;
  readonly responses: Readonly<Record<string, Schema | true>>;
}

/** Reads the description of a forge from tests/fixtures/forges. */
export function readForgeDescription(kind: 'github' | 'gitlab' | 'gitea'): ForgeDescription {
  const file = new URL(`../../fixtures/forges/${kind}.json`, import.meta.url);
  const whole = JSON.parse(readFileSync(file, 'utf8')) as {
    source: string;
    operations: Record<string, Operation>;
    schemas: Record<string, Schema>;
  };
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'forge', schemas: whole.schemas });
  const point = (schema: Schema | true): Schema | boolean =>
    schema === true
      ? true
      : (JSON.parse(JSON.stringify(schema).replaceAll('"#/schemas/', '"forge#/schemas/')) as Schema);
  const explain = (schema: Schema | true, value: unknown): string | null => {
    const check = ajv.compile(point(schema));
    return check(value) ? null : ajv.errorsText(check.errors).slice(0, 500);
  };
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? resolve(whole.schemas[schema.$ref.slice('#/schemas/'.length)] ?? {}) : schema;
  /** The least value that fits. */
  const sample = (schema: Schema, depth = 0): unknown => {
    const { type, enum: choices, properties = {}, required = [], ...rest } = resolve(schema);
    if (choices) return choices[0];
    const types = [type ?? (Object.keys(properties).length > 0 ? 'object' : '')].flat();
    if (types.includes('null')) return null;
    if (types.includes('string')) return '';
    if (types.includes('boolean')) return false;
    if (types.includes('integer') || types.includes('number')) return 1;
    if (types.includes('array')) return [];
    if (types.includes('object')) {
      if (depth > 8) throw new Error('the description is endless');
      return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {}, depth + 1)]));
    }
    const other = rest.anyOf ?? rest.oneOf ?? rest.allOf;
    return other?.[0] ? sample(other.find((one) => resolve(one).type === 'null') ?? other[0], depth + 1) : null;
  };
  return {
    source: whole.source,
    checkRequest({ method, path, query, body }) {
      const found = Object.entries(whole.operations).find(([name]) => {
        const [verb, form = ''] = name.split(' ');
        const pattern = form.replace(/\{ref\}/g, '.+').replace(/\{\w+\}/g, '[^/]+');
        return verb === method.toLowerCase() && new RegExp(`^${pattern}$`).test(path);
      });
      if (!found) return { problem: `there is no operation ${method} ${path}` };
      const [operation, { query: known, body: schema }] = found;
      const unknown = query.filter((name) => !known.includes(name));
      if (unknown.length > 0) return { problem: `${operation} takes no ${unknown.join(', ')}` };
      if (!schema) return body === undefined ? { operation } : { problem: `${operation} takes no body` };
      const problem = explain(schema, body);
      return problem === null ? { operation } : { problem: `${operation}: ${problem}` };
    },
    buildAnswer(operation, status, given) {
      const schema = whole.operations[operation]?.responses[String(status)];
      if (schema === undefined) throw new Error(`${operation} never answers ${status}`);
      const build = (item: unknown, of: Schema): unknown => merge(sample(of), item);
      const items = schema === true ? undefined : (resolve(schema)['items'] as Schema | undefined);
      const answer =
        Array.isArray(given) && items
          ? given.map((one) => build(one, items))
          : build(given, schema === true ? {} : schema);
      const problem = explain(schema, answer);
      if (problem !== null) throw new Error(`an answer of ${operation} does not fit ${whole.source}: ${problem}`);
      return answer;
    },
  };
}

function merge(base: unknown, given: unknown): unknown {
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isRecord(base) || !isRecord(given)) return given === undefined ? base : given;
  return {
    ...base,
    ...Object.fromEntries(Object.entries(given).map(([key, value]) => [key, merge(base[key], value)])),
  };
}
