import type { Queryable } from '../pool.ts';
import { findRow, hasRow, listRows, listValues, sql } from '../sql.ts';

/** An agent that the workers offer in chats. */
export interface OfferedAgent {
  readonly id: string;
  /** One sentence for people about the agent. */
  readonly summary: string;
  /** True for the agent that answers in a chat where nobody has chosen one. */
  readonly isDefault: boolean;
}

/** Lists the agents, the default agent first. */
export function listAgents(db: Queryable): Promise<readonly OfferedAgent[]> {
  return listRows<OfferedAgent>(db)`
    select id, summary, is_default as "isDefault" from agents order by not is_default, id`;
}

/** Publishes the agents of a worker; they replace those of workers that started earlier. Idempotent. */
export async function publishAgents(
  db: Queryable,
  agents: readonly Pick<OfferedAgent, 'id' | 'summary'>[],
  defaultId: string,
): Promise<void> {
  const [ids, summaries] = [agents.map(({ id }) => id), agents.map(({ summary }) => summary)];
  await db.query(sql`
    with gone as (delete from agents where id <> all (${ids}))
    insert into agents (id, summary, is_default)
    select id, summary, id = ${defaultId} from unnest(${ids}::text[], ${summaries}::text[]) as t (id, summary)
    on conflict (id) do update set summary = excluded.summary, is_default = excluded.is_default, updated_at = now()
      where (agents.summary, agents.is_default) <> (excluded.summary, excluded.is_default)`);
}

/** Finds the agent that answers a person in a chat; null while no worker has started. */
export function findChosenAgent(
  db: Queryable,
  { userKey, chatKey }: { readonly userKey: string; readonly chatKey: string },
): Promise<OfferedAgent | null> {
  return findRow<OfferedAgent>(db)`
    select a.id, a.summary, a.is_default as "isDefault" from agents a
      left join chat_agents c on c.agent = a.id and c.user_key = ${userKey} and c.chat_key = ${chatKey}
     where c.agent is not null or a.is_default order by c.agent is null limit 1`;
}

/** Chooses the agent that answers a person in a chat from now on. False, with nothing changed, when no such agent exists. */
export function chooseAgent(
  db: Queryable,
  { userKey, chatKey }: { readonly userKey: string; readonly chatKey: string },
  agentId: string,
): Promise<boolean> {
  return hasRow(db)`
    insert into chat_agents (user_key, chat_key, agent) select ${userKey}, ${chatKey}, id from agents where id = ${agentId}
    on conflict (user_key, chat_key) do update set agent = excluded.agent, chosen_at = now()`;
}

/**
 * Ends the open conversations of a person in a chat with agents that no worker offers any more, such as those of a removed plug-in.
 * Returns the ids of the agents; empty when called again.
 */
export function endOrphanedThreads(
  db: Queryable,
  { userKey, chatKey }: { readonly userKey: string; readonly chatKey: string },
): Promise<readonly string[]> {
  return listValues<string>(db)`
    update threads set status = 'expired', awaiting = false, ended_at = now(), announced = true
     where user_key = ${userKey} and chat_key = ${chatKey} and status = 'open' and agent not in (select id from agents)
    returning agent`;
}
