import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDuration } from '@signalbox/messages/duration';
import { sayList } from '@signalbox/messages/list';
import type { SplitTitle } from '@signalbox/contracts/governance/outside';
import { say, sayReason } from '@signalbox/messages/say';
import { z } from 'zod';
import { LOOK_UP_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';

/** The number of requests shown: people mostly ask about the newest. */
const SHOWN = 4;

type RequestRow = Awaited<ReturnType<ToolContext['ports']['requests']['own']>>[number];

type TitleSplitter = Pick<ToolContext['ports']['requests'], 'splitTitle'>;

export const REQUEST_ORIGINS = {
  title: 'runtime',
  wording: 'outside',
  came: 'runtime',
  here: 'runtime',
  ago: 'runtime',
  left: 'runtime',
  votes: 'runtime',
  needed: 'runtime',
  approvedBy: 'name',
  decidedBy: 'name',
  why: 'outside',
} as const;

export const getMyRequests = tool({
  describe:
    'Tell what became of the changes and approvals that this person asked for: who decided, why, and what came of it.',
  hints: [
    'what became of my request',
    'was my request approved',
    'why was my request rejected',
    'was my request refused',
    'is my request still waiting',
    'did anybody approve my request',
    'show my requests',
    'my requests',
  ],
  input: z.object({}),
  ...LOOK_UP_DEFAULTS,
  run: async (_input, { ports, actor, threadId, now }) => {
    const found = await ports.requests.own({ userKey: actor.userKey, threadId }, SHOWN);
    return { requests: found.map((one) => readRequestFacts(one, ports.requests, now())) };
  },
  phrases: {
    done: ({ requests: [newest, ...others] }) => {
      if (!newest) return say('governance.requestNone');
      const rest = others.map((one) => `- ${describeRequest(one)}`);
      return [
        describeRequest(newest),
        ...(rest.length > 0 ? [say('governance.requestBefore'), rest.join('\n')] : []),
      ].join('\n\n');
    },
  },
}).from({ requests: REQUEST_ORIGINS });

export interface RequestFacts extends SplitTitle {
  readonly came: ReturnType<typeof cameOf>;
  readonly here: boolean;
  /** The time since the request, or since its end, in words. */
  readonly ago: string;
  readonly left: string;
  readonly votes: number;
  readonly needed: number;
  readonly approvedBy: readonly string[];
  readonly decidedBy: string | null;
  /** The reason for the decision, or the result, as a person, a policy rule or the runtime wrote it. */
  readonly why: string | null;
}

/** Extracts what people are told of a request. Pure. */
export function readRequestFacts(found: RequestRow, { splitTitle }: TitleSplitter, now: Date): RequestFacts {
  const { approval, rule, isHere, requestedAt, endedAt } = found;
  return {
    ...splitTitle(found, approval?.what),
    came: cameOf(found),
    here: isHere,
    ago: sayDuration(Math.max(0, now.getTime() - (endedAt ?? requestedAt).getTime())),
    left: approval ? sayDuration(Math.max(0, approval.expiresAt.getTime() - now.getTime())) : '',
    votes: approval?.voters.length ?? 0,
    needed: approval?.needed ?? 0,
    approvedBy: approval && !approval.byRequester ? approval.voters : [],
    decidedBy: approval?.decidedBy ?? null,
    why: approval?.reason ?? (rule === null ? null : sayReason(rule)),
  };
}

function cameOf({ status, work, approval }: RequestRow) {
  switch (status) {
    case 'waiting':
      if (approval?.status !== 'pending') return 'approved';
      return approval.byRequester ? 'unconfirmed' : 'waiting';
    case 'started':
      return 'underWay';
    case 'done':
    case 'failed':
    case 'unknown':
      if (work === null) return status;
      if (FAILED.has(work)) return 'failed';
      if (OVER.has(work)) return 'done';
      return work === 'unknown' ? 'unknown' : 'underWay';
    default:
      return status;
  }
}

const OVER: ReadonlySet<string> = new Set(['done', 'succeeded']);
const FAILED: ReadonlySet<string> = new Set(['failed', 'cancelled', 'rolled_back']);

/** Says in one sentence what became of a request. Pure. */
export function describeRequest(one: RequestFacts): string {
  const { came, ago, left, votes, needed, approvedBy, decidedBy, why } = one;
  const title = `**${toPlainName(one.wording ?? one.title)}**`;
  const told = { hasWhy: why !== null && why !== '', why: toPlainName(why ?? '').replace(/[.。]\s*$/, '') };
  const by = { hasBy: decidedBy !== null, by: toPlainName(decidedBy ?? '') };
  switch (came) {
    case 'waiting':
      return say('governance.requestWaits', { title, votes, needed, left });
    case 'unconfirmed':
      return say('governance.requestUnconfirmed', { title, left });
    case 'rejected':
    case 'modified':
    case 'void':
    case 'expired':
    case 'denied':
      return say('governance.requestEnded', { title, came, ago, ...by, ...told });
    case 'approved':
    case 'underWay':
    case 'done':
    case 'failed':
    case 'unknown':
      return say('governance.requestRan', {
        title,
        came,
        ago,
        isApproved: approvedBy.length > 0,
        people: sayList(approvedBy.map(toPlainName)),
        ...told,
      });
  }
}
