import { AppError } from '@signalbox/contracts/errors';
import { toMadeValue } from '@signalbox/contracts/governance/field-key';
import type { Approval, ApprovalVote } from '@signalbox/contracts/governance/approval';
import type { ActionEnvironment } from '@signalbox/contracts/governance/action';
import { isShortName } from '@signalbox/contracts/governance/outside';
import type { StepCondition } from '@signalbox/contracts/governance/plan';
import { toReaderCard } from '@signalbox/safety/cards/approval-card';
import { findAction, findApproval, listApprovers, listVotes } from '@signalbox/store/governance/approvals';
import { listOwnRequests, listVisibleRequests, type VisibleRequest } from '@signalbox/store/governance/own-requests';
import { findPlan, readStepState } from '@signalbox/store/governance/plans';
import { listRecent, type RecentScope } from '@signalbox/store/memory/recent-history';
import type { Pool } from '@signalbox/store/pool';
import { findValue } from '@signalbox/store/sql';

/** A person in a conversation. */
interface RequestReader {
  readonly userKey: string;
  readonly threadId: string;
}

/** A request with all that its approval card holds. */
export interface RequestView {
  readonly request: VisibleRequest;
  readonly approval: Approval;
  readonly votes: readonly ApprovalVote[];
  /** At most five short names of people who may still approve and are shown the card. */
  readonly mayDecide: readonly string[];
  /** At most five short names of people who may approve but are shown no card. */
  readonly unreached: readonly string[];
  /** The steps of a plan, in order; empty for other actions. */
  readonly steps: readonly RequestStep[];
}

/** A step of a requested plan. `what`: its line on the card. */
interface RequestStep {
  readonly tool: string;
  readonly what: string;
  readonly environment: ActionEnvironment;
  readonly if: StepCondition;
  readonly values: Readonly<Record<string, unknown>>;
  readonly state: ReturnType<typeof readStepState>;
}

export type RequestPort = ReturnType<typeof createRequestPort>;

/** Reads the requests that a person may see, and what they did. */
export function createRequestPort(pool: Pool) {
  return {
    /** A person's newest requests other than reads; requests of this conversation come first. */
    own: (of: RequestReader, limit: number) => listOwnRequests(pool, of, limit),

    /**
     * Finds a request, or without an id the one that waits, with its card. Only its requester, operators and admins find it, and in a
     * group only where its card is. Throws REQUEST_UNKNOWN, NO_REQUEST_WAITS, SEVERAL_REQUESTS.
     */
    async view(of: RequestReader, id: string | null): Promise<RequestView> {
      const found = await listVisibleRequests(pool, of, id);
      const request = pickOne(
        found.filter(({ isReadableHere }) => isReadableHere),
        id,
      );
      const { approvalId } = request.approval;
      const approval = await findApproval(pool, approvalId);
      if (!approval) throw new Error(`the request ${approvalId} is gone`);
      const votes = await listVotes(pool, approvalId);
      const authors = [...approval.authors, ...votes.map(({ userKey }) => userKey)];
      const approvers =
        approval.byRequester || approval.status !== 'pending'
          ? []
          : await listApprovers(pool, { ...approval, authors });
      const nameThose = (shown: boolean): readonly string[] =>
        approvers
          .flatMap(({ name, isShown }) => (isShown === shown && isShortName(name) ? [name] : []))
          .slice(0, MAX_NAMES);
      const [mayDecide, unreached] = [nameThose(true), nameThose(false)];
      const steps = await listSteps(pool, approval);
      return {
        request,
        approval: { ...approval, card: toReaderCard(approval.card) },
        votes,
        mayDecide,
        unreached,
        steps,
      };
    },

    /** Lists what a person did, newest first: see recent-history.ts. */
    recent: (of: RecentScope) => listRecent(pool, of),

    /** Finds a request of the conversation's own person, also a decided one. Throws like `view`. */
    async findOwn(threadId: string, id: string | null): Promise<VisibleRequest> {
      const userKey = await findValue<string>(pool)`select user_key from threads where thread_id = ${threadId}`;
      const found = userKey === null ? [] : await listVisibleRequests(pool, { userKey, threadId }, id);
      return pickOne(
        found.filter(({ isOwn }) => isOwn),
        id,
      );
    },
  };
}

const MAX_NAMES = 5;

async function listSteps(pool: Pool, { actionId, status, card }: Approval): Promise<readonly RequestStep[]> {
  const steps = (await findAction(pool, actionId))?.proposal?.steps ?? [];
  if (steps.length === 0) return [];
  const before = status === 'pending' || status === 'approved' ? 'ahead' : 'never';
  const plan = await findPlan(pool, actionId);
  return steps.map(({ proposal: { action }, if: condition }, at) => ({
    tool: action.tool,
    what: card.steps?.[at] ?? '',
    environment: action.environment,
    if: condition,
    values: action.arguments,
    state: plan ? readStepState(plan, at) : before,
  }));
}

function pickOne(found: readonly VisibleRequest[], id: string | null): VisibleRequest {
  const here = found.filter(({ isHere }) => isHere);
  const [one, ...others] = here.length === 1 ? here : found;
  if (one === undefined)
    throw id === null ? new AppError('NO_REQUEST_WAITS', {}) : new AppError('REQUEST_UNKNOWN', { id });
  if (others.length === 0) return one;
  const requests = [one, ...others].map(({ approval: { approvalId, what } }) => `${approvalId} (${what})`);
  const offers = [one, ...others].map(({ approval: { approvalId } }) => toMadeValue('request', approvalId));
  throw new AppError('SEVERAL_REQUESTS', { requests: requests.join(', ') }, undefined, offers);
}
