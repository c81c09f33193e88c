import { z } from 'zod';
import { Environment, ProjectName } from '@signalbox/contracts/conversation/fields';
import { say } from '@signalbox/messages/say';
import { tool } from '../../tools/tool.ts';
import { versionChoices } from '../../tools/version-choices.ts';
import { Version } from './fields.ts';

/** The branch to check by default. If the branch is missing, the check lists the branches. */
const MAIN = 'main';

export const checkDeployReadiness = tool({
  describe: 'Check whether a project can be deployed to an environment now, and name what is missing.',
  hints: [
    'is shop ready to deploy to production',
    'check the deploy readiness of blog for staging',
    'can we deploy shop to production',
    'is shop ready to deploy',
    'what is missing to deploy blog',
    'check if 1.4 of shop can go to staging',
    'readiness check for shop',
    'can shop go to production',
  ],
  input: z.object({
    project: ProjectName,
    environment: Environment,
    version: Version.optional()
      .describe('Version that would be deployed; the branch main when left out')
      .meta({ ask: 'Which version?' }),
  }),
  choices: { version: versionChoices },
  risk: 'safe',
  role: 'viewer',
  egress: true,
  deadlineMs: 45_000,
  replay: 'harmless',
  run: async ({ project, environment, version }, context) => {
    await context.ports.projects.get(project);
    const payload = { project, environment, ref: version ?? MAIN, server: null, planOnly: false, fromArtifact: null };
    const worked = await context.work('deploy.check', payload);
    if (worked.kind === 'goes-on') return { state: 'goes-on' as const };
    const { cause: _, ...found } = worked.result;
    return { state: 'checked' as const, ...found };
  },
  phrases: {
    done: (found, { project, version, environment }) => {
      if (found.state === 'goes-on') return say('deploy.checkGoesOn');
      const what = `${project}${version ? ` ${version}` : ''}`;
      const lines = found.checks.map(({ name, ok, evidence, remedy }) => {
        const todo = !ok && remedy ? ` → ${remedy}` : '';
        return `${ok ? '✓' : '✗'} ${name.replaceAll('_', ' ')}: ${evidence}${todo}`;
      });
      const missing = found.checks.filter(({ ok }) => !ok).length;
      const head = found.ready
        ? say('deploy.ready', { what, environment })
        : say('deploy.notReady', { what, environment, missing, checks: found.checks.length });
      return `${head}\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
    },
  },
}).from({
  state: 'runtime',
  ready: 'runtime',
  isUnseen: 'runtime',
  checks: { name: 'runtime', ok: 'runtime', evidence: 'outside', remedy: 'outside' },
  commit: 'runtime',
  head: 'outside',
  plan: 'outside',
  problem: 'outside',
  server: 'name',
});
