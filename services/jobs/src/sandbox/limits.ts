import { MIB } from '@signalbox/contracts/size';

export interface CommandLimits {
  /** Maximum memory of all processes together; without a control group, each process may have 1 GB more. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly fileBytes: number;
  /** Size of /tmp, the home folder and /dev/shm, each in memory. */
  readonly scratchBytes: number;
  readonly openFiles: number;
  /** Maximum stored output; further output is read and dropped, so that the command does not block. */
  readonly outputBytes: number;
}

/** Limits of a command: enough for a build or test run of a small project. */
export const COMMAND_LIMITS: CommandLimits = {
  memoryBytes: 1024 * MIB,
  processes: 128,
  fileBytes: 256 * MIB,
  scratchBytes: 64 * MIB,
  openFiles: 1024,
  outputBytes: 1_000_000,
};
