import { z } from 'zod';
import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import type { AnalyzerResult } from '../analyzer.ts';
import type { AnalysisStep } from './step.ts';

export const SeverityCounts = z.record(z.enum(SEVERITIES), z.number().int());

/** The output of a scanning step: counts, the summary of each analyzer, and files that were too slow to read. */
const Scanned = z.object({
  findings: SeverityCounts,
  summaries: z.record(z.string(), z.json()),
  unread: z.array(z.string()),
});

export function createScanningStep(...analyzers: readonly string[]): AnalysisStep<unknown, z.infer<typeof Scanned>> {
  return {
    input: z.unknown(),
    output: Scanned,
    analyzers,
    run: (_, { conclusions }) => ({
      findings: countBySeverity(conclusions),
      unread: [...new Set(Object.values(conclusions).flatMap(({ unread = [] }) => unread))],
      summaries: Object.fromEntries(
        Object.entries(conclusions).map(([name, { summary }]) => [
          name,
          summary as z.infer<ReturnType<typeof z.json>>, // Facts are JSON
        ]),
      ),
    }),
  };
}

export function countBySeverity(conclusions: Readonly<Record<string, AnalyzerResult>>): z.infer<typeof SeverityCounts> {
  const found = Object.values(conclusions).flatMap((one) => one.found);
  const count = (severity: string): number => found.filter((one) => one.severity === severity).length;
  // Contains every severity
  return Object.fromEntries(SEVERITIES.map((severity) => [severity, count(severity)])) as z.infer<
    typeof SeverityCounts
  >;
}
