import { loadTestConfig } from '../support/config.ts';

/** A suite that cannot run here is named with its reason. In CI it has to run, so there the reason is a failure. */
export function reportNotRun(what: string, reason: string): void {
  if (loadTestConfig().ci) throw new Error(`${what} is not tested: ${reason}`);
  console.warn(`\nNOT RUN: ${what}. ${reason}\n`);
}
