import { expect, it } from 'vitest';
import { acceptFinding, reopenFinding } from './repository/findings.ts';
import workspace from './workspace.ts';

const { write_file, apply_diff, run_command } = workspace.tools;
const FINDING = { findingId: '4', status: 'open', acceptedReason: 'fine', acceptedUntil: null };
const RAN = { state: 'done', exitCode: 0, killed: null, output: 'hi', cut: false };

it.each([
  [write_file, { state: 'done', path: 'a.txt', sizeBytes: 1, created: true }, { path: 'a.txt', content: 'a' }],
  [apply_diff, { state: 'done', files: [] }, { diff: 'a' }],
  [run_command, RAN, { command: 'ls' }],
  [acceptFinding, FINDING, { finding: 4, reason: 'fine' }],
  [reopenFinding, FINDING, { finding: 4 }],
])('what a change says names the project that it changed (%#)', (tool, output, input) => {
  expect(tool?.done(output, { ...input, project: 'tea-shop' })).toContain('tea-shop');
});
