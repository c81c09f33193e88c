import { sayChainResult } from '@signalbox/messages/rules/say-findings';
import { say } from '@signalbox/messages/say';
import type { Pool } from '@signalbox/store/pool';
import type { Log } from '@signalbox/platform/log';
import type { JobsConfig } from '../config.ts';
import type { ChainParts } from '../repository/run-parts.ts';
import type { HandlerOf, PoolHandlers } from '../runner/handlers.ts';

/** The jobs that read texts of strangers. What they need is loaded with the first of them, so that a process without one is small. */
export function createAnalysisHandlers(config: JobsConfig, pool: Pool, log: Log): PoolHandlers<'analysis'> {
  let opened: Promise<HandlerOf<'repository.chain'>> | null = null;
  return {
    'repository.chain': {
      title: () => say('jobs.repositoryChain'),
      run: async (payload, context) => (await (opened ??= openChain(config, pool, log))).run(payload, context),
      say: sayChainResult,
    },
  };
}

async function openChain(config: JobsConfig, pool: Pool, log: Log): Promise<HandlerOf<'repository.chain'>> {
  const [{ createRepositoryChain }, { createChainRuns }, { createFindings }, startScan] = await Promise.all([
    import('./repository-chain.ts'),
    import('@signalbox/store/repository/chain-runs'),
    import('@signalbox/store/repository/findings'),
    openScans(config, log),
  ]);
  const [runs, findings] = [createChainRuns(pool), createFindings(pool)];
  return createRepositoryChain({ pool, runs, findings, log, path: config.PATH, startScan });
}

/** What starts the process of a scan, locked in where the machine can. */
async function openScans(config: JobsConfig, log: Log): Promise<ChainParts['startScan']> {
  const [{ ScanProcess }, { openScanCell }, { cellProgram, findConfinement }, { openAdvisories }] = await Promise.all([
    import('../repository/scan/scan-process.ts'),
    import('../sandbox/scan-room.ts'),
    import('../sandbox/find-confinement.ts'),
    import('../repository/advisories/open-advisories.ts'),
  ]);
  const cell = openScanCell(cellProgram(config, await findConfinement(config, log)));
  const advisories = openAdvisories(config);
  return (place, signal) => new ScanProcess(place, { cell, advisories, signal });
}
