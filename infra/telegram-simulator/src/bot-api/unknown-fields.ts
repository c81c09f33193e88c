import type { ApiSchema, ApiSchemas } from './api-schema.ts';

/** Lists fields of a valid value, at any depth, that its schema lacks. */
export function listUnknownFields(schemas: ApiSchemas, schema: ApiSchema, value: unknown, path: string): string[] {
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
