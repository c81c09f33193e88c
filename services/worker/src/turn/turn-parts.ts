import type { Pool } from '@signalbox/store/pool';
import type { Log } from '@signalbox/platform/log';
import type { Draft } from '@signalbox/platform/streams/drafts';
import type { Agent, AgentPlugin } from '../agents/agent.ts';
import type { ChoiceDeps } from '../tools/choices.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import type { KeepDeps } from '../attachments/keep-attachments.ts';
import type { FetchFile } from '../attachments/pictures.ts';
import type { TurnReportDeps } from './turn-account.ts';
import type { TurnTracing } from './turn-trace.ts';

/** Dependencies of turns; worker.ts creates them. */
export interface TurnDeps {
  readonly pool: Pool;
  readonly log: Log;
  readonly plugin: Pick<AgentPlugin, 'id' | 'class' | 'turnLists'>;
  readonly agent: Agent;
  readonly checkpoints: Pick<Checkpoints, 'open' | 'close' | 'flush' | 'pending' | 'stored'>;
  readonly governance: GovernanceDeps;
  readonly choices: ChoiceDeps;
  readonly account: TurnReportDeps;
  readonly settings: {
    readonly worker: string;
    readonly idleMs: number;
    readonly maxPasses: number;
  };
  readonly tracing: TurnTracing;
  readonly fetchFile: FetchFile;
  /** Puts files of people into the folder of their conversation. */
  readonly attachments: Omit<KeepDeps, 'fetchFile'>;
  /** Shows an unfinished text. Never rejects. */
  publishDraft(draft: Draft): Promise<void>;
}
