import type { StepName } from '@signalbox/contracts/repository/chains';
import type { Step } from './step.ts';
import { docManager } from './outline-writer.ts';
import { healthScore } from './health-score.ts';
import { nextSteps, refactorPlanner } from './planning.ts';
import { reportWriter } from './report-writer.ts';
import { scanningStep } from './scanning.ts';

/** Every step that chains name. To add one: its class in STEP_CLASSES of contracts, and a line here. */
export const STEPS: Readonly<Partial<Record<StepName, Step>>> = {
  discovery: scanningStep('discovery'),
  stack_map: scanningStep('stack'),
  secrets_and_risk: scanningStep('secrets', 'risk'),
  dependency: scanningStep('dependencies', 'licences', 'advisories'),
  engineering_principles: scanningStep('code', 'duplicates', 'hot-spots'),
  doc_audit: scanningStep('documentation'),
  health_score: healthScore,
  next_steps: nextSteps,
  refactor_planner: refactorPlanner,
  doc_manager: docManager,
  report_writer: reportWriter,
};
