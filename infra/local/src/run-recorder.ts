import { sleep } from '@signalbox/contracts/time';
import { writeRun, type RunRecord } from './supervisor/instance.ts';

const RETRY_MS = 2_000;

/** Creates a writer of run.json that retries until it succeeds: a full disk is reported once and stops nothing. The newest record wins. */
export function createRunRecorder(options: {
  readonly dataDir: string;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}): (record: RunRecord) => void {
  const { dataDir, report, signal } = options;
  let newest: RunRecord | null = null;
  let isTrying = false;

  const tryUntilWritten = async (): Promise<void> => {
    isTrying = true;
    while (newest !== null && !signal.aborted) {
      await sleep(RETRY_MS, signal);
      if (tryWrite()) report('what runs is recorded in run.json again');
    }
    isTrying = false;
  };
  const tryWrite = (): boolean => {
    if (newest === null) return true;
    try {
      writeRun(dataDir, newest);
      newest = null;
      return true;
    } catch (error) {
      if (!isTrying) report(`run.json cannot be written, it is tried again: ${String(error)}`);
      return false;
    }
  };
  return (record) => {
    newest = record;
    if (!tryWrite() && !isTrying) void tryUntilWritten();
  };
}
