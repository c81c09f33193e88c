import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tool, toolGroup, type ProbeResult, type ToolGroup } from '@signalbox/worker/tools/tool';
import { z } from 'zod';

/** A program outside of the product that is changed by deploys, and that remembers every change it was asked for. */
export interface DeployTarget {
  readonly url: string;
  /** Changes in order, each with the key that it came under. A key that comes twice is two changes here: nothing hides a repetition. */
  readonly effects: readonly { readonly key: string; readonly what: string }[];
  /** Keys that were asked about, in order. */
  readonly probes: readonly string[];
  close(): Promise<void>;
}

/** What happens around a change: asked before it is made and after it is, before the answer. `hold`: it stops there, for good. */
export type DeployWatch = (change: { key: string; what: string }, side: 'before' | 'after') => Promise<'pass' | 'hold'>;

/** Starts a target on a free port. */
export async function openDeployTarget(watch: DeployWatch = () => Promise.resolve('pass')): Promise<DeployTarget> {
  const effects: { key: string; what: string }[] = [];
  const probes: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://target');
    const key = url.searchParams.get('key') ?? '';
    const change = { key, what: url.searchParams.get('what') ?? '' };
    if (request.method === 'POST') {
      if ((await watch(change, 'before')) === 'hold') return;
      effects.push(change);
      if ((await watch(change, 'after')) === 'hold') return;
    } else probes.push(key);
    const known = effects.find((effect) => effect.key === key);
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ?? {}));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/`,
    effects,
    probes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
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

/** How deploys are governed. */
export interface DeployWay {
  readonly risk: 'sensitive' | 'dangerous';
  /** Whether the target can be asked what became of a deploy. */
  readonly hasProbe: boolean;
  /** Whether only one deploy of a project to an environment runs at a time. */
  readonly hasLock: boolean;
}

const AS_SHIPPED: DeployWay = { risk: 'dangerous', hasProbe: true, hasLock: true };

/** A capability group that deploys to the target: dangerous everywhere, and in production by policy of two people. */
export function deployGroup(target: Pick<DeployTarget, 'url'>, way: DeployWay = AS_SHIPPED): ToolGroup {
  const call = async (method: string, key: string, what = ''): Promise<Response> =>
    fetch(`${target.url}?key=${encodeURIComponent(key)}&what=${encodeURIComponent(what)}`, {
      method,
      signal: AbortSignal.timeout(30_000),
    });
  const probe = async (
    _input: unknown,
    context: { readonly actionId: string },
  ): Promise<ProbeResult<{ deployed: string }>> => {
    const response = await call('GET', context.actionId);
    const { what } = (await response.json()) as { what?: string };
    return response.ok ? { kind: 'done', output: { deployed: what ?? '' } } : { kind: 'not-done' };
  };
  return toolGroup({
    name: 'deploy',
    summary: 'Ship a version of a project.',
    uses: [],
    tools: {
      trigger_deploy: tool({
        describe: 'Deploy one version of a project to one environment.',
        hints: ['deploy shop 1.4.2 to production', 'ship the api 2.0 to staging', 'roll out 1.4.2 of shop'],
        input: Deploy,
        risk: way.risk,
        role: 'developer',
        egress: false,
        environment: ({ environment }) => environment,
        resources: ({ project, environment }) => [`project:${project}`, `environment:${environment}`],
        ...(way.hasLock
          ? { lock: ({ project, environment }: z.output<typeof Deploy>) => `deploy:${project}:${environment}` }
          : {}),
        deadlineMs: 30_000,
        replay: 'unknown',
        told: ['project', 'version', 'environment'],
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
        ...(way.hasProbe ? { probe } : {}),
        phrases: {
          done: (_output, { project, version, environment }) => `Deployed ${project} ${version} to ${environment}.`,
        },
      }).from({ deployed: 'runtime' }),
    },
  });
}
