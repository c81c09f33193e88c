import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { findProblem, readFields, type Field } from './schema.ts';

const fieldOf = (type: z.ZodType): Field => {
  const [field] = readFields(z.toJSONSchema(z.object({ it: type }), { io: 'input', target: 'draft-7' }));
  if (!field) throw new Error('no field');
  return field;
};

describe('the fields of a tool', () => {
  it('are read from its schema with their kind, question and choices', () => {
    expect(fieldOf(z.enum(['a', 'b']).meta({ entity: 'environment', ask: 'Where?' }))).toMatchObject({
      name: 'it',
      required: true,
      type: 'string',
      entity: 'environment',
      ask: 'Where?',
      choices: ['a', 'b'],
    });
  });

  it.each([
    ['optional', z.string().optional(), false],
    ['with a default', z.number().default(3), false],
    ['nullable', z.string().nullable(), true],
    ['plain', z.string(), true],
  ])('are recognized as required or optional when they are %s', (_, type, required) => {
    expect(fieldOf(type).required).toBe(required);
  });

  it('are read with their kind even if they may be null', () => {
    expect(fieldOf(z.int().min(1).nullable().meta({ entity: 'port' }))).toMatchObject({
      type: 'integer',
      entity: 'port',
    });
  });

  it.each([undefined, null, 'x', 7, [], {}, { properties: 3 }, { properties: { a: null, b: 7 } }])(
    'are an empty list for the schema %j',
    (schema) => {
      expect(readFields(schema)).toEqual([]);
    },
  );
});

describe("the value of a tool's field", () => {
  it.each<[string, z.ZodType, unknown]>([
    ['a name of the enum', z.enum(['a', 'b']), 'a'],
    ['the least number', z.int().min(1).max(9), 1],
    ['a fraction', z.number(), 0.5],
    ['a short text', z.string().max(3), 'abc'],
    ['a text of the pattern', z.string().regex(/^[a-z]+$/), 'abc'],
    ['an address', z.url(), 'https://a.example'],
    ['true', z.boolean(), true],
  ])('is accepted when it is %s', (_, type, value) => {
    expect(findProblem(fieldOf(type), value)).toBeNull();
  });

  it.each<[z.ZodType, unknown, string]>([
    [z.enum(['a', 'b']), 'c', 'one of a, b'],
    [z.int().min(1).max(9), 10, 'a number from 1 to 9'],
    [z.int().min(1).max(9), 0, 'a number from 1 to 9'],
    [z.int(), 1.5, 'a whole number'],
    [z.int().min(1), 0, 'a number of at least 1'],
    [z.number().lt(5), 5, 'a number of at most 5'],
    [z.int(), 'x', 'a number'],
    [z.number(), Number.NaN, 'a number'],
    [z.string().min(3), 'ab', 'at least 3 characters'],
    [z.string().min(1), '', 'something'],
    [z.string().max(3), 'abcd', 'at most 3 characters'],
    [z.url(), 'nowhere', 'a web address'],
    [z.string().regex(/^[a-z][a-z0-9]*$/), 'X', 'small letters, digits and single hyphens, beginning with a letter'],
    [z.boolean(), 'yes', 'yes or no'],
    [z.array(z.string()), 'x', 'a list'],
  ])('for a field of %o is refused when it is %j', (type, value, wanted) => {
    expect(findProblem(fieldOf(type), value)).toBe(wanted);
  });
});
