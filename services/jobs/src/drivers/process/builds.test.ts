import { expect, it } from 'vitest';
import { readReason } from './builds.ts';

it.each([
  ['ERROR: No matching distribution found for flaskk==9', 'No matching distribution found for flaskk==9'],
  ['error: could not compile `tut`', 'could not compile `tut`'],
  [
    'npm error request to https://registry.npmjs.org/pnpm failed, reason: x',
    'request to https://registry.npmjs.org/pnpm failed, reason: x',
  ],
  ['Error: Unsupported Node.js version: v26.', 'Unsupported Node.js version: v26'],
])('a failed build names the line that says why: %s', (line, reason) => {
  expect(readReason(line)).toBe(reason);
});

it.each([
  'npm error code E404',
  "npm error notarget In most cases you or one of your dependencies are requesting a package version that doesn't exist.",
  'npm error A complete log of this run can be found in: /x',
  'errors: 0',
  'built in 3 s',
])('a failed build names no line that says nothing: %s', (line) => {
  expect(readReason(line)).toBeNull();
});
