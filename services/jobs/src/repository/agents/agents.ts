import type { RepositoryAgentName } from '@signalbox/contracts/repository/chains';
import type { RepositoryAgent } from './agent.ts';
import { reportWriter } from './report-writer.ts';
import { scanningAgent } from './scanning.ts';

/** Every agent that chains name. To add one: its class in the table of contracts, and a line here. */
export const AGENTS: Readonly<Partial<Record<RepositoryAgentName, RepositoryAgent>>> = {
  discovery: scanningAgent('discovery'),
  stack_map: scanningAgent(),
  secrets_and_risk: scanningAgent('secrets'),
  dependency: scanningAgent(),
  engineering_principles: scanningAgent('code', 'duplicates', 'hot-spots'),
  doc_audit: scanningAgent(),
  health_score: scanningAgent(),
  next_steps: scanningAgent(),
  refactor_planner: scanningAgent(),
  doc_manager: scanningAgent(),
  report_writer: reportWriter,
};
