import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';

/** The parts of JSON Schema that bot-api-schema.json uses. */
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

/** The build does not copy the file, so compiled code also reads it from src. */
const PATH = new URL('../../src/bot-api-schema.json', import.meta.url);

/** Parameter types of each Bot API method. */
export interface ApiSchemas {
  /** Returns the parameters of a method, ignoring case; null for a method without any. */
  readonly findParameters: (method: string) => { readonly name: string; readonly schema: ApiSchema } | null;
  /** Follows a `$ref`; returns other schemas unchanged. */
  readonly resolve: (schema: ApiSchema) => ApiSchema;
  /** Returns the validator of a path such as `SendMessageParams/properties/text`. Throws for an unknown path. */
  readonly validatorOf: (place: string) => ValidateFunction;
}

/** Reads the generated schemas; compiles each validator on first use, which takes some milliseconds. */
export function loadSchemas(): ApiSchemas {
  const file = File.parse(JSON.parse(readFileSync(PATH, 'utf8')));
  const types = new Map(Object.entries(file.methods).map(([method, type]) => [method.toLowerCase(), type]));
  // Optimizing takes three times as long and pays off only after many runs.
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
