import type { QueryResultRow } from 'pg';
import type { Queryable } from './pool.ts';

/** A row of a result. */
export type Row = QueryResultRow;

/**
 * A parameterized SQL statement, as `pg` takes it. Each `${…}` becomes a parameter; only another `Sql` becomes part of the text, so no
 * value is ever executed as SQL.
 */
export class Sql {
  readonly text: string;
  readonly values: unknown[];
  /** The parts of the text between the values. */
  readonly #pieces: readonly string[];

  constructor(strings: readonly string[], parts: readonly unknown[]) {
    const pieces = [strings[0] ?? ''];
    const append = (text: string): unknown => pieces.push(`${pieces.pop() ?? ''}${text}`);
    this.values = [];
    for (const [place, part] of parts.entries()) {
      if (part instanceof Sql) {
        const [first = '', ...others] = part.#pieces;
        append(first);
        pieces.push(...others);
        this.values.push(...part.values);
      } else {
        this.values.push(part);
        pieces.push('');
      }
      append(strings[place + 1] ?? '');
    }
    this.#pieces = pieces;
    this.text = pieces.reduce((text, piece, place) => `${text}$${place}${piece}`);
  }
}

/** Tags a template as a statement, for `query` of a pool or a connection: `` db.query(sql`select … where id = ${id}`) ``. */
export function sql(strings: readonly string[], ...parts: readonly unknown[]): Sql {
  return new Sql(strings, parts);
}

type Tag<T> = (strings: readonly string[], ...parts: readonly unknown[]) => Promise<T>;

/** Runs the tagged statement and returns its first row; null without one. With a name, each connection plans it once. */
export function findRow<T extends Row>(db: Queryable, name?: string): Tag<T | null> {
  return async (strings, ...parts) => (await listRows<T>(db, name)(strings, ...parts))[0] ?? null;
}

/** Runs the tagged statement, which always returns a row (such as an aggregate), and returns that row. */
export function readRow<T extends Row>(db: Queryable, name?: string): Tag<T> {
  return async (strings, ...parts) => {
    const row = await findRow<T>(db, name)(strings, ...parts);
    if (row) return row;
    throw new Error(`a statement that always gives a row gave none: ${strings.join('…')}`);
  };
}

/** Runs the tagged statement and returns all rows. With a name, each connection plans the statement once. */
export function listRows<T extends Row>(db: Queryable, name?: string): Tag<readonly T[]> {
  return async (strings, ...parts) => (await run<T>(db, name, new Sql(strings, parts))).rows;
}

/** Runs the tagged statement, which has one column, and returns its values. */
export function listValues<V>(db: Queryable, name?: string): Tag<readonly V[]> {
  return async (strings, ...parts) => {
    const rows = await listRows<Record<string, V>>(db, name)(strings, ...parts);
    return rows.flatMap(Object.values<V>);
  };
}

/** Runs the tagged statement, which has one column, and returns its first value; `otherwise` when there is no row, or for null. */
export function findValue<V>(db: Queryable): Tag<V | null>;
export function findValue<V>(db: Queryable, otherwise: V, name?: string): Tag<V>;
export function findValue<V>(db: Queryable, otherwise: V | null = null, name?: string): Tag<V | null> {
  return async (strings, ...parts) => (await listValues<V | null>(db, name)(strings, ...parts))[0] ?? otherwise;
}

/** Runs the tagged statement; true when the statement found or wrote a row. */
export function hasRow(db: Queryable, name?: string): Tag<boolean> {
  return async (strings, ...parts) => (await run(db, name, new Sql(strings, parts))).rowCount !== 0;
}

/** Tags a prepared statement: each connection plans the statement once, under this name. */
export function prepareSql(name: string) {
  return (strings: readonly string[], ...parts: readonly unknown[]) => withName(name, new Sql(strings, parts));
}

function withName(name: string, { text, values }: Sql) {
  return { name, text, values };
}

function run<T extends Row>(db: Queryable, name: string | undefined, statement: Sql) {
  return db.query<T>(name === undefined ? statement : withName(name, statement));
}
