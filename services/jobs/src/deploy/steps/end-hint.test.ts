import { expect, it } from 'vitest';
import { findEndHint, sayEndHint } from './end-hint.ts';

it.each([
  ["Error: EROFS: read-only file system, rmdir '/app/dist'", 'readOnly', ''],
  ["OSError: [Errno 30] Read-only file system: 'data.db'", 'readOnly', ''],
  ['Error: listen EADDRINUSE: address already in use :::3000', 'taken', '3000'],
  ['OSError: [Errno 98] Address already in use', 'taken', ''],
  ['Error: connect ECONNREFUSED 127.0.0.1:6379', 'unreachable', '127.0.0.1:6379'],
  ["Can't reach database server at `localhost:5432`", 'unreachable', 'localhost:5432'],
  ['error: Environment variable not found: DATABASE_URL.', 'variable', 'DATABASE_URL'],
  ["Error: Cannot find module 'express'", 'package', 'express'],
  ["ModuleNotFoundError: No module named 'flask'", 'package', 'flask'],
])('a program that cannot serve says why: %s', (line, kind, what) => {
  expect(findEndHint(['listening soon', line])).toEqual({ kind, what });
  expect(sayEndHint([line])).toContain(what);
});

it.each(['> node .', 'listening on port 3000', 'SERVER_NAME is demo', 'Cannot find the way'])(
  'a line that says nothing of it gives no advice: %s',
  (line) => {
    expect(sayEndHint([line])).toBe('');
  },
);
