import type { RepositoryAgentName } from '@signalbox/contracts/repository/chains';
import type { RepositoryAgent } from './agent.ts';
import { docManager } from './outline-writer.ts';
import { healthScore } from './health-score.ts';
import { nextSteps, refactorPlanner } from './planning.ts';
import { reportWriter } from './report-writer.ts';
import { scanningAgent } from './scanning.ts';

/** Every agent that chains name. To add one: its class in the table of contracts, and a line here. */
export const AGENTS: Readonly<Partial<Record<RepositoryAgentName, RepositoryAgent>>> = {
  discovery: scanningAgent('discovery'),
  stack_map: scanningAgent('stack'),
  secrets_and_risk: scanningAgent('secrets', 'risk'),
  dependency: scanningAgent('dependencies', 'licences', 'advisories'),
  engineering_principles: scanningAgent('code', 'duplicates', 'hot-spots'),
  doc_audit: scanningAgent('documentation'),
  health_score: healthScore,
  next_steps: nextSteps,
  refactor_planner: refactorPlanner,
  doc_manager: docManager,
  report_writer: reportWriter,
};
