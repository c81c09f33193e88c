import type { Rules } from './rule.ts';

/** By analyzer and rule: `secrets/private-key`. */
export const QUALITY_RULES = {} satisfies Rules;
