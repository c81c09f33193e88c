import type { ChallengeStore, Plugin } from './plugin.ts';

/** Joins the challenges of all plug-ins into one store. */
export function joinChallenges(plugins: readonly Plugin[]): ChallengeStore {
  const stores = plugins.flatMap(({ challenges }) => (challenges ? [challenges] : []));
  return {
    async list(db, userKeys) {
      const [first, ...others] = await Promise.all(stores.map((store) => store.list(db, userKeys)));
      const joined = new Map(first);
      for (const [userKey, more] of others.flatMap((found) => [...found]))
        joined.set(userKey, [...(joined.get(userKey) ?? []), ...more]);
      return joined;
    },
    async markSent(db, challengeId, mark) {
      for (const store of stores) if (await store.markSent(db, challengeId, mark)) return true;
      return false;
    },
  };
}
