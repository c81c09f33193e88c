/**
 * Any number: Postgres clones no template that another session is connected to. Whoever clones it or brings it up to date holds this lock,
 * also in another run of this checkout.
 */
export const CLONE_LOCK = 7_203_118;
