import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCapabilities } from '@signalbox/worker/tools/registry';
import type { ToolContext } from '@signalbox/worker/tools/tool';
import { describe, expect, it } from 'vitest';
import { listFiles } from '../architecture/sources.ts';
import { sampleParts } from '../support/samples.ts';

const groups = await loadCapabilities([], sampleParts.groups);
const tools = groups.flatMap((group) => Object.entries(group.tools).map(([name, tool]) => ({ name, tool })));

/** What an agent's author might try: everything that a handler wants, made up. */
const FORGED: ToolContext = {
  actor: { userKey: '1', name: 'Eve', role: 'admin' },
  threadId: 't',
  actionId: 'a',
  signal: new AbortController().signal,
  now: () => new Date(0),
  say: () => Promise.reject(new Error('reached')),
  enqueue: () => Promise.reject(new Error('reached')),
  work: () => Promise.reject(new Error('reached')),
  wrote: () => Promise.resolve(null),
  worked: () => Promise.resolve({ kind: 'unknown' }),
  resolved: null,
  ports: new Proxy({} as ToolContext['ports'], { get: () => expect.unreachable('a port was reached') }),
};

describe('there is one way to cause an effect', () => {
  it.each(tools)('$name refuses to run with a context that governance did not issue', async ({ tool }) => {
    await expect(tool.run({}, FORGED)).rejects.toThrow(/outside of governance/);
  });

  it('tool handlers are called in one file, which only governance imports', () => {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const sources = ['services/worker/src', 'shared/governance/src']
      .flatMap((folder) => listFiles(root, folder))
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
    expect(sources.length).toBeGreaterThan(40);
    const callers = sources.filter(({ text }) => /\btool\.run\(|\btool\.probe\(|\bspec\.run\(/.test(text));
    expect(callers.map(({ path }) => path).toSorted()).toEqual([
      'services/worker/src/tools/run.ts',
      'services/worker/src/tools/tool.ts',
    ]);
    const importers = sources.filter(({ text }) => /import \{[^}]*\b(?:runTool|probeTool|issueContext)\b/.test(text));
    expect(importers.map(({ path }) => path).toSorted()).toEqual([
      'services/worker/src/tools/run.ts',
      'services/worker/src/tools/tools.ts',
    ]);
    const governed = sources.filter(({ text }) => /\btools\.(?:run|probe)\(/.test(text)).map(({ path }) => path);
    expect(governed.filter((path) => !path.startsWith('shared/governance/src/'))).toEqual([]);
    expect(sources.filter(({ text }) => /\bcreateTools\(/.test(text)).map(({ path }) => path)).toEqual([
      'services/worker/src/tools/tools.ts',
      'services/worker/src/worker.ts',
    ]);
  });
});
