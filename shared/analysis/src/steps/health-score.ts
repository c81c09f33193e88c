import { z } from 'zod';
import { scoreHealth, ScorePart, type ScoredSummaries } from './score.ts';
import { UnreadFiles } from '@signalbox/contracts/repository/unread';
import type { AnalysisStep } from './step.ts';
import { countBySeverity, listUnread, SeverityCounts } from './scanning.ts';

export const HealthOutput = z.object({
  findings: SeverityCounts,
  unread: z.array(UnreadFiles).default([]),
  score: z.number().int().min(0).max(100),
  parts: z.array(z.object({ part: ScorePart, weight: z.number(), score: z.number().nullable() })),
});

/** Scores the health of a repository from the summaries of four analyzers. */
export const healthScoreStep: AnalysisStep<unknown, z.infer<typeof HealthOutput>> = {
  input: z.unknown(),
  output: HealthOutput,
  analyzers: ['health', 'code', 'duplicates', 'documentation'],
  run: (_, { conclusions, now }) => {
    const summaries = Object.fromEntries(Object.entries(conclusions).map(([name, { summary }]) => [name, summary]));
    // Each summary is stored under the name of its analyzer.
    const { score, parts } = scoreHealth(summaries as unknown as ScoredSummaries, now().getTime() / 1_000);
    return { findings: countBySeverity(conclusions), unread: listUnread(conclusions), score, parts: [...parts] };
  },
};
