import type { StepName } from '@signalbox/contracts/repository/chains';
import { z } from 'zod';
import { findUnread } from '@signalbox/contracts/repository/unread';
import type { AnalysisStep } from './step.ts';
import { docManagerStep } from './outline-writer.ts';
import { healthScoreStep } from './health-score.ts';
import { nextStepsStep, refactorPlannerStep } from './planning.ts';
import { createScanningStep } from './scanning.ts';
import { orderForChain } from '../reports/chain-order.ts';
import { sayReport, type ReportedFinding } from '../reports/report.ts';
import { toSarif } from '../reports/sarif.ts';

const Report = z.object({ documents: z.array(z.string()), findings: z.number().int() });

/** Writes open findings as Markdown for people, and as SARIF for tools. */
const reportWriter: AnalysisStep<Readonly<Record<string, unknown>>, z.infer<typeof Report>> = {
  input: z.record(z.string(), z.unknown()),
  output: Report,
  analyzers: [],
  async run(input, context) {
    const unread = findUnread(Object.values(input));
    const { project, commit, before } = context;
    const open = orderForChain(context.chain, await context.findings());
    const reported: ReportedFinding[] = open.map((one) => ({ ...one, acceptedReason: null }));
    const runs = before ? [before] : [];
    const content = { project, commit, now: context.now(), open: reported, accepted: [], unread, runs };
    await context.write('var/artifacts/report.md', sayReport(content), 'text/markdown; charset=utf-8');
    const exported = open.map((one) => ({ ...one, status: 'open' as const, acceptedReason: null }));
    await context.write(
      'var/artifacts/findings.sarif',
      JSON.stringify(toSarif(project, exported, unread)),
      'application/sarif+json',
    );
    return { documents: ['var/artifacts/report.md', 'var/artifacts/findings.sarif'], findings: open.length };
  },
};

/** Every step that a chain can name. To add a step, add its class to STEP_CLASSES of contracts, and a line here. */
export const STEPS: Readonly<Partial<Record<StepName, AnalysisStep>>> = {
  discovery: createScanningStep('discovery'),
  stack_map: createScanningStep('stack'),
  secrets_and_risk: createScanningStep('secrets', 'risk', 'reports'),
  dependency: createScanningStep('dependencies', 'licences', 'advisories'),
  engineering_principles: createScanningStep('code', 'duplicates', 'hot-spots'),
  doc_audit: createScanningStep('documentation'),
  health_score: healthScoreStep,
  next_steps: nextStepsStep,
  refactor_planner: refactorPlannerStep,
  doc_manager: docManagerStep,
  report_writer: reportWriter,
};
