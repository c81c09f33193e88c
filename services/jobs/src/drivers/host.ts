import type { ServerInventory } from '@signalbox/contracts/operations/deploy';
import type { Driver } from './driver.ts';

/** The machine of an engine: runs commands and measures what the engine's API does not report. */
export interface EngineHost {
  /** Address on which instances listen and are reached. */
  readonly address: string;
  execute: Driver['execute'];
  /** Measures free memory, and the disk of the folder. Throws TARGET_UNREACHABLE, TARGET_LOST. */
  measure(
    folder: string,
    signal: AbortSignal,
  ): Promise<Pick<ServerInventory, 'memoryFreeMb' | 'diskMb' | 'diskFreeMb'>>;
  endLost?: Driver['endLost'];
  close(): Promise<void>;
}
