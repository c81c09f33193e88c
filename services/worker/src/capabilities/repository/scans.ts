import { z } from 'zod';
import type { ChainName } from '@signalbox/contracts/repository/chains';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { sayChain, sayChainResult } from '@signalbox/analysis/reports/say-findings';
import { say } from '@signalbox/messages/say';
import { READ_DEFAULTS, tool, withFiles } from '../../tools/tool.ts';
import { createFindingButtons, FINDING_ORIGINS } from '../../tools/shown-findings.ts';
import { createDocumentFiles, createReportFiles } from './report-files.ts';

/** The time that a tool waits for a scan, most of a turn's deadline; a longer scan reports its own end. */
const DEADLINE_MS = 50_000;

/** Creates a tool that runs one chain of scans over the main branch. The chain reads the repository and never runs its code. */
export function createChainTool(chain: ChainName, describe: string, hints: readonly string[]) {
  return tool({
    describe,
    hints,
    input: z.object({ project: ProjectName }),
    ...READ_DEFAULTS,
    resources: ({ project }) => [`project:${project}`],
    deadlineMs: DEADLINE_MS,
    run: async ({ project }, context) => {
      await context.ports.projects.get(project);
      const worked = await context.work('repository.chain', { project, chain, ref: 'HEAD', isDry: false });
      if (worked.kind === 'goes-on') return { state: 'goes-on' as const };
      const output = { state: 'done' as const, ...worked.result };
      if (output.status !== 'completed') return output;
      const isWorthAReport = output.total > output.top.length;
      const files = [
        ...(await createDocumentFiles(context.ports, output)),
        ...(isWorthAReport ? await createReportFiles(context.ports, output, context.now()) : []),
      ];
      return files.length === 0 ? output : withFiles(output, files);
    },
    phrases: {
      done: (result, { project }) =>
        result.state === 'goes-on'
          ? say('findings.goesOn', { chain: sayChain(chain), project })
          : sayChainResult(result),
      next: (result, { project }) => (result.state === 'done' ? createFindingButtons(project, result.top) : []),
    },
  }).from({
    state: 'runtime',
    status: 'runtime',
    chain: 'runtime',
    runId: 'runtime',
    project: 'name',
    commit: 'runtime',
    counts: 'runtime',
    total: 'runtime',
    isDry: 'runtime',
    isFirst: 'runtime',
    top: FINDING_ORIGINS,
    facts: 'outside',
    left: 'outside',
    problem: 'outside',
    unseen: 'outside',
  });
}
