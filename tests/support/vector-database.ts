import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { MIGRATIONS_FOLDER, readMigrationFiles } from '@signalbox/store/migrations/migration-files';
import { SERVICE_RIGHTS, getServiceRole, type ServiceWithLogin } from '@signalbox/store/migrations/service-rights';
import type { Pool } from '@signalbox/store/pool';

/** A Postgres in this process that has pgvector. The product's migrations have run; the vectors' columns are not added yet. */
export interface VectorDatabase {
  readonly owner: Pool;
  /** A pool with the rights of a service. */
  as(service: ServiceWithLogin): Pool;
  close(): Promise<void>;
}

export async function openVectorDatabase(): Promise<VectorDatabase> {
  const db = await PGlite.create({ extensions: { vector, pg_trgm } });
  for (const text of Object.values(await readMigrationFiles(MIGRATIONS_FOLDER))) await db.exec(text);
  for (const service of ['analysis', 'maintenance', 'worker'] as const) {
    const role = getServiceRole(service);
    await db.exec(`create role ${role}`);
    for (const [table, rights] of Object.entries(SERVICE_RIGHTS[service].tables))
      await db.exec(`grant ${rights} on public.${table} to ${role}`);
  }
  let last: Promise<unknown> = Promise.resolve();
  /** There is one session, so one caller has it at a time. */
  const take = async (role: string | null): Promise<() => void> => {
    const before = last;
    let release: () => void = () => undefined;
    last = new Promise<void>((resolve) => (release = resolve));
    await before;
    await db.exec(role === null ? 'reset role' : `set role ${role}`);
    return release;
  };
  const open = (role: string | null): Pool =>
    ({
      query: async (...asked: Parameters<typeof run>) => {
        const release = await take(role);
        return run(...asked).finally(release);
      },
      connect: async () => ({ query: run, release: await take(role) }),
    }) as unknown as Pool; // what the product's stores use of a pool
  const run = async (asked: string | { readonly text: string; readonly values: unknown[] }, values: unknown[] = []) => {
    const statement = typeof asked === 'string' ? { text: asked, values } : asked;
    const simple = statement.values.length === 0;
    const [result] = simple ? await db.exec(statement.text) : [await db.query(statement.text, statement.values)];
    const rows = result?.rows ?? [];
    return { rows, rowCount: rows.length > 0 ? rows.length : (result?.affectedRows ?? 0) };
  };
  return { owner: open(null), as: (service) => open(getServiceRole(service)), close: () => db.close() };
}
