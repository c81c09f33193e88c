import { GITLAB_TOKEN } from '@signalbox/forge-simulator/gitlab';
import { createForgeSimulator, type ForgeSimulator } from '@signalbox/forge-simulator/server';
import type { Person } from '../../support/person.ts';
import { openStack, type Stack } from '../../support/stack.ts';
import { freePort } from '../../support/free-port.ts';
import { eventually } from '../../support/until.ts';
import { writeSources } from '../sources-file.ts';

export const GITLAB_SECRET = 'a-secret-of-the-webhook-gitlab_0123456789';
export const GITHUB_SECRET = 'a-secret-of-the-app-github_0123456789';

export interface GateStack {
  readonly stack: Stack;
  readonly github: ForgeSimulator;
  readonly url: string;
  /** Three operators. */
  readonly people: readonly [Person, Person, Person];
  /** Resolves once the forge has the answer to a run. */
  settled(id: number): Promise<{ readonly state: string; readonly comment: string | null }>;
  close(): Promise<void>;
}

/** The whole product beside a GitHub of one machine, each service under its own login. */
export async function openGateStack(env: Readonly<Record<string, string>> = {}): Promise<GateStack> {
  const github = await createForgeSimulator();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  github.hook = { url: `${url}/hooks/github`, secret: GITHUB_SECRET };
  github.gitlabHook = { url: `${url}/hooks/gitlab`, secret: GITLAB_SECRET };
  const stack = await openStack({
    jobs: true,
    pools: ['maintenance', 'deploy'],
    env: {
      GATEWAY_CHANNELS: 'telegram,ingress',
      GATEWAY_HTTP_PORT: String(port),
      INGRESS_SOURCES_FILE: writeSources([
        { name: 'github', kind: 'github', secret: GITHUB_SECRET, gates: true },
        { name: 'gitlab', kind: 'gitlab', secret: GITLAB_SECRET, gates: true },
      ]),
      GITLAB_API: `${github.url}/api/v4`,
      GITLAB_APPROVER_TOKEN: GITLAB_TOKEN,
      GITHUB_API: github.url,
      GITHUB_APP_ID: github.app.id,
      GITHUB_APP_KEY: github.app.key,
      ...env,
    },
  });
  const people = [
    await stack.person(1003, 'operator'),
    await stack.person(1004, 'operator'),
    await stack.person(1005, 'operator'),
  ] as const;
  for (const person of people) await person.ask('/whoami');
  return {
    stack,
    github,
    url,
    people,
    settled: async (id) => {
      const run = await eventually(
        () => Promise.resolve(github.runs.find(id)),
        (found) => found?.state !== 'waiting',
        20_000,
      );
      return { state: run?.state ?? '', comment: run?.comment ?? null };
    },
    close: async () => {
      await stack.close();
      await github.close();
    },
  };
}

/** A card without the marks of wrapped lines. */
export function unwrap(card: string): string {
  return card.replaceAll(/\n┊ /g, '');
}
