import { z } from 'zod';
import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import { mergeUnread, UnreadFiles } from '@signalbox/contracts/repository/unread';
import type { AnalyzerResult } from '../analyzer.ts';
import type { AnalysisStep } from './step.ts';

export const SeverityCounts = z.record(z.enum(SEVERITIES), z.number().int());

/** Output of a scanning step: finding counts, the summary of each analyzer, and what they did not read. */
const Scanned = z.object({
  findings: SeverityCounts,
  summaries: z.record(z.string(), z.json()),
  unread: z.array(UnreadFiles),
});

export function createScanningStep(...analyzers: readonly string[]): AnalysisStep<unknown, z.infer<typeof Scanned>> {
  return {
    input: z.unknown(),
    output: Scanned,
    analyzers,
    run: (_, { conclusions }) => ({
      findings: countBySeverity(conclusions),
      unread: listUnread(conclusions),
      summaries: Object.fromEntries(
        Object.entries(conclusions).map(([name, { summary }]) => [
          name,
          summary as z.infer<ReturnType<typeof z.json>>, // Facts contain only JSON values
        ]),
      ),
    }),
  };
}

export function listUnread(conclusions: Readonly<Record<string, AnalyzerResult>>): UnreadFiles[] {
  return [...mergeUnread(Object.values(conclusions).flatMap(({ unread = [] }) => unread))];
}

export function countBySeverity(conclusions: Readonly<Record<string, AnalyzerResult>>): z.infer<typeof SeverityCounts> {
  const found = Object.values(conclusions).flatMap((one) => one.found);
  const count = (severity: string): number => found.filter((one) => one.severity === severity).length;
  // The entries contain every severity
  return Object.fromEntries(SEVERITIES.map((severity) => [severity, count(severity)])) as z.infer<
    typeof SeverityCounts
  >;
}
