import { tryOr } from './system-error.ts';

/** Kills the whole process group of a child that was started detached. Does nothing when the group is already gone. */
export function killGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid !== undefined) tryOr(() => process.kill(-pid, 'SIGKILL'), false);
}
