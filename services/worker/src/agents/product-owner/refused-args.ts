/** Marks refused arguments, so that a resumed turn still knows the reason. */
const REFUSED = 'refused_arguments';

export function createRefusedArgs(why: string): Record<string, unknown> {
  return { [REFUSED]: why };
}

/** The reason why a call's arguments were refused; null when they were not. */
export function getRefusal(args: Readonly<Record<string, unknown>>): string | null {
  const why = args[REFUSED];
  return typeof why === 'string' ? why : null;
}
