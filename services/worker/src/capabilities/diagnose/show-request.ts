import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDeployState } from '@signalbox/messages/deploy-state';
import { sayDuration } from '@signalbox/messages/duration';
import { sayList } from '@signalbox/messages/list';
import { say, sayReason } from '@signalbox/messages/say';
import { z } from 'zod';
import { LOOK_UP_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';
import { describeRequest, readRequestFacts, REQUEST_ORIGINS, type RequestFacts } from './requests.ts';

export const RequestId = z
  .string()
  .trim()
  .regex(/^(?:apv|act)_\w{1,120}$/)
  .optional()
  .describe('Id of the request, such as apv_…; the one that waits when left out')
  .meta({ ask: 'Which request?' });

type RequestView = Awaited<ReturnType<ToolContext['ports']['requests']['view']>>;
type Staging = NonNullable<RequestView['request']['deployment']>['staging'];

export const showRequest = tool({
  describe:
    'Show one request for approval: asker and their words, from which version to which, why, votes, who may decide until when, how that version did in staging.',
  hints: [
    'show the request that waits',
    'show me the request',
    'who asked for this card',
    'what is this approval card about',
    'who may approve my request',
    'show the votes of my request',
  ],
  input: z.object({ request: RequestId }),
  ...LOOK_UP_DEFAULTS,
  run: async ({ request: id }, { ports, actor, threadId, now }) => {
    const view = await ports.requests.view({ userKey: actor.userKey, threadId }, id ?? null);
    const { request, approval, mayDecide, unreached, steps } = view;
    const { card } = approval;
    return {
      request: approval.approvalId,
      mine: request.isOwn,
      asker: request.asker,
      words: card.words ?? null,
      ...readRequestFacts(request, ports.requests, now()),
      change: card.change,
      steps: steps.map((step, at) => ({ step: at + 1, ...step })),
      reach: card.reach,
      undo: card.undo,
      takesApprovalBecause: card.why,
      risk: card.risk ?? null,
      deployment: request.deployment,
      role: approval.role,
      mayDecide,
      unreached,
      until: approval.expiresAt.toISOString(),
    };
  },
  phrases: {
    done: (found) =>
      [
        say('governance.requestShown', {
          title: `**${toPlainName(found.wording ?? found.title)}**`,
          asker: toPlainName(found.asker),
          id: found.request,
          hasWords: found.words !== null,
          words: toPlainName(found.words ?? ''),
        }),
        ...found.steps.map(({ step, what, state }) => {
          const told = say('governance.planStepState', { what: toPlainName(what), state, why: '' });
          return `${step}. ${state === 'done' ? '✅ ' : ''}${told.trim()}`;
        }),
        ...(found.deployment === null ? [] : describeDeployment(found.deployment)),
        describeRequest(found),
        ...(found.came === 'waiting' ? [describeDeciders(found)] : []),
        sayReason(found.takesApprovalBecause),
        ...(found.risk === null ? [] : [toPlainName(found.risk)]),
      ].join('\n'),
  },
}).from({
  request: 'runtime',
  mine: 'runtime',
  asker: 'name',
  words: 'outside',
  ...REQUEST_ORIGINS,
  change: 'outside',
  steps: {
    step: 'runtime',
    tool: 'runtime',
    what: 'outside',
    environment: 'runtime',
    if: 'runtime',
    values: 'outside',
    state: 'runtime',
  },
  reach: 'outside',
  undo: 'outside',
  takesApprovalBecause: 'manual',
  risk: 'outside',
  deployment: {
    project: 'name',
    environment: 'runtime',
    version: 'asked',
    serves: 'ref',
    staging: { state: 'runtime', at: 'runtime', isServing: 'runtime', verdict: 'runtime', incidents: 'runtime' },
  },
  role: 'runtime',
  mayDecide: 'name',
  unreached: 'name',
  until: 'runtime',
});

function describeDeciders({
  role,
  mayDecide,
  unreached,
  approvedBy,
}: Pick<RequestFacts, 'approvedBy'> & {
  readonly role: string;
  readonly mayDecide: readonly string[];
  readonly unreached: readonly string[];
}): string {
  const [people, others] = [sayList(mayDecide.map(toPlainName)), sayList(unreached.map(toPlainName))];
  const given = sayList(approvedBy.map(toPlainName));
  const values = {
    role,
    hasPeople: people !== '',
    people,
    hasOthers: others !== '',
    others,
    hasVotes: given !== '',
    given,
  };
  return say('governance.requestDeciders', values);
}

function describeDeployment({
  project,
  environment,
  version,
  serves,
  staging,
}: NonNullable<RequestView['request']['deployment']>): readonly string[] {
  const to = toPlainName(version ?? '');
  const versions = say('governance.requestVersions', {
    project,
    environment,
    serves: serves !== null,
    from: toPlainName(serves ?? ''),
    to,
  });
  return environment === 'staging' ? [versions] : [versions, describeStaging(to, staging)];
}

function describeStaging(version: string, staging: Staging): string {
  if (staging === null) return say('governance.requestNoStaging', { version });
  const { state, at, isServing, verdict, incidents } = staging;
  return say('governance.requestStaging', {
    version,
    state: sayDeployState(state),
    ago: sayDuration(Math.max(0, Date.now() - Date.parse(at))),
    isServing,
    verdict: verdict ?? 'none',
    incidents: incidents.length,
  });
}
