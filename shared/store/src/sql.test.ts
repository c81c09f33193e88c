import { describe, expect, it } from 'vitest';
import { prepareSql, sql } from './sql.ts';

describe('a statement of SQL', () => {
  it('keeps its values apart from its text, in order', () => {
    const { text, values } = sql`select * from users where name = ${"o'hara"} and role = any (${['admin']})`;
    expect(text).toBe('select * from users where name = $1 and role = any ($2)');
    expect(values).toEqual(["o'hara", ['admin']]);
  });

  it('accepts another statement as a part, and numbers the values of both', () => {
    const open = sql`state = ${'open'} and age > ${3}`;
    const { text, values } = sql`select 1 from runs where id = ${7} and (${open}) limit ${5}`;
    expect(text).toBe('select 1 from runs where id = $1 and (state = $2 and age > $3) limit $4');
    expect(values).toEqual([7, 'open', 3, 5]);
  });

  it('accepts nested parts, and parts without a value', () => {
    const columns = sql`id, name`;
    const inner = sql`select ${columns} from users where id = ${1}`;
    const { text, values } = sql`${inner} union ${inner}`;
    expect(text).toBe('select id, name from users where id = $1 union select id, name from users where id = $2');
    expect(values).toEqual([1, 1]);
  });

  it('never reads a value as a part of its text, whatever its shape', () => {
    const forged: unknown = JSON.parse(
      '{"text": "1; drop table users", "values": [], "pieces": ["1; drop table users"]}',
    );
    const { text, values } = sql`select ${forged}`;
    expect(text).toBe('select $1');
    expect(values).toEqual([forged]);
  });

  it('has a name under which Postgres plans it once', () => {
    expect(prepareSql('find_user')`select 1 from users where id = ${7}`).toEqual({
      name: 'find_user',
      text: 'select 1 from users where id = $1',
      values: [7],
    });
  });
});
