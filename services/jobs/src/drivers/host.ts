import type { HostInventory } from '@signalbox/contracts/operations/deploy';
import type { Driver } from './driver.ts';

/** The machine of an engine: runs commands and measures what the engine's API does not report. */
export interface EngineHost {
  /** Address on which instances listen and are reached. */
  readonly address: string;
  execute: Driver['execute'];
  /** Measures free memory, and the disk of the folder. Throws TARGET_UNREACHABLE, TARGET_LOST. */
  measure(folder: string, signal: AbortSignal): Promise<Pick<HostInventory, 'memoryFreeMb' | 'diskMb' | 'diskFreeMb'>>;
  endLost?: Driver['endLost'];
  close(): Promise<void>;
}
