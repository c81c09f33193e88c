import { z } from 'zod';
import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import type { Conclusion } from '../analyzers/analyzer.ts';
import type { RepositoryAgent } from './agent.ts';

/** How many findings there are of each severity. */
export const Counts = z.record(z.enum(SEVERITIES), z.number().int());

/**
 * What an agent that scans hands on: figures, and what its analyzers summed up, by name, and
 * files that took too long. The findings themselves are in the registry.
 */
const Scanned = z.object({ findings: Counts, summaries: z.record(z.string(), z.json()), unread: z.array(z.string()) });

/** An agent that does nothing but scan. */
export function scanningAgent(...analyzers: readonly string[]): RepositoryAgent<unknown, z.infer<typeof Scanned>> {
  return {
    input: z.unknown(),
    output: Scanned,
    analyzers,
    run: (_, { conclusions }) => ({
      findings: countFound(conclusions),
      unread: [...new Set(Object.values(conclusions).flatMap(({ unread = [] }) => unread))],
      summaries: Object.fromEntries(
        Object.entries(conclusions).map(([name, { summary }]) => [
          name,
          summary as z.infer<ReturnType<typeof z.json>>, // facts are JSON
        ]),
      ),
    }),
  };
}

export function countFound(conclusions: Readonly<Record<string, Conclusion>>): z.infer<typeof Counts> {
  const found = Object.values(conclusions).flatMap((one) => one.found);
  const count = (severity: string): number => found.filter((one) => one.severity === severity).length;
  // Made of all severities.
  return Object.fromEntries(SEVERITIES.map((severity) => [severity, count(severity)])) as z.infer<typeof Counts>;
}
