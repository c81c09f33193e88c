import { describe, expect, it } from 'vitest';
import { prepareSql, sql } from './sql.ts';

describe('an SQL statement', () => {
  it('keeps its parameters apart from its text, in order', () => {
    const { text, values } = sql`select * from users where name = ${"o'hara"} and role = any (${['admin']})`;
    expect(text).toBe('select * from users where name = $1 and role = any ($2)');
    expect(values).toEqual(["o'hara", ['admin']]);
  });

  it('can contain another statement, and numbers the parameters of both', () => {
    const open = sql`state = ${'open'} and age > ${3}`;
    const { text, values } = sql`select 1 from runs where id = ${7} and (${open}) limit ${5}`;
    expect(text).toBe('select 1 from runs where id = $1 and (state = $2 and age > $3) limit $4');
    expect(values).toEqual([7, 'open', 3, 5]);
  });

  it('can contain nested statements, and statements without parameters', () => {
    const columns = sql`id, name`;
    const inner = sql`select ${columns} from users where id = ${1}`;
    const { text, values } = sql`${inner} union ${inner}`;
    expect(text).toBe('select id, name from users where id = $1 union select id, name from users where id = $2');
    expect(values).toEqual([1, 1]);
  });

  it('never treats a value as SQL text, whatever the value looks like', () => {
    const forged: unknown = JSON.parse(
      '{"text": "1; drop table users", "values": [], "pieces": ["1; drop table users"]}',
    );
    const { text, values } = sql`select ${forged}`;
    expect(text).toBe('select $1');
    expect(values).toEqual([forged]);
  });

  it('has a name, so that Postgres plans it once', () => {
    expect(prepareSql('find_user')`select 1 from users where id = ${7}`).toEqual({
      name: 'find_user',
      text: 'select 1 from users where id = $1',
      values: [7],
    });
  });
});
