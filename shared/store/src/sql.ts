import type { QueryResult, QueryResultRow } from 'pg';
import type { Queryable } from './pool.ts';

/**
 * A statement of SQL with its values apart from its text, as `pg` takes it. It can be a part of another statement.
 * What stands in `${…}` is a parameter, or, when it is such a statement itself, a part of the text: no value is ever read as SQL.
 */
export class Sql {
  readonly text: string;
  readonly values: unknown[];
  /** The text between the values. */
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

/*
 * The functions below tag a statement and run it. With a name, each connection plans the statement once, under that name.
 */

/** The first row that the statement gives; null without one. */
export function findRow<T extends QueryResultRow>(db: Queryable, name?: string): Tag<T | null> {
  return async (strings, ...parts) => (await run<T>(db, name)(strings, ...parts)).rows[0] ?? null;
}

/** The row of a statement that always gives one, such as a select of aggregates. */
export function readRow<T extends QueryResultRow>(db: Queryable, name?: string): Tag<T> {
  return async (strings, ...parts) => {
    const row = await findRow<T>(db, name)(strings, ...parts);
    if (row) return row;
    throw new Error(`a statement that always gives a row gave none: ${strings.join('…')}`);
  };
}

/** All rows that the statement gives. */
export function listRows<T extends QueryResultRow>(db: Queryable, name?: string): Tag<readonly T[]> {
  return async (strings, ...parts) => (await run<T>(db, name)(strings, ...parts)).rows;
}

/** What stands in the one column of the statement's first row; without a row, or with null in it, `otherwise`. */
export function findValue<V>(db: Queryable): Tag<V | null>;
export function findValue<V>(db: Queryable, otherwise: V, name?: string): Tag<V>;
export function findValue<V>(db: Queryable, otherwise: V | null = null, name?: string): Tag<V | null> {
  return async (strings, ...parts) => (await listValues<V | null>(db, name)(strings, ...parts))[0] ?? otherwise;
}

/** What stands in the one column of all rows of the statement. */
export function listValues<V>(db: Queryable, name?: string): Tag<readonly V[]> {
  return async (strings, ...parts) => {
    const { rows } = await run<Record<string, V>>(db, name)(strings, ...parts);
    return rows.flatMap((row) => Object.values(row));
  };
}

/** Whether the statement found or wrote a row. */
export function hasRow(db: Queryable, name?: string): Tag<boolean> {
  return async (strings, ...parts) => (await run(db, name)(strings, ...parts)).rowCount !== 0;
}

function run<T extends QueryResultRow>(db: Queryable, name: string | undefined): Tag<QueryResult<T>> {
  return (strings, ...parts) => {
    const { text, values } = new Sql(strings, parts);
    return db.query<T>(name === undefined ? { text, values } : { name, text, values });
  };
}

/** Tags a statement that each connection plans once, under this name. */
export function named(name: string) {
  return (strings: readonly string[], ...parts: readonly unknown[]) => {
    const { text, values } = new Sql(strings, parts);
    return { name, text, values };
  };
}
