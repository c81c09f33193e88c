import { z } from 'zod';
import { PlanInput, PlanStep } from '@signalbox/contracts/governance/plan';
import { say } from '@signalbox/messages/say';
import { LOOK_UP_DEFAULTS, tool, toolGroup } from '../tools/tool.ts';

/** The number of plans shown: people ask about the newest. */
const SHOWN = 3;

export default toolGroup({
  name: 'plans',
  summary: 'Run several calls as one plan; show_plan shows how far it is.',
  uses: ['plans'],
  tools: {
    propose_plan: tool({
      describe:
        'Run 2 to 10 calls in order, as one request with one approval. It stops at the first surprise. `if` is about the step before: healthy needs a health check there, exit_0 a command.',
      hints: [
        'deploy shop 1.1 to staging, check it, and if it is healthy deploy it to production',
        'first staging, then production if it is healthy',
        'set the variable and then deploy it',
        'roll it out step by step',
        'do these steps one after another',
        'make a plan of these steps and run it',
      ],
      input: PlanInput.extend({
        steps: z
          .array(PlanStep)
          .min(2)
          .max(10)
          .describe('The calls in order, with whole arguments')
          .meta({ entity: 'text', ask: 'Which steps, in which order?' }),
      }),
      isPlan: true,
      risk: 'sensitive',
      role: 'developer',
      egress: false,
      deadlineMs: 60_000,
      replay: 'harmless',
      // Governance resolves, decides and runs the steps, each as a call of its own tool.
      resolve: () => Promise.resolve(null),
      run: () => Promise.reject(new Error('governance runs the steps of a plan')),
      probe: async (_, { ports, actionId }) =>
        (await ports.plans.find(actionId)) ? { kind: 'done', output: { plan: actionId } } : { kind: 'not-done' },
      phrases: {
        order: ({ steps }) => say('governance.planWhat', { count: steps.length }),
        done: () => '',
      },
    }).from({ plan: 'runtime' }),

    show_plan: tool({
      describe: 'Show how far the newest plans of this person are: which steps are done, under way and ahead.',
      hints: [
        'how far is the plan',
        'show my plan',
        'what is the state of my plan',
        'which step of the plan is running',
        'is the plan done',
        'where did the plan stop',
      ],
      input: z.object({}),
      ...LOOK_UP_DEFAULTS,
      run: async (_, { ports, actor }) => {
        const found = await ports.plans.own(actor.userKey, SHOWN);
        return {
          plans: found.map((plan) => ({
            plan: plan.planId,
            state: plan.state,
            steps: plan.steps.length,
            done: plan.outcomes.filter(({ state }) => state === 'done').length,
            told: ports.plans.describe(plan),
          })),
        };
      },
      phrases: {
        done: ({ plans }) =>
          plans.length === 0 ? say('governance.planNone') : plans.map(({ told }) => told).join('\n\n'),
      },
    }).from({
      plans: { plan: 'runtime', state: 'runtime', steps: 'runtime', done: 'runtime', told: 'outside' },
    }),
  },
});
