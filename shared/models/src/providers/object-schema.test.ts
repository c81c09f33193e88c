import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toLeanSchema, toStrictSchema } from './object-schema.ts';

describe('toStrictSchema', () => {
  it('makes every field required, forbids additional fields, and removes keywords that a provider refuses', () => {
    const schema = z.toJSONSchema(
      z.object({
        name: z.string().max(5).describe('Who.'),
        role: z.enum(['a', 'b']).nullable().default(null),
        list: z.array(z.object({ n: z.number().int().min(1) })).max(3),
      }),
      { io: 'input', target: 'draft-7' },
    );
    const list = {
      type: 'array',
      items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false },
    };
    expect(toStrictSchema({ ...schema })).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Who.' },
        role: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
        list,
      },
      required: ['name', 'role', 'list'],
      additionalProperties: false,
    });
  });
});

describe('toLeanSchema', () => {
  it('leaves out what no model needs and what only repeats a name, and keeps arguments whose names are keywords of ours', () => {
    const schema = z.toJSONSchema(
      z.object({
        project: z.string().min(1).max(80).describe('Of which project').meta({ entity: 'project', ask: 'Which?' }),
        ask: z
          .string()
          .regex(/^[a-z]+$/)
          .optional(),
        hours: z.int().min(1).max(72).default(4),
        arguments: z.record(z.string(), z.unknown()).default({}),
        parts: z.array(z.object({ place: z.int() })).max(3),
        server: z.string().describe('A known server'),
        lines: z.int().min(-5).max(5_000).optional(),
        isForced: z.boolean().default(false),
        steps: z.array(z.strictObject({})).min(1).default([]),
      }),
      { io: 'input', target: 'draft-7' },
    );
    expect(toLeanSchema(schema)).toEqual({
      type: 'object',
      properties: {
        project: { type: 'string', description: 'Of which project' },
        ask: { type: 'string' },
        hours: { type: 'integer', maximum: 72, default: 4 },
        arguments: { type: 'object' },
        parts: {
          type: 'array',
          maxItems: 3,
          items: { type: 'object', properties: { place: { type: 'integer' } }, required: ['place'] },
        },
        server: { type: 'string' },
        lines: { type: 'integer', minimum: -5 },
        isForced: { type: 'boolean' },
        steps: { type: 'array', items: { type: 'object', properties: {} } },
      },
      required: ['project', 'parts', 'server'],
    });
  });
});
