import type { Pool } from '@signalbox/store/pool';
import type { Log } from '@signalbox/platform/log';
import type { Draft } from '@signalbox/platform/streams/drafts';
import type { Agent, AgentPlugin } from '../agents/agent.ts';
import type { ChoiceParts } from '../tools/choices.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import type { FetchFile } from './pictures.ts';
import type { AccountParts } from './turn-account.ts';
import type { TurnTracing } from './turn-trace.ts';

/** What turns are made with; worker.ts puts it together. */
export interface TurnParts {
  readonly pool: Pool;
  readonly log: Log;
  readonly plugin: Pick<AgentPlugin, 'id' | 'class' | 'turnLists'>;
  readonly agent: Agent;
  readonly checkpoints: Pick<Checkpoints, 'open' | 'close' | 'flush' | 'pending' | 'stored'>;
  /** Carries calls, decisions and the buttons of the runtime. */
  readonly governance: GovernanceDeps;
  /** Where the choices that a question offers are looked up. */
  readonly choices: ChoiceParts;
  /** What the account of a turn is made from. */
  readonly account: AccountParts;
  readonly settings: {
    readonly worker: string;
    readonly idleMs: number;
    /** Most rounds of model and tools in one turn. */
    readonly maxPasses: number;
  };
  /** Where the spans of turns go. */
  readonly tracing: TurnTracing;
  /** Fetches a file that a person sent from the gateway that has their channel. */
  readonly fetchFile: FetchFile;
  /** Shows what is being written to whoever listens. Never rejects. */
  publishDraft(draft: Draft): Promise<void>;
}
