import type { Pool } from '@signalbox/store/pool';
import { listRows } from '@signalbox/store/sql';
import type { FromPerson } from './choice.ts';

export type Languages = ReturnType<typeof createLanguages>;

/** Another gateway may have heard a choice: so long this one may not know of it. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

interface Known {
  readonly client: string | null;
  readonly language: string | null;
  readonly untilMs: number;
}

/**
 * What people read: the language that they chose with /language, else that of their client. Remembers what clients say of
 * their language in the table of people, where it changed.
 */
export function createLanguages(pool: Pool) {
  const known = new Map<string, Known>();
  const isKnown = ({ userKey, language }: FromPerson): boolean => {
    const one = known.get(userKey);
    return one !== undefined && one.untilMs > Date.now() && (language === undefined || one.client === language);
  };
  const look = async (updates: readonly FromPerson[]): Promise<void> => {
    const clients = new Map<string, string | null>(updates.map(({ userKey, language }) => [userKey, language ?? null]));
    const rows = await listRows<{ userKey: string; client: string | null; language: string | null }>(pool)`
       with seen as (select * from unnest(${[...clients.keys()]}::text[], ${[...clients.values()]}::text[]) as s (user_key, code)),
            changed as (update users u set client_language = s.code from seen s
                         where u.user_key = s.user_key and s.code is not null and u.client_language is distinct from s.code)
       select s.user_key as "userKey", s.code as client, coalesce(u.language, s.code, u.client_language) as language
         from seen s left join users u on u.user_key = s.user_key`;
    if (known.size > MAX_REMEMBERED) known.clear();
    const untilMs = Date.now() + REMEMBERED_MS;
    for (const { userKey, ...one } of rows) known.set(userKey, { ...one, untilMs });
  };
  return {
    /** The language of each sender, by person; null when nobody knows. One round trip, and for people who wrote lately none. */
    async of(updates: readonly FromPerson[]): Promise<ReadonlyMap<string, string | null>> {
      const unknown = updates.filter((update) => !isKnown(update));
      if (unknown.length > 0) await look(unknown);
      return new Map(updates.map(({ userKey }) => [userKey, known.get(userKey)?.language ?? null]));
    },
    /** Somebody chose another one. */
    forget: () => known.clear(),
  };
}
