import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tool, toolGroup, type ToolGroup } from '@signalbox/worker/tools/tool';
import { z } from 'zod';

/** A program outside of the product that is changed by deploys, and that remembers every change it was asked for. */
export interface DeployTarget {
  readonly url: string;
  /** Changes in order, each with the key that it came under. A key that comes twice is two changes here: nothing hides a repetition. */
  readonly effects: readonly { readonly key: string; readonly what: string }[];
  close(): Promise<void>;
}

/** Starts a target on a free port. */
export async function openDeployTarget(): Promise<DeployTarget> {
  const effects: { key: string; what: string }[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://target');
    const key = url.searchParams.get('key') ?? '';
    if (request.method === 'POST') effects.push({ key, what: url.searchParams.get('what') ?? '' });
    const known = effects.find((effect) => effect.key === key);
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/`,
    effects,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const Deploy = z.object({
  project: z.string().min(1).meta({ entity: 'project', ask: 'Which project?' }),
  version: z
    .string()
    .regex(/^\d+(\.\d+)*$/)
    .meta({ ask: 'Which version?' }),
  environment: z.enum(['staging', 'production']),
});

/** A capability group that deploys to the target: dangerous everywhere, and in production by policy of two people. */
export function deployGroup(target: DeployTarget): ToolGroup {
  const call = async (method: string, key: string, what = ''): Promise<Response> =>
    fetch(`${target.url}?key=${encodeURIComponent(key)}&what=${encodeURIComponent(what)}`, {
      method,
      signal: AbortSignal.timeout(5_000),
    });
  return toolGroup({
    name: 'deploy',
    summary: 'Ship a version of a project.',
    uses: [],
    tools: {
      trigger_deploy: tool({
        describe: 'Deploy one version of a project to one environment.',
        hints: ['deploy shop 1.4.2 to production', 'ship the api 2.0 to staging', 'roll out 1.4.2 of shop'],
        input: Deploy,
        risk: 'dangerous',
        role: 'developer',
        environment: ({ environment }) => environment,
        resources: ({ project, environment }) => [`project:${project}`, `environment:${environment}`],
        lock: ({ project, environment }) => `deploy:${project}:${environment}`,
        deadlineMs: 5_000,
        replay: 'unknown',
        preview: ({ project, version, environment }) => ({
          what: `Deploy ${project} ${version} to ${environment}`,
          change: `Version ${version} takes the place of the running one.`,
          reach: `everybody who uses ${project} in ${environment}`,
          undo: 'deploy the version before',
        }),
        run: async ({ project, version, environment }, context) => {
          const what = `${project} ${version} ${environment}`;
          const response = await call('POST', context.actionId, what);
          if (!response.ok) throw new Error(`the target answered ${response.status}`);
          return { deployed: what };
        },
        probe: async (_input, context) => {
          const response = await call('GET', context.actionId);
          const { what } = (await response.json()) as { what?: string };
          return response.ok ? { kind: 'done', output: { deployed: what ?? '' } } : { kind: 'not-done' };
        },
        phrases: {
          done: (_output, { project, version, environment }) => `Deployed ${project} ${version} to ${environment}.`,
        },
      }),
    },
  });
}
