import type { Queryable } from '../pool.ts';
import { listRows } from '../sql.ts';

/** What one person did since a time, so that they can be told of it when a backup from before is restored. */
export interface PersonSince {
  readonly userKey: string;
  readonly name: string;
  readonly messages: readonly string[];
  /** Calls that had an effect, or whose effect is not known. */
  readonly actions: readonly { readonly tool: string; readonly arguments: unknown; readonly status: string }[];
}

/** Lists who wrote, asked or changed something since a time, by name. `MAX_LISTED` of each at most. */
export function listPeopleSince(db: Queryable, since: Date): Promise<readonly PersonSince[]> {
  return listRows<PersonSince & Record<string, unknown>>(db)`
    select * from (
      select u.user_key as "userKey", u.name,
             array(select coalesce(i.envelope ->> 'text', '') from inbox i
                    where i.user_key = u.user_key and i.received_at > ${since} and i.kind = 'message' order by i.id limit ${MAX_LISTED}) as messages,
             coalesce((select jsonb_agg(jsonb_build_object('tool', a.tool, 'arguments', a.arguments, 'status', a.status) order by a.started_at)
                from (select * from actions x where x.user_key = u.user_key and x.started_at > ${since} and x.status in ('done', 'unknown', 'started')
                       order by x.started_at limit ${MAX_LISTED}) a), '[]') as actions
        from users u) people
     where cardinality(messages) > 0 or actions <> '[]' order by name, "userKey"`;
}

const MAX_LISTED = 1_000;
