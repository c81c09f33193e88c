import type { Pool } from '@signalbox/store/pool';
import { listRows } from '@signalbox/store/sql';
import { DEFAULT_LANGUAGE, toLanguage } from '@signalbox/messages/language';
import type { PersonUpdate } from './choice.ts';

export type LanguageCache = ReturnType<typeof createLanguageCache>;

/** The longest time until a language change at another gateway is noticed here. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

interface KnownLanguage {
  readonly client: string | null;
  readonly language: string | null;
  /** True for a person with a role who has not chosen a language. */
  readonly isOpen: boolean;
  readonly untilMs: number;
}

/** Knows each person's language: their own (see `adopt-language.ts`), else their client's, which is stored in `users` when it changes. */
export function createLanguageCache(pool: Pool) {
  const known = new Map<string, KnownLanguage>();
  const isKnown = ({ userKey, language }: PersonUpdate): boolean => {
    const one = known.get(userKey);
    return one !== undefined && one.untilMs > Date.now() && (language === undefined || one.client === language);
  };
  const fetchLanguages = async (updates: readonly PersonUpdate[]): Promise<void> => {
    const clients = new Map<string, string | null>(updates.map(({ userKey, language }) => [userKey, language ?? null]));
    const rows = await listRows<Omit<KnownLanguage, 'untilMs'> & { userKey: string }>(pool)`
       with seen as (select * from unnest(${[...clients.keys()]}::text[], ${[...clients.values()]}::text[]) as s (user_key, code)),
            changed as (update users u set client_language = s.code from seen s
                         where u.user_key = s.user_key and s.code is not null and u.client_language is distinct from s.code)
       select s.user_key as "userKey", s.code as client, coalesce(u.language, s.code, u.client_language) as language,
              u.user_key is not null and u.language is null and not u.is_program as "isOpen"
         from seen s left join users u on u.user_key = s.user_key`;
    if (known.size > MAX_REMEMBERED) known.clear();
    const untilMs = Date.now() + REMEMBERED_MS;
    for (const { userKey, ...one } of rows) known.set(userKey, { ...one, untilMs });
  };
  return {
    /** The language of each sender by user key; null when unknown. Queries only for senders not seen recently. */
    async findLanguages(updates: readonly PersonUpdate[]): Promise<ReadonlyMap<string, string | null>> {
      const unknown = updates.filter((update) => !isKnown(update));
      if (unknown.length > 0) await fetchLanguages(unknown);
      return new Map(updates.map(({ userKey }) => [userKey, known.get(userKey)?.language ?? null]));
    },
    /** True when a person reads English only because nothing else is known of them. For people found by `findLanguages`. */
    isUndecided(userKey: string): boolean {
      const one = known.get(userKey);
      return one?.isOpen === true && (toLanguage(one.language) ?? DEFAULT_LANGUAGE) === DEFAULT_LANGUAGE;
    },
    forget: () => known.clear(),
  };
}
