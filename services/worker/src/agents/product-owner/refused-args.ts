/** Key that marks refused arguments, so that a resumed turn still knows the reason. */
const REFUSED = 'refused_arguments';

export function createRefusedArgs(why: string): Record<string, unknown> {
  return { [REFUSED]: why };
}

/** Returns the reason why the arguments of a call were refused; null when they were not refused. */
export function getRefusal(args: Readonly<Record<string, unknown>>): string | null {
  const why = args[REFUSED];
  return typeof why === 'string' ? why : null;
}
