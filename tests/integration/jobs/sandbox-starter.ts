import { findBubblewrap } from '@signalbox/jobs/sandbox/program';
import { openSandbox } from '@signalbox/jobs/sandbox/sandbox';

// A process of its own that runs a long command in a sandbox until it is killed. Everything it needs comes as arguments.
const [workspace = '', mark = '', path = '', file, libraryPath] = process.argv.slice(2);
const sandbox = await openSandbox({ program: findBubblewrap({ file, libraryPath, path }) });
await sandbox.runShell(`sleep ${mark} & sleep ${mark}`, {
  workspace,
  writable: 'all',
  cwd: '.',
  deadlineMs: 60_000,
  signal: new AbortController().signal,
});
