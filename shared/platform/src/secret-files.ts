import { readFileSync } from 'node:fs';
import { z } from 'zod';

/*
 * A field marked with `.meta({ secret: true })` can be read from a file: OPENAI_API_KEY_FILE=/run/secrets/openai sets OPENAI_API_KEY to the
 * content of that file. A schema that declares the variable with _FILE itself, such as SECRETS_KEY_FILE, reads that file on its own.
 */

type Shape = z.core.$ZodShape;

/** Lists the variables of a schema: its fields, and for each secret field NAME also NAME_FILE. */
export function listVariables(shape: Shape): readonly string[] {
  return [...new Set(Object.keys(shape).flatMap((name) => (isSecret(shape[name]) ? [name, `${name}_FILE`] : [name])))];
}

/**
 * Reads the files that the variables name for secret fields, without the newline at the end. Problems are keyed by field; they name
 * variables, paths and what to do, never a content.
 */
export function readSecretFiles(
  shape: Shape,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly values: Readonly<Record<string, string>>; readonly problems: ReadonlyMap<string, string> } {
  const values: Record<string, string> = {};
  const problems = new Map<string, string>();
  for (const name of Object.keys(shape).filter((field) => isSecret(shape[field]))) {
    const variable = `${name}_FILE`;
    const path = variables[variable];
    if (path === undefined) continue;
    if (variables[name] !== undefined) {
      problems.set(name, `${name} and ${variable} are both set. Remove one of them.`);
      continue;
    }
    if (variable in shape) continue;
    try {
      const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      if (value === '') problems.set(name, `${variable}: ${path} is empty. Write the value of ${name} into that file.`);
      else values[name] = value;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      problems.set(
        name,
        `${variable}: ${path} cannot be read${code}. Correct the path, or let this user read the file.`,
      );
    }
  }
  return { values, problems };
}

function isSecret(field: unknown): boolean {
  if (!(field instanceof z.ZodType)) return false;
  return field.meta()?.['secret'] === true || (field instanceof z.ZodOptional && isSecret(field.unwrap()));
}
