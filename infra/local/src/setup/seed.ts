import { loadPlugins } from '@signalbox/plugins/load-plugins';
import pg from 'pg';

/** People of the Telegram simulator who get a role. Zoe (1009) gets none. */
const PEOPLE = [
  { id: '1001', name: 'Ada', role: 'admin' },
  { id: '1002', name: 'Ben', role: 'developer' },
  { id: '1003', name: 'Cleo', role: 'operator' },
  { id: '1004', name: 'Dara', role: 'operator' },
  { id: '1005', name: 'Eli', role: 'viewer' },
] as const;

/** Gives roles to the simulator's people and lets plug-ins add demo data. Existing users keep their name and role. */
export async function seedSimulatorPeople(databaseUrl: string, agents: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 30_000 });
  await client.connect();
  try {
    for (const { id, name, role } of PEOPLE) {
      const values = [id, 'telegram', name, role];
      const insert = 'insert into users (user_key, channel, name, role) values ($1, $2, $3, $4) on conflict do nothing';
      await client.query(insert, values);
    }
    const userKeys = PEOPLE.map(({ id }) => id);
    for (const { seedDemo } of await loadPlugins(agents)) await seedDemo?.(client, userKeys);
  } finally {
    await client.end();
  }
}
