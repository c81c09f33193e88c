import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const SCRIPT = fileURLToPath(new URL('../../infra/local/notices.mjs', import.meta.url));
const Bill = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ name: z.string(), version: z.string() }) }),
  components: z.array(z.object({ name: z.string(), version: z.string(), purl: z.string() })),
});
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      link: z.boolean().default(false),
      resolved: z.string().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
const folder = join(makeTemporaryFolder('notices'), 'new');
let bill: z.output<typeof Bill>;
let notices = '';

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [SCRIPT, folder]);
  bill = Bill.parse(JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')));
  notices = readFileSync(join(folder, 'NOTICES.md'), 'utf8');
}, 60_000);

it('the bill of materials holds everything that services and shared packages depend on, and what that needs', () => {
  const lock = Lock.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))).packages;
  const needed = new Set<string>();
  const waiting = ['gateway', 'worker', 'jobs', 'proxy', 'cli'].map((name) => `services/${name}`);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (needed.has(path)) continue;
    needed.add(path);
    for (const name of Object.keys(lock[path]?.dependencies ?? {})) waiting.push(findInstalled(lock, path, name));
  }
  const listed = new Set(bill.components.map(({ purl }) => decodeURIComponent(purl)));
  const missing = [...needed].filter((path) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    return path.includes('node_modules/') && !listed.has(`pkg:npm/${name}@${lock[path]?.version}`);
  });
  expect(needed.size).toBeGreaterThan(250);
  expect(missing).toEqual([]);
});

it('the bill of materials names what the services need, and no tool of tests or builds', () => {
  const names = bill.components.map(({ name }) => name);
  expect(bill.metadata.component.name).toBe('signalbox');
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'bullmq', 'zod', 'ssh2']));
  expect(names.filter((name) => /^(?:vitest|typescript|prettier|oxlint|knip|playwright-core)$/.test(name))).toEqual([]);
});

it('the notices name the license of every package of others, with its text', () => {
  const others = bill.components.filter(({ purl }) => !purl.includes('%40signalbox/'));
  const titles = new Set([...notices.matchAll(/^## (.+)\n\nLicense: \S/gm)].map(([, title]) => title));
  expect(others.length).toBeGreaterThan(100);
  expect(titles.size).toBe(new Set(others.map(({ purl }) => purl)).size);
  const pg = notices.split(/^## /m).find((part) => part.startsWith('pg '));
  expect(pg).toMatch(/^pg \S+\n\nLicense: MIT\n\n```text\n[^]*Permission is hereby granted/);
});

it('without a folder the script says how it is used, and ends with 2', async () => {
  await expect(promisify(execFile)(process.execPath, [SCRIPT])).rejects.toMatchObject({ code: 2 });
});

/** Where npm put the package that a package at this path asks for: beside it, or in a folder above. */
function findInstalled(lock: z.output<typeof Lock>['packages'], path: string, name: string): string {
  const above = path.split('/node_modules/');
  for (let depth = above.length; depth >= 0; depth--) {
    const at = [...above.slice(0, depth), name]
      .join('/node_modules/')
      .replace(/^(?!.*node_modules\/)/, 'node_modules/');
    const found = lock[at];
    if (found) return found.link ? (found.resolved ?? at) : at;
  }
  throw new Error(`${path} needs ${name}, which is not installed`);
}
