import { AppError } from '../errors.ts';
import { listNames } from '../nearest-name.ts';
import type { Queryable } from './pool.ts';

const NAMES = {
  project: `select name from projects where status <> 'archived' order by updated_at desc limit 500`,
  server: `select name from servers order by name limit 500`,
} as const;

/** The NOT_FOUND error for a name, with the names that exist and the one that was probably meant. */
export async function nameNotFound(db: Queryable, kind: keyof typeof NAMES, name: string): Promise<AppError> {
  const { rows } = await db.query<{ name: string }>(NAMES[kind]);
  const known = listNames(
    name,
    rows.map((row) => row.name),
  );
  return new AppError('NOT_FOUND', { kind, name, known });
}
