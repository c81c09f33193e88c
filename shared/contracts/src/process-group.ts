import { tryOr } from './system-error.ts';

/** Kills the process group of a child process that was started detached. Does nothing when the group has already ended. */
export function killGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid !== undefined) tryOr(() => process.kill(-pid, 'SIGKILL'), false);
}
