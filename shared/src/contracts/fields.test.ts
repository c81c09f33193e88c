import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatMemory, Memory, NewName, ProjectName } from './fields.ts';

describe('Memory', () => {
  it.each([
    [512, 512],
    ['512', 512],
    ['512 MB', 512],
    ['2GB', 2048],
    ['1,5 g', 1536],
    ['0.25GiB', 256],
  ])('%s is %s megabytes', (written, megabytes) => expect(Memory.parse(written)).toBe(megabytes));

  it.each(['lots', '2 TB', '-1', ''])('%j is refused', (written) => {
    expect(Memory.safeParse(written).success).toBe(false);
  });

  it('is written for people in the larger unit', () => {
    expect([formatMemory(256), formatMemory(1024), formatMemory(1536)]).toEqual(['256 MB', '1 GB', '1.5 GB']);
  });
});

describe('NewName', () => {
  it.each(['shop', 'web-shop', 'Shop2', ' vps-1 '])('%j is a name', (name) => {
    expect(NewName.parse(name)).toBe(name.trim().toLowerCase());
  });

  it.each(['s', '2shop', 'my shop', 'shop-', 'a--b', 'shop;drop', 'x'.repeat(41), 'büro'])('%j is refused', (name) => {
    expect(NewName.safeParse(name).success).toBe(false);
  });
});

it('what the planner reads of a field survives the conversion to JSON Schema', () => {
  const schema = z.toJSONSchema(z.object({ project: ProjectName.optional() }), { io: 'input', target: 'draft-7' });
  expect(schema.properties?.['project']).toMatchObject({
    type: 'string',
    entity: 'project',
    ask: 'Which project do you mean?',
    description: 'Name of an existing project',
  });
});
