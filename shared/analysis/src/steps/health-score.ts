import { z } from 'zod';
import { limitScore, scoreHealth, ScorePart, type ScoredSummaries } from './score.ts';
import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import { UnreadFiles } from '@signalbox/contracts/repository/unread';
import type { AnalysisStep } from './step.ts';
import { countBySeverity, listUnread, SeverityCounts } from './scanning.ts';

export const HealthOutput = z.object({
  findings: SeverityCounts,
  unread: z.array(UnreadFiles).default([]),
  /** Open findings of all chains by severity, which limit the score. */
  open: z.partialRecord(z.enum(SEVERITIES), z.number().int()).default({}),
  score: z.number().int().min(0).max(100),
  parts: z.array(z.object({ part: ScorePart, weight: z.number(), score: z.number().nullable() })),
});

/** Scores the health of a repository from the summaries of four analyzers. */
export const healthScoreStep: AnalysisStep<unknown, z.infer<typeof HealthOutput>> = {
  input: z.unknown(),
  output: HealthOutput,
  analyzers: ['health', 'code', 'duplicates', 'documentation'],
  run: async (_, { conclusions, now, allFindings }) => {
    const summaries = Object.fromEntries(Object.entries(conclusions).map(([name, { summary }]) => [name, summary]));
    // Each summary is stored under the name of its analyzer.
    const { score, parts } = scoreHealth(summaries as unknown as ScoredSummaries, now().getTime() / 1_000);
    // What this step just found replaces what its analyzers found before.
    const others = (await allFindings()).filter(({ rule }) => !Object.hasOwn(conclusions, rule.split('/')[0] ?? ''));
    const all = [...others, ...Object.values(conclusions).flatMap(({ found }) => found)];
    const open = Object.fromEntries(
      SEVERITIES.map((severity) => [severity, all.filter((one) => one.severity === severity).length]),
    );
    return {
      findings: countBySeverity(conclusions),
      unread: listUnread(conclusions),
      open,
      score: limitScore(score, open),
      parts: [...parts],
    };
  },
};
