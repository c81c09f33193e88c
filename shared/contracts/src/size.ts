/** Number of bytes in a mebibyte, which people see as MB. */
export const MIB = 1024 * 1024;

/** Bytes of a file system: what is free for this process, and that with what is used. */
export interface DiskSpace {
  readonly free: number;
  readonly size: number;
}
