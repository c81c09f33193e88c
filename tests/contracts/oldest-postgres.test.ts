import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS_FOLDER } from '@signalbox/store/migrations/migration-files';
import { expect, it } from 'vitest';

// The tests run on a newer Postgres than the oldest that docs/operations.md names, 15.
const NEWER = [
  /\b(?<!set )storage (?:external|extended|main|plain)\b/i, // as a part of `create table`: 16
  /\b(?:any_value|random_normal|json_table|json_query|json_value|json_exists|uuidv7)\(/i,
  /\breturning (?:old|new)\.|\bwith (?:inherit|set) (?:true|false)\b|\bgenerated always as \([^;]*\) virtual\b/i,
];

it.each(readdirSync(MIGRATIONS_FOLDER).filter((name) => name.endsWith('.sql')))('%s runs on Postgres 15', (name) => {
  const sql = readFileSync(join(MIGRATIONS_FOLDER, name), 'utf8').replaceAll(/--.*/g, '');
  expect(NEWER.filter((syntax) => syntax.test(sql)).map(String)).toEqual([]);
});
