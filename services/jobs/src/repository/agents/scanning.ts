import { z } from 'zod';
import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import type { RepositoryAgent } from './agent.ts';

/** What an agent that scans hands on: figures, and what its analyzers summed up, by name. The findings themselves are in the registry. */
export const Scanned = z.object({
  findings: z.record(z.enum(SEVERITIES), z.number().int()),
  summaries: z.record(z.string(), z.json()),
});
export type Scanned = z.infer<typeof Scanned>;

/** An agent that does nothing but scan. */
export function scanningAgent(...analyzers: readonly string[]): RepositoryAgent<unknown, Scanned> {
  return {
    input: z.unknown(),
    output: Scanned,
    analyzers,
    run: (_, { conclusions }) => {
      const found = Object.values(conclusions).flatMap((one) => one.found);
      const count = (severity: string): number => found.filter((one) => one.severity === severity).length;
      return {
        findings: Object.fromEntries(SEVERITIES.map((severity) => [severity, count(severity)])) as Scanned['findings'], // made of all severities
        summaries: Object.fromEntries(
          Object.entries(conclusions).map(([name, { summary }]) => [
            name,
            summary as z.infer<ReturnType<typeof z.json>>, // facts are JSON
          ]),
        ),
      };
    },
  };
}
