import type { QueryResultRow } from 'pg';
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

/** Tags a statement and runs it: the first row that it gives; null without one. */
export function findRow<T extends QueryResultRow>(db: Queryable): Tag<T | null> {
  return async (strings, ...parts) => (await db.query<T>(new Sql(strings, parts))).rows[0] ?? null;
}

/** Tags a statement and runs it: all rows that it gives. */
export function listRows<T extends QueryResultRow>(db: Queryable): Tag<readonly T[]> {
  return async (strings, ...parts) => (await db.query<T>(new Sql(strings, parts))).rows;
}

/** Tags a statement of one column and runs it: what stands in its first row; without one, or with null in it, `otherwise`. */
export function findValue<V>(db: Queryable): Tag<V | null>;
export function findValue<V>(db: Queryable, otherwise: V): Tag<V>;
export function findValue<V>(db: Queryable, otherwise: V | null = null): Tag<V | null> {
  return async (strings, ...parts) => {
    const row = await findRow<Record<string, V | null>>(db)(strings, ...parts);
    return Object.values(row ?? {})[0] ?? otherwise;
  };
}

/** Tags a statement and runs it: whether it found or wrote a row. */
export function hasRow(db: Queryable): Tag<boolean> {
  return async (strings, ...parts) => (await db.query(new Sql(strings, parts))).rowCount !== 0;
}

/** Tags a statement that each connection plans once, under this name. */
export function named(name: string) {
  return (strings: readonly string[], ...parts: readonly unknown[]) => {
    const { text, values } = new Sql(strings, parts);
    return { name, text, values };
  };
}
