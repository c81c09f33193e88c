/** The NODE_OPTIONS of a process that takes another time for the right one; its monotonic clock is as it was. */
export function withClock(offMs: number): string {
  const program = `const real=Date;globalThis.Date=class extends real{constructor(...a){a.length?super(...a):super(real.now()+${offMs})}static now(){return(real.now()+${offMs})}}`;
  return `--import=data:text/javascript,${encodeURIComponent(program)}`;
}
