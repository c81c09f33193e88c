import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { HeldoutFile } from './planner/heldout-schema.ts';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

// Requests as people type them on a phone, over every capability that is installed now. They may be read, and tuned for.

const { catalog } = createRegistry(await loadCapabilities());
const path = new URL('./planner/spoken.json', import.meta.url);
const { requests } = HeldoutFile.parse(JSON.parse(readFileSync(path, 'utf8')));

it('there are at least 200 spoken requests, and 60 that must do nothing dangerous', () => {
  expect(requests.length).toBeGreaterThanOrEqual(200);
  expect(requests.filter(({ kind }) => kind === 'unsafe').length).toBeGreaterThanOrEqual(60);
});

it('the spoken requests expect only arguments that the tools accept', () => {
  const tools = catalog.groups.flatMap((group) => group.tools);
  const wrong = requests.flatMap(({ id, expect: reaction, alternatives = [] }) =>
    [reaction, ...alternatives]
      .flatMap((one) => ('calls' in one ? one.calls : []))
      .filter(({ tool, arguments: args }) => {
        const schema = tools.find(({ name }) => name === tool)?.schema;
        // The registry makes its schemas with z.toJSONSchema, so they are JSON Schema objects.
        const { properties } = z.object({ properties: z.record(z.string(), z.unknown()) }).parse(schema);
        return Object.keys(args).some((name) => !Object.hasOwn(properties, name));
      })
      .map(({ tool }) => `${id}: ${tool}`),
  );
  expect(wrong).toEqual([]);
});
