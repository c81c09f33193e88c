import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { getServiceRole } from '@signalbox/store/migrations/service-rights';
import type { Pool } from '@signalbox/store/pool';

/** The schema of the checkpoint tables, as LangGraph's Postgres saver creates them. */
export const CHECKPOINT_SCHEMA = 'langgraph';
/** An arbitrary number that differs from the product's other advisory locks. */
const SETUP_LOCK = 7_270_011;

/** Creates the checkpoint tables as their owner, and grants the worker access. Concurrent migrations are safe. */
export async function createCheckpointTables(owner: Pool): Promise<void> {
  const client = await owner.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [SETUP_LOCK]);
    await new PostgresSaver(owner, undefined, { schema: CHECKPOINT_SCHEMA }).setup();
    await client.query('select number_checkpoints()');
    const { rows: roles } = await client.query<{ rolname: string }>(
      `select rolname from pg_roles where rolname in ('signalbox_app', '${getServiceRole('worker')}')`,
    );
    for (const { rolname } of roles) {
      await client.query(`grant usage on schema ${CHECKPOINT_SCHEMA} to ${rolname}`);
      await client.query(
        `grant select, insert, update, delete on all tables in schema ${CHECKPOINT_SCHEMA} to ${rolname}`,
      );
    }
  } finally {
    client.release(true); // the session's end releases the lock
  }
}
