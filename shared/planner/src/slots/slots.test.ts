import { describe, expect, it } from 'vitest';
import type { RequestFacts } from '@signalbox/contracts/tool-catalog';
import { readFields } from './schema.ts';
import type { Filled } from './slot-request.ts';
import { fillSlots } from './slots.ts';

const name = { type: 'string', pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$', entity: 'name' };
const host = { type: 'string', pattern: '^[a-z0-9][a-z0-9.:-]*$', entity: 'text' };
const SERVER = readFields({
  properties: {
    name,
    host,
    environment: { type: 'string', enum: ['staging', 'production'], entity: 'environment' },
    cpus: { type: 'integer', minimum: 1, maximum: 64 },
    memoryMb: { type: 'integer', minimum: 1 },
  },
  required: ['name', 'host', 'environment', 'cpus', 'memoryMb'],
});
const CHANGE = readFields({
  properties: {
    project: { type: 'string', entity: 'project' },
    description: { type: 'string', maxLength: 30 },
    repository: { type: 'string', pattern: String.raw`^https?://\S+$` },
    limit: { type: 'integer', minimum: 1, maximum: 50 },
    port: { type: 'integer', minimum: 1, maximum: 65_535, entity: 'port' },
  },
  required: ['project'],
});
const NOBODY: RequestFacts = { activeGroups: [], known: { project: ['shop', 'blog'] }, currentProject: null };
const fill = (fields: typeof SERVER, text: string, facts = NOBODY): Filled =>
  fillSlots({ text, fields, facts, words: new Set(['server', 'host', 'port', 'project', 'line']), given: {} });

describe('arguments in a text', () => {
  it.each([
    ['register the host 10.0.0.5 as vps-2 in staging', { name: 'vps-2', host: '10.0.0.5', environment: 'staging' }],
    [
      'add server web-7 with 4 cpus and 16 GB in prod, host web7.example.com',
      { name: 'web-7', host: 'web7.example.com', environment: 'production', cpus: 4, memoryMb: 16_384 },
    ],
    ['add a server called Big_One with 2 cores', { name: 'big-one', cpus: 2 }],
    ['a server with 500 GB', { memoryMb: 512_000 }],
  ])('of “%s” are found', (text, args) => {
    expect(fill(SERVER, text).args).toEqual(args);
  });

  it.each([
    ['change the description of blog to All about food', { project: 'blog', description: 'All about food' }],
    ['description of shop: "Shoes & more"', { project: 'shop', description: 'Shoes & more' }],
    ['shop repo is https://a.example/shop.git.', { project: 'shop', repository: 'https://a.example/shop.git' }],
    ['show 20 lines of shop', { project: 'shop' }],
    ['limit 20 for shop', { project: 'shop', limit: 20 }],
    ['give shop 2 ports', { project: 'shop' }],
    ['give shop port 8081', { project: 'shop', port: 8_081 }],
    ["shop's port 80", { project: 'shop', port: 80 }],
  ])('of “%s” are those that it names', (text, args) => {
    expect(fill(CHANGE, text).args).toEqual(args);
  });

  it('that the schema refuses are a problem, not an argument', () => {
    expect(fill(CHANGE, 'shop port 70000')).toMatchObject({
      args: { project: 'shop' },
      problem: { kind: 'invalid', wanted: 'a number from 1 to 65535' },
    });
    expect(fill(CHANGE, `description of shop to ${'x'.repeat(31)}`)).toMatchObject({
      args: { project: 'shop' },
      problem: { kind: 'invalid', wanted: 'at most 30 characters' },
    });
  });

  it('that are names which nobody knows are a problem', () => {
    expect(fill(CHANGE, 'port 80 for garden')).toMatchObject({
      args: { port: 80 },
      problem: { kind: 'unknown-name', written: 'garden' },
    });
  });

  it('are not looked for twice', () => {
    const given = { project: 'blog', port: 1 };
    expect(fillSlots({ text: 'shop port 80', fields: CHANGE, facts: NOBODY, words: new Set(), given }).args).toEqual(
      given,
    );
  });

  it('take "it" for the current project', () => {
    expect(fill(CHANGE, 'give it port 80', { ...NOBODY, currentProject: 'shop' }).args).toEqual({
      project: 'shop',
      port: 80,
    });
  });
});
