import type { DiskSpace } from '@signalbox/contracts/size';
import { readOperatingFigures, type OperatingFigure } from '../operating-figures.ts';
import type { Pool, Queryable } from '../pool.ts';
import { findRow, sql } from '../sql.ts';

/** Sizes at one time, in bytes. Tables count with their indexes. */
export interface Sizes {
  readonly database: number;
  readonly tables: Readonly<Record<string, number>>;
  readonly disks: Readonly<Record<string, DiskSpace>>;
}

/** How much a table grew, in bytes per day; null before there is a sample of another day. */
export interface TableGrowth {
  readonly table: string;
  readonly bytes: number;
  readonly bytesPerDay: number | null;
}

export interface SizeReport {
  readonly databaseBytes: number;
  readonly databaseBytesPerDay: number | null;
  /** Largest first. */
  readonly tables: readonly TableGrowth[];
  /** As the job service last saw them, by the name of the place. */
  readonly disks: Readonly<Record<string, DiskSpace>>;
}

const KEPT_DAYS = 40;
/** Growth is measured over about this many days: from the sample that comes nearest to it. */
const GROWTH_DAYS = 7;

/** Reads the sizes of the database and its tables. `disks` are those that the caller sees. */
export async function readSizes(pool: Pool, disks: Sizes['disks'], deadlineMs: number): Promise<Sizes> {
  return collectSizes(await readOperatingFigures(pool, deadlineMs), disks);
}

/** Stores the sizes of today in place of earlier ones of today. Forgets samples older than 40 days. */
export async function noteSizes(db: Queryable, sizes: Sizes): Promise<void> {
  await db.query(sql`insert into size_samples (day, sizes) values (current_date, ${JSON.stringify(sizes)}::jsonb)
    on conflict (day) do update set sizes = excluded.sizes`);
  await db.query(sql`delete from size_samples where day < current_date - ${KEPT_DAYS}::int`);
}

/** Compares sizes with those of a week ago, or with the oldest sample when it is younger. */
export async function compareSizes(db: Queryable, now: Sizes): Promise<SizeReport> {
  const then = await findRow<{ days: number; sizes: Sizes }>(db)`
    select extract(epoch from clock_timestamp() - day)::float8 / 86400 as days, sizes from size_samples
     where day < current_date order by abs(current_date - day - ${GROWTH_DAYS}::int) limit 1`;
  const last = await findRow<{ disks: Sizes['disks'] | null }>(db)`
    select sizes -> 'disks' as disks from size_samples order by day desc limit 1`;
  const perDay = (bytes: number, before: number | undefined): number | null =>
    then === null ? null : Math.round((bytes - (before ?? 0)) / then.days);
  const tables = Object.entries(now.tables)
    .map(([table, bytes]) => ({ table, bytes, bytesPerDay: perDay(bytes, then?.sizes.tables[table]) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  return {
    databaseBytes: now.database,
    databaseBytesPerDay: perDay(now.database, then?.sizes.database),
    tables,
    disks: { ...last?.disks, ...now.disks },
  };
}

function collectSizes(figures: readonly OperatingFigure[], disks: Sizes['disks']): Sizes {
  const tables = figures.flatMap(({ name, labels, value }) =>
    name === 'table_bytes' && labels['table'] !== undefined ? [[labels['table'], value] as const] : [],
  );
  const database = figures.find(({ name }) => name === 'database_bytes')?.value ?? 0;
  return { database, tables: Object.fromEntries(tables), disks };
}
