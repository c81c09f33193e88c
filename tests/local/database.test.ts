import pg from 'pg';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/database.ts';

test('databases that are cloned at the same time are migrated and independent of each other', async () => {
  const databases = await Promise.all([createDatabase(), createDatabase(), createDatabase()]);
  try {
    expect(new Set(databases.map(({ url }) => url)).size).toBe(3);
    for (const { url } of databases) expect(await countUsers(url)).toBe('0');
  } finally {
    await Promise.all(databases.map((database) => database.drop()));
  }
});

async function countUsers(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const result = await client.query<{ readonly count: string }>('select count(*) from users');
  await client.end();
  return result.rows[0]?.count;
}
