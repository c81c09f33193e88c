import type { ChainDeps } from '@signalbox/analysis/chain/chain-deps';
import { sayChainResult } from '@signalbox/analysis/reports/say-findings';
import { say } from '@signalbox/messages/say';
import { openEmbedder } from '@signalbox/models/embeddings/settings';
import type { RegisterClosable } from '@signalbox/platform/lifecycle';
import type { Redis } from '@signalbox/platform/redis';
import type { Pool } from '@signalbox/store/pool';
import type { Log } from '@signalbox/platform/log';
import { sayChange } from '../engineering/say-change.ts';
import type { JobsConfig } from '../config.ts';
import { createCodeIndexHandler } from '../knowledge/code-index.ts';
import { createCodeStore } from '../knowledge/code-store.ts';
import { createEmbedHandler } from '../knowledge/embed-passages.ts';
import type { HandlerOf, PoolHandlers } from '../runner/handlers.ts';

/**
 * Creates the handlers that read untrusted repositories and make changes of them. Loads their modules with the first job, to keep idle
 * processes small.
 */
export function createAnalysisHandlers(
  own: RegisterClosable,
  config: JobsConfig,
  { pool, redis }: { readonly pool: Pool; readonly redis: Redis },
  log: Log,
): PoolHandlers<'analysis'> {
  let opened: Promise<HandlerOf<'repository.chain'>> | null = null;
  const code = createCodeIndexHandler({ store: createCodeStore(pool), path: config.PATH });
  let changing: Promise<HandlerOf<'engineering.change'>> | null = null;
  return {
    'repository.chain': {
      title: () => say('jobs.repositoryChain'),
      run: async (payload, context) => (await (opened ??= openChain(config, pool, log))).run(payload, context),
      say: sayChainResult,
    },
    'knowledge.code': code,
    'knowledge.embed': createEmbedHandler({
      pool,
      embedder: openEmbedder(config),
      texts: config.EMBEDDINGS_TEXTS,
      patienceMs: config.EMBEDDINGS_TIMEOUT_MS,
    }),
    'engineering.change': {
      title: () => say('engineering.job'),
      run: async (payload, context) => {
        changing ??= import('../engineering/open-engineering.ts').then(({ openEngineering }) =>
          openEngineering(own, config, { pool, redis }, log),
        );
        return (await changing).run(payload, context);
      },
      say: sayChange,
    },
  };
}

async function openChain(config: JobsConfig, pool: Pool, log: Log): Promise<HandlerOf<'repository.chain'>> {
  const [{ createRepositoryChainHandler }, startScan] = await Promise.all([
    import('./repository-chain.ts'),
    openScans(config, log),
  ]);
  return createRepositoryChainHandler(pool, { log, path: config.PATH, startScan });
}

async function openScans(config: JobsConfig, log: Log): Promise<ChainDeps['startScan']> {
  const [{ ScanProcess }, { openScanSandbox }, { findRepositoryBubblewrap, findConfinement }, { openAdvisorySource }] =
    await Promise.all([
      import('@signalbox/analysis/scan/scan-process'),
      import('../sandbox/scan-room.ts'),
      import('../sandbox/find-confinement.ts'),
      import('@signalbox/analysis/advisories/open-advisories'),
    ]);
  const cell = openScanSandbox(findRepositoryBubblewrap(config, await findConfinement(config, log)));
  const advisories = openAdvisorySource({ folder: config.OSV_DIR, address: config.OSV_URL });
  return (place, signal) => new ScanProcess(place, { cell, advisories, signal });
}
