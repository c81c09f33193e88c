import { AppError } from '@signalbox/contracts/errors';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { CHANGE_DEFAULTS, tool, type ResolvedRefs, type ToolContext } from '../../tools/tool.ts';
import { describeRequest, readRequestFacts } from './requests.ts';
import { RequestId } from './show-request.ts';

/** The request as the person saw it when it was resolved. */
const Meant = z.object({ request: z.string(), title: z.string() });

export const withdrawRequest = tool({
  describe:
    'Take back a request of this person that waits for an approval or a confirmation. A decision that came first stays.',
  hints: [
    'withdraw my request',
    'take back my request',
    'withdraw the request that waits',
    'I do not need the approval any more',
    'pull back my request for approval',
    'take my request back',
  ],
  input: z.object({ request: RequestId }),
  ...CHANGE_DEFAULTS,
  deadlineMs: 10_000,
  resolve: async ({ request: id }, { ports, threadId, before }) => {
    const known = before === null ? null : readMeant(before).request;
    const found = await ports.requests.findOwn(threadId, known ?? id ?? null);
    return { request: found.approval.approvalId, title: found.approval.what };
  },
  told: ['→ title'],
  derived: ['→ request'],
  preview: (_input, { resolved }) => ({
    what: say('governance.withdrawOrder', { title: readMeant(resolved).title }),
    change: '',
    reach: say('governance.withdrawReach'),
    undo: say('governance.withdrawUndo'),
  }),
  run: async (_input, { ports, actor, threadId, actionId, resolved, now }) => {
    const { request } = readMeant(resolved);
    const isWithdrawn = await ports.requests.withdraw({ approvalId: request, by: actor, actionId });
    const found = await ports.requests.findOwn(threadId, request);
    if (!isWithdrawn) requireVoid(ports, found, now());
    return { request, ...ports.requests.splitTitle(found, found.approval.what) };
  },
  probe: async (_input, { wrote, resolved, ports, threadId }) => {
    if (!(await wrote())) return { kind: 'not-done' };
    const { request } = readMeant(resolved);
    const found = await ports.requests.findOwn(threadId, request);
    return { kind: 'done', output: { request, ...ports.requests.splitTitle(found, found.approval.what) } };
  },
  phrases: {
    order: ({ request = '' }) => say('governance.withdrawOrder', { title: request }),
    done: ({ title, wording }) => say('governance.withdrawn', { title: `**${toPlainName(wording ?? title)}**` }),
  },
}).from({ request: 'runtime', title: 'runtime', wording: 'outside' });

function readMeant(resolved: ResolvedRefs | null): z.output<typeof Meant> {
  return Meant.parse(resolved);
}

/** What was withdrawn before stays withdrawn. Throws REQUEST_ENDED with what came first. */
function requireVoid(
  { requests }: ToolContext['ports'],
  found: Awaited<ReturnType<ToolContext['ports']['requests']['findOwn']>>,
  now: Date,
): void {
  if (found.approval.status === 'void') return;
  throw new AppError('REQUEST_ENDED', {
    detail: describeRequest(readRequestFacts(found, requests, now)).replaceAll('**', ''),
  });
}
