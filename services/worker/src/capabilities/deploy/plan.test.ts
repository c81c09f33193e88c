import { expect, it } from 'vitest';
import { listEssentialValues } from '@signalbox/safety/cards/essential';
import type { ResolvedRefs, ResolveContext } from '../../tools/tool.ts';
import { listDerivedFields, resolveDeployment } from './plan.ts';

const head = { subject: 'Round totals', author: 'Ada' };
const plan = {
  repository: 'https://example.org/shop',
  ref: '1.0',
  commit: 'a'.repeat(40),
  server: { name: 'vps-1', driver: 'ssh', host: '10.0.0.7', hostKey: null, login: 'f'.repeat(64) },
  artifact: null,
  build: [['npm', 'ci']],
  start: ['node', 'server.js'],
  health: '/',
  file: 'b'.repeat(64),
  dockerfile: null,
  variables: [{ name: 'COLOR', mark: 'c' }],
};
const request = { project: 'shop', environment: 'staging', ref: '1.0', server: null, fromArtifact: null } as const;
const found = { ready: true, server: 'vps-1', commit: plan.commit, checks: [], problem: null, isUnseen: false };

/** Resolves a deployment whose proposal found `before`. */
function resolve(before: ResolvedRefs | null): Promise<ResolvedRefs> {
  // resolveDeployment uses only these members
  return resolveDeployment(request, {
    before,
    work: async () => ({ ...found, plan, head }),
  } as unknown as ResolveContext);
}

/** Lists the names of the values that an approval card shows. */
const namesOf = (resolved: ResolvedRefs): readonly string[] =>
  listEssentialValues({ arguments: {}, resolved }, { told: [], derived: listDerivedFields(resolved) }).map(
    ({ shown }) => /^→ \w+/.exec(shown)?.[0] ?? '',
  );

it('a deploy request from an earlier version, which names no commit subject, can still be approved', async () => {
  expect(await resolve(null)).toEqual({ ...plan, head });
  expect(await resolve({ ...plan, head })).toEqual({ ...plan, head });
  expect(await resolve(plan)).toEqual(plan);
});

it('the approval card of a deployment hides digests and empty values, and shows a plan nobody has seen yet', () => {
  expect(namesOf({ ...plan, head })).toEqual(['→ head', '→ ref', '→ repository', '→ server']);
  expect(namesOf(plan)).toContain('→ commit');
  expect(namesOf({ ...plan, head, isUnseen: true })).toEqual(expect.arrayContaining(['→ build', '→ start']));
});
