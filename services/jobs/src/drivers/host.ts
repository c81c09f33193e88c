import type { Inventory } from '@signalbox/contracts/operations/deploy';
import type { Driver } from './driver.ts';

/** The machine that an engine runs on: what the engine's API does not tell is asked there. */
export interface Host {
  /** The address on which instances listen there, and under which they are reached. */
  readonly address: string;
  execute: Driver['execute'];
  /** What is free, and of the disk that holds the folder. Throws TARGET_UNREACHABLE, TARGET_LOST. */
  measure(folder: string, signal: AbortSignal): Promise<Pick<Inventory, 'memoryFreeMb' | 'diskMb' | 'diskFreeMb'>>;
  endLost?: Driver['endLost'];
  close(): Promise<void>;
}
