import { dirname } from 'node:path';
import { getSystemCode } from '@signalbox/contracts/system-error';

const REASONS: Readonly<Record<string, string>> = {
  EROFS: 'its file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the disk space that this user may have is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a part of the path is a file',
};

/** Describes an error for the terminal, with a remedy for an unwritable folder. Unexpected errors are bugs and keep their stack. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'SetupError' || error.name === 'AppError') return error.message;
  const code = getSystemCode(error);
  const reason = REASONS[code];
  const path = 'path' in error ? error.path : null;
  if (reason === undefined || typeof path !== 'string') return error.stack ?? error.message;
  return [
    `${dirname(path)} cannot be written: ${reason}.`,
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'Make room there, or set SIGNALBOX_DATA_DIR to a folder that has some. Nothing is lost: the next start goes on where this one was.'
      : 'Make it writable, or set SIGNALBOX_DATA_DIR to a folder that is.',
  ].join('\n');
}
