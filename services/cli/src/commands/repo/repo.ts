import { runVerb, type CommandContext, type Report } from '../../command.ts';
import { listAgents, runScan, runChain, listRuns } from './chains.ts';
import { acceptFinding, listFindings, reopenFinding } from './findings.ts';
import { runBaseline } from './baselines.ts';
import { listRepositories } from './overview.ts';
import { listRelations } from './relations.ts';
import { listSnapshots, makeSnapshot, rollback, verifyRegistry } from './snapshots.ts';
import { tagProject } from './tags.ts';

/** Repositories under governance: chains, findings, baselines, snapshots. */
export function runRepo(context: CommandContext): Promise<Report> {
  const [first = '', ...rest] = context.arguments.words;
  if (first === 'baseline') return runBaseline({ ...context, arguments: { ...context.arguments, words: rest } });
  const verbs = {
    scan: { words: 1, run: runScan },
    chain: { words: 2, run: runChain },
    runs: { words: 1, run: listRuns },
    agents: { words: 0, run: listAgents },
    findings: { words: 1, run: listFindings },
    accept: { words: 2, run: acceptFinding },
    reopen: { words: 2, run: reopenFinding },
    snapshot: { words: 1, run: makeSnapshot },
    snapshots: { words: 1, run: listSnapshots },
    rollback: { words: 2, run: rollback },
    list: { words: 0, run: listRepositories },
    tag: { words: 2, run: tagProject },
    relations: { words: 1, run: listRelations },
    verify: { words: 0, run: verifyRegistry },
  };
  return runVerb(context, verbs);
}
