import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toStrictSchema } from './object-schema.ts';

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
