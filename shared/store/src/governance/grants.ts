import type { ProposedAction } from '@signalbox/contracts/governance/action';
import type { Queryable } from '../pool.ts';
import { findRow, listRows, sql } from '../sql.ts';

/** A permission that is given in advance: one tool with exactly these arguments, in one place, for a limited time and number of uses. */
export interface Grant {
  readonly grantId: string;
  readonly userKey: string;
  readonly tool: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly givenBy: string;
  readonly usesLeft: number;
  readonly expiresAt: Date;
}

/** Properties in which an action must equal the approved action for the grant to cover it, besides tool and arguments. */
export type GrantScope = Pick<ProposedAction, 'agent' | 'chatKey' | 'environment' | 'resources' | 'toolVersion'>;

/** Returns the properties of an action that are compared with a grant. */
export function toGrantScope({ agent, chatKey, environment, resources, toolVersion }: GrantScope): GrantScope {
  return { agent, chatKey, environment, resources, toolVersion };
}

const COLUMNS = sql`grant_id as "grantId", user_key as "userKey", tool, match, given_by as "givenBy", uses_left as "usesLeft",
  expires_at as "expiresAt"`;

export async function putGrant(
  db: Queryable,
  grant: Omit<Grant, 'usesLeft' | 'expiresAt'> & {
    readonly approvalId: string | null;
    readonly place: GrantScope;
    readonly uses: number;
    readonly validMs: number;
  },
): Promise<void> {
  await db.query(sql`
    insert into grants (grant_id, user_key, tool, match, given_by, approval_id, uses_left, max_uses, expires_at, place)
     values (${grant.grantId}, ${grant.userKey}, ${grant.tool}, ${JSON.stringify(grant.match)}::jsonb, ${grant.givenBy},
       ${grant.approvalId}, ${grant.uses}, ${grant.uses}, clock_timestamp() + ${grant.validMs} * interval '1 ms',
       ${JSON.stringify(toGrantScope(grant.place))}::jsonb)`);
}

/** Lists the grants that can still be used, newest first. */
export function listGrants(db: Queryable): Promise<readonly Grant[]> {
  return listRows<Grant>(db)`
    select ${COLUMNS} from grants where revoked_at is null and uses_left > 0 and expires_at > now() order by given_at desc limit 50`;
}

/** Revokes a grant. Null when the id is unknown or the grant was already revoked. */
export function revokeGrant(db: Queryable, grantId: string, by: string): Promise<Grant | null> {
  return findRow<Grant>(db)`update grants set revoked_at = now(), revoked_by = ${by}
      where grant_id = ${grantId} and revoked_at is null
      returning ${COLUMNS}`;
}
