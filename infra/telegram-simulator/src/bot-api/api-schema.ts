import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';

/** The part of JSON Schema that the generated file uses. */
export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: ApiSchema;
  readonly anyOf?: readonly ApiSchema[];
  readonly oneOf?: readonly ApiSchema[];
}

const File = z.object({
  methods: z.record(z.string(), z.string()),
  // Generated and compared by tests/integration/simulator/bot-api-schema.test.ts.
  definitions: z.record(
    z.string(),
    z.custom<ApiSchema>((value) => typeof value === 'object' && value !== null),
  ),
});

/** No build copies it, so both src and dist find it in src. */
const PATH = new URL('../../src/bot-api-schema.json', import.meta.url);

/** What the types of the Bot API say about the parameters of each method. */
export interface ApiSchemas {
  /** The parameters of a method, by its name in any case; null for a method without any. */
  readonly findParameters: (method: string) => { readonly name: string; readonly schema: ApiSchema } | null;
  /** The schema itself, or what it refers to. */
  readonly resolve: (schema: ApiSchema) => ApiSchema;
  /** The validator of a place in the file, such as `SendMessageParams/properties/text`. Throws when there is no such place. */
  readonly validatorOf: (place: string) => ValidateFunction;
}

/** Reads the generated schemas. Each place is compiled when it is needed first, which takes some milliseconds. */
export function loadSchemas(): ApiSchemas {
  const file = File.parse(JSON.parse(readFileSync(PATH, 'utf8')));
  const types = new Map(Object.entries(file.methods).map(([method, type]) => [method.toLowerCase(), type]));
  // Not optimized: what is compiled once and run a few hundred times is three times as quick to compile.
  const code = { optimize: false };
  const ajv = new Ajv({ strict: false, allErrors: true, discriminator: true, validateSchema: false, code });
  ajv.addSchema({ $id: 'api', definitions: file.definitions });
  return {
    findParameters: (method) => {
      const name = types.get(method.toLowerCase());
      const schema = name === undefined ? undefined : file.definitions[name];
      return name === undefined || !schema ? null : { name, schema };
    },
    resolve: (schema) => {
      const name = schema.$ref?.replace('#/definitions/', '');
      return name === undefined ? schema : (file.definitions[name] ?? {});
    },
    validatorOf: (place) => {
      const validate = ajv.getSchema(`api#/definitions/${place}`);
      if (!validate) throw new Error(`bot-api-schema.json has no ${place}`);
      return validate;
    },
  };
}
