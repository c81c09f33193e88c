import type { Rules } from './rule.ts';

/** By analyzer and rule: `secrets/private-key`. */
export const DEPENDENCIES_RULES = {} satisfies Rules;
