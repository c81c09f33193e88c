import { CHAINS, type ChainName } from '@signalbox/contracts/repository/chains';
import { STEPS } from '@signalbox/analysis/steps/steps';
import type { Pool } from '@signalbox/store/pool';
import { createChainRunStore } from '@signalbox/store/repository/chain-runs';
import { createFindingStore } from '@signalbox/store/repository/findings';
import { createRegistryStore } from '@signalbox/store/repository/registry';
import { createSnapshotStore } from '@signalbox/store/repository/snapshots';

/** What people, the chat and the command line ask of the registry of one project, by name. */
export function questionsOf(
  db: Pool,
  project: string,
  chain: ChainName,
): Readonly<Record<string, () => Promise<unknown>>> {
  const [findings, runs, snapshots] = [createFindingStore(db), createChainRunStore(db), createSnapshotStore(db)];
  const analyzers = CHAINS[chain].flatMap(({ name }) => STEPS[name]?.analyzers ?? []);
  const nextId = (): string => `act_bench_${performance.now()}`;
  const first = async (): Promise<string> =>
    (await findings.list({ project, status: 'open', analyzers }, 1))[0]?.findingId ?? '';
  const decision = (findingId: string) => ({
    project,
    findingId,
    reason: 'known',
    userKey: '1',
    actionId: nextId(),
    threadId: null,
  });
  return {
    'open findings': () => findings.list({ project, status: 'open' }, 11),
    'severe open findings': () => findings.list({ project, status: 'open', from: 'high' }, 11),
    'open findings of a chain': () => findings.list({ project, status: 'open', analyzers }, 11),
    'accepted findings': () => findings.list({ project, status: 'accepted' }, 11),
    'fixed findings': () => findings.list({ project, status: 'fixed' }, 11),
    'all findings': () => findings.list({ project }, 11),
    'one finding': async () => findings.get(project, await first()),
    'a finding that is not there': () => findings.get(project, '999999999').catch(() => null),
    'how many are open': () => findings.count({ project }),
    'how many a chain has open': () => findings.count({ project, analyzers }),
    'what a run changed': () => findings.changedBy(project, 'run-0'),
    'accept and reopen': async () => {
      const findingId = await first();
      await findings.accept({ ...decision(findingId), until: null });
      await findings.reopen(decision(findingId));
    },
    'newest runs': () => runs.list(project, 20),
    'the run before': () => runs.before({ project, chain, startedAt: new Date() }),
    'the steps of a run': () => runs.steps('run-0'),
    'a snapshot of a small project': async () =>
      snapshots.make({ project: 'small', reason: '', userKey: '1', actionId: nextId(), threadId: null }),
    snapshots: () => snapshots.list(project, 10),
    baselines: () => createRegistryStore(db).list({ entityType: 'baseline', project }, 20),
  };
}
