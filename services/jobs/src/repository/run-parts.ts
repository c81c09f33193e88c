import type { ChainName } from '@signalbox/contracts/repository/chains';
import type { Log } from '@signalbox/platform/log';
import type { Pool } from '@signalbox/store/pool';
import type { ChainRun, createChainRuns } from '@signalbox/store/repository/chain-runs';
import type { createFindings } from '@signalbox/store/repository/findings';
import type { ScanPlace } from './scan/request.ts';
import type { ScanProcess } from './scan/scan-process.ts';
import type { ScannedCommit } from './scan/view.ts';

/** What running chains needs. */
export interface ChainParts {
  readonly pool: Pool;
  readonly runs: ReturnType<typeof createChainRuns>;
  readonly findings: ReturnType<typeof createFindings>;
  readonly log: Log;
  /** Where git is found. */
  readonly path: string;
  /** Starts a process for the scans of a commit. */
  startScan(place: ScanPlace, signal: AbortSignal): Pick<ScanProcess, 'open' | 'scan' | 'close'>;
}

/** A run that is under way. */
export interface RunHandle extends ScannedCommit {
  readonly run: ChainRun;
  readonly chain: ChainName;
  /** The mirror that has the commit. */
  readonly mirror: string;
  /** A process for its scans that starts already. Whoever started it closes it. */
  readonly started?: ReturnType<ChainParts['startScan']> | null;
  /** Who is told of in the audit. */
  readonly actor: string;
  readonly threadId: string | null;
  readonly before: ChainRun | null;
  readonly signal: AbortSignal;
}
