import type { Role } from '../contracts/roles.ts';
import type { Queryable } from './pool.ts';

export interface User {
  readonly userKey: string;
  readonly channel: string;
  readonly name: string;
  readonly role: Role;
}

/** Lets a person in, or gives them another role. Doing so twice changes nothing. */
export async function putUser(db: Queryable, user: User): Promise<void> {
  await db.query(
    `insert into users (user_key, channel, name, role) values ($1, $2, $3, $4)
     on conflict (user_key) do update set role = excluded.role, name = excluded.name`,
    [user.userKey, user.channel, user.name, user.role],
  );
}

/** Everybody who may speak, oldest first. */
export async function listUsers(db: Queryable): Promise<readonly User[]> {
  const { rows } = await db.query<User>(
    `select user_key as "userKey", channel, name, role from users order by created_at, user_key`,
  );
  return rows;
}

/** Makes a person a stranger again. False when they were one already. */
export async function removeUser(db: Queryable, userKey: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from users where user_key = $1', [userKey]);
  return rowCount === 1;
}
