import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { openSandbox } from '@signalbox/jobs/sandbox/sandbox';

// A process of its own that runs a long command in a sandbox until it is killed: workspace and mark come as arguments.
const { BWRAP_PATH: file, BWRAP_LIBRARY_PATH: libraryPath, PATH: path = '' } = process.env;
const [workspace = '', mark = ''] = process.argv.slice(2);
const sandbox = await openSandbox({ program: findBubblewrap({ file, libraryPath, path }) });
await sandbox.runShell(`sleep ${mark} & sleep ${mark}`, {
  workspace,
  writable: 'all',
  cwd: '.',
  deadlineMs: 60_000,
  signal: new AbortController().signal,
});
