import { readConfigFields } from './documents.ts';
import type { SourceFile } from './sources.ts';

const SECRET_NAME = /(?:TOKEN|KEY|SECRET|PASSWORD)$/;
const SECRET_DOCSTRING = /\bSecret\. \*\/\s*$/;
/** A schema, a constant with one, or a field of another schema, which is tried there. */
const SCHEMA = /^(?:z\s*\.|[A-Z_]+$)/;

/**
 * Variables of schemas named `…Config` that hold a secret by their name or docstring, and are not marked as one: only a marked field can be
 * read from a file.
 */
export function findUnmarkedSecrets(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    readConfigFields(file)
      .filter(({ name, value }) => SCHEMA.test(value) && value !== name)
      .filter(({ name, start }) => SECRET_NAME.test(name) || SECRET_DOCSTRING.test(file.text.slice(0, start)))
      .filter(({ value }) => !/secret: true/.test(value) && !isMarkedConstant(file.text, value))
      .map(({ name }) => `${file.path}: ${name} lacks .meta({ secret: true }), so there is no ${name}_FILE`),
  );
}

function isMarkedConstant(text: string, name: string): boolean {
  const [, schema = ''] = new RegExp(`^const ${name.replaceAll(/\W/g, '')} = ([^;]*);`, 'm').exec(text) ?? [];
  return /secret: true/.test(schema);
}
