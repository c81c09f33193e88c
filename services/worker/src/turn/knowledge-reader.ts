import { hashCanonical } from '@signalbox/safety/cards/canonical';
import { SECOND_MS } from '@signalbox/contracts/time';
import { makeLookUpId } from '@signalbox/contracts/ids';
import type { CallScope } from '@signalbox/governance/calls/call';
import { mayRead } from '@signalbox/governance/permissions/read-permission';
import type { KnowledgeReader } from '../tools/search/hit.ts';
import type { TurnDeps } from './turn-parts.ts';

/** The deadline for the log of a running service; a search answers without the log then. */
const LOG_MS = 6 * SECOND_MS;
const TAIL = 200;

/** Returns who searches: policy decides for each project what this person may read there, as it does for the tools that read it. */
export function createReader(
  { governance, choices }: Pick<TurnDeps, 'governance' | 'choices'>,
  scope: CallScope,
  callId: string,
): KnowledgeReader {
  return {
    userKey: scope.actor.userKey,
    chatKey: scope.chatKey,
    mayRead: (tool, args) => mayRead(governance, scope, tool, args),
    liveLogs: async ({ project, environment }, match) => {
      const payload = {
        project,
        environment,
        of: 'serving',
        tail: TAIL,
        sinceMinutes: null,
        untilMinutes: null,
        match,
      } as const;
      const actionId = makeLookUpId(callId, hashCanonical({ payload, turnKey: scope.turnKey }));
      const call = { actionId, name: 'search_knowledge', input: payload };
      try {
        const read = await choices.work('service.logs', { ...payload, followSeconds: 0 }, scope, call, {
          deadlineMs: LOG_MS,
          isQuiet: true,
        });
        return read.kind === 'done' ? read.result.lines : [];
      } catch (error) {
        if (scope.signal.aborted) throw error;
        scope.log.info('log not searched', { project, environment, error });
        return [];
      }
    },
  };
}
