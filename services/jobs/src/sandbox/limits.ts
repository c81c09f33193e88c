import { MIB } from '@signalbox/contracts/size';

/** What one command may use. All of it is per command, not per workspace. */
export interface Limits {
  /** Memory of each process, and of all together where a control group can be had. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Largest file that it may write. */
  readonly fileBytes: number;
  /** Room in /tmp, in the home folder and in /dev/shm, each. It is memory. */
  readonly scratchBytes: number;
  readonly openFiles: number;
  /** Output that is kept; the rest is read and dropped, so that the command does not hang. */
  readonly outputBytes: number;
}

/** Enough for a build or a test run of a small project. */
export const LIMITS: Limits = {
  memoryBytes: 1024 * MIB,
  processes: 128,
  fileBytes: 256 * MIB,
  scratchBytes: 64 * MIB,
  openFiles: 1024,
  outputBytes: 1_000_000,
};
