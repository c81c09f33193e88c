import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGenerator, type Schema } from 'ts-json-schema-generator';

const TYPES = fileURLToPath(new URL('../../node_modules/@gramio/types/out/params.d.ts', import.meta.url));

/** Not looked into further than their required fields: the simulator refuses them, and they are half of all types. */
const UNSEEN = /^Telegram(InputMedia\w*|InputRichMessageMedia|InputFile|ReplyKeyboardMarkup|SuggestedPostParameters)$/;

type Definitions = Record<string, Schema>;

/**
 * Generates the JSON Schemas of these methods' parameters from the types of the Bot API, one definition per line. Methods
 * without parameters are left out.
 */
export function generateSchema(methods: readonly string[]): string {
  const source = readFileSync(TYPES, 'utf8');
  const generator = createGenerator({
    path: TYPES,
    skipTypeCheck: true,
    additionalProperties: true,
    expose: 'export',
    jsDoc: 'none',
    sortProps: true,
  });
  const all: Definitions = {};
  const roots: Record<string, string> = {};
  for (const method of methods) {
    const type = `${method.charAt(0).toUpperCase()}${method.slice(1)}Params`;
    if (!source.includes(`interface ${type} {`)) continue;
    roots[method] = type;
    // What the generator calls a definition is a schema or a plain boolean; the types of the Bot API give only schemas.
    Object.assign(all, generator.createSchema(type).definitions as Definitions);
  }
  const definitions = keepReachable(all, Object.values(roots));
  const lines = Object.entries(definitions).map(
    ([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`,
  );
  return `{"methods":${JSON.stringify(roots)},"definitions":{\n${lines.join(',\n')}\n}}\n`;
}

/** Only what the methods need, in the order of their names. */
function keepReachable(all: Definitions, roots: readonly string[]): Definitions {
  const kept: Definitions = {};
  const open = [...roots];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (kept[name]) continue;
    const schema = UNSEEN.test(name) ? toShell(all[name] ?? {}) : simplify(name, all[name] ?? {}, all);
    kept[name] = schema;
    open.push(...[...JSON.stringify(schema).matchAll(/#\/definitions\/(\w+)/g)].map((match) => match[1] ?? ''));
  }
  return Object.fromEntries(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function toShell({ required = [] }: Schema): Schema {
  return { type: 'object', required };
}

/** Takes away what the types offer to programmers only, and puts back what they leave out. */
function simplify(name: string, schema: Schema, all: Definitions): Schema {
  const simple = JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    // Telegram ignores the kinds of updates that it does not know.
    if (key === 'allowed_updates') return { type: 'array', items: { type: 'string' } };
    if ('const' in value && value.const === true) return { type: 'boolean' };
    if (!('anyOf' in value) || !Array.isArray(value.anyOf)) return value;
    // Objects that turn into the real thing when they are serialized.
    const anyOf = value.anyOf.filter((one: Schema) => !one.properties?.['toJSON'] && !one.properties?.['toString']);
    return anyOf.length === 1 ? (anyOf[0] as unknown) : { ...value, anyOf };
  }) as Schema;
  const tagged = tagUnion(simple, all);
  // The documentation's "either a String, an Array of RichText, or any of the following types".
  if (name !== 'TelegramRichText') return tagged;
  return { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: `#/definitions/${name}` } }, tagged] };
}

/** A union of objects that say their type is checked by it: trying every branch would take forever in nested texts. */
function tagUnion(schema: Schema, all: Definitions): Schema {
  const isTagged = (one: Schema): boolean => {
    const target = all[one.$ref?.replace('#/definitions/', '') ?? ''];
    const type = target?.properties?.['type'];
    return typeof type === 'object' && typeof type.const === 'string';
  };
  const branches = schema.anyOf as Schema[] | undefined;
  if (!branches?.every(isTagged)) return schema;
  return { type: 'object', required: ['type'], discriminator: { propertyName: 'type' }, oneOf: branches } as Schema;
}
