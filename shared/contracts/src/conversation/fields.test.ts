import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatMemory, MemoryMb, NewEntityName, ProjectName } from './fields.ts';

it('an amount of memory is shown in GB from 1024 MB on', () => {
  expect([formatMemory(256), formatMemory(1024), formatMemory(1536)]).toEqual(['256 MB', '1 GB', '1.5 GB']);
});

describe('NewEntityName', () => {
  it.each(['shop', 'web-shop', 'Shop2', ' vps-1 '])('accepts the name %j', (name) => {
    expect(NewEntityName.parse(name)).toBe(name.trim().toLowerCase());
  });

  it.each(['s', '2shop', 'my shop', 'shop-', 'a--b', 'shop;drop', 'x'.repeat(41), 'büro'])(
    'refuses the name %j',
    (name) => {
      expect(NewEntityName.safeParse(name).success).toBe(false);
    },
  );
});

it('the entity, question and limits of a field are kept when it is converted to JSON Schema', () => {
  const schema = z.toJSONSchema(z.object({ project: ProjectName.optional(), memoryMb: MemoryMb.default(256) }), {
    io: 'input',
    target: 'draft-7',
  });
  expect(schema.properties?.['project']).toMatchObject({
    type: 'string',
    entity: 'project',
    ask: 'Which project do you mean?',
    description: 'A known project',
  });
  expect(schema.properties?.['memoryMb']).toMatchObject({ type: 'integer', minimum: 1, default: 256 });
  expect(schema.required).toBeUndefined();
});
