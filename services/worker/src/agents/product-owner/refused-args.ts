/** Replaces invalid arguments of a call, so that a resumed turn still knows the reason. */
const REFUSED = 'refused_arguments';

/** The arguments of a call that will be refused, replaced by the reason. */
export function createRefusedArgs(why: string): Record<string, unknown> {
  return { [REFUSED]: why };
}

/** Why the arguments of a call were refused; null when they were not. */
export function whyRefused(args: Readonly<Record<string, unknown>>): string | null {
  const why = args[REFUSED];
  return typeof why === 'string' ? why : null;
}
