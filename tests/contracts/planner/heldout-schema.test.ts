import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import development from './development.json' with { type: 'json' };
import { OPS_GROUPS } from './heldout-catalog.ts';
import { HeldoutFile } from './heldout-schema.ts';
import heldout from './heldout.json' with { type: 'json' };
import spoken from './spoken.json' with { type: 'json' };

/** Nothing here runs the planner: these tests only say that the requests can be used to judge it. */
describe('the held-out requests', () => {
  const files = { heldout, development, spoken };

  it.each(Object.entries(files))('of %s are well formed and contain no duplicate', (name, file) => {
    const { requests } = HeldoutFile.parse(file);
    expect(requests.filter(({ id }) => !id.startsWith(name))).toEqual([]);
  });

  it('are 150 in number, and none of them is in the development set', () => {
    const known = new Set(development.requests.map(({ text }) => text.toLowerCase()));
    expect(heldout.requests).toHaveLength(150);
    expect(heldout.requests.filter(({ text }) => known.has(text.toLowerCase()))).toEqual([]);
  });

  it('fail the check when they contain a duplicate', () => {
    const [first] = heldout.requests;
    expect(HeldoutFile.safeParse({ requests: [first, { ...first, id: 'heldout-999' }] }).success).toBe(false);
  });

  it.each([heldout, development])('expect only arguments that the tools of the ops groups accept', (file) => {
    const schemas = new Map(
      OPS_GROUPS.flatMap(({ tools }) => tools).map((tool) => [tool.name, z.fromJSONSchema(schemaOf(tool))]),
    );
    const wrong = HeldoutFile.parse(file).requests.flatMap(({ id, expect: reaction, alternatives = [] }) =>
      [reaction, ...alternatives]
        .flatMap((one) => ('calls' in one ? one.calls : []))
        .filter((call) => schemas.get(call.tool)?.safeParse(call.arguments).success === false)
        .map((call) => `${id}: ${call.tool} ${JSON.stringify(call.arguments)}`),
    );
    expect(schemas.size).toBe(10);
    expect(wrong).toEqual([]);
  });
});

/** Names that no property of the schema has are refused as well. */
function schemaOf(tool: { readonly schema: unknown }): Parameters<typeof z.fromJSONSchema>[0] {
  // The schemas of the fixture come from z.toJSONSchema, so they are JSON Schema objects.
  return { ...(tool.schema as Record<string, unknown>), additionalProperties: false };
}
