import { AIMessage } from '@langchain/core/messages';
import type { z } from 'zod';
import type { AgentReply } from '../agents/agent.ts';
import type { RunExtras } from './extras.ts';
import type { Actions, GuidedReply, GuidedSpec, Reader } from './spec.ts';
import type { CommonState, ServerEvent } from './state.ts';

type Patch = Extract<ServerEvent, { type: 'server.a2ui.patch' }>;

/** Puts replies into the conversation and the outbox. Their keys count within the turn, so that a resumed turn sends the same. */
export function send(
  { outbox, ui }: Pick<CommonState, 'outbox' | 'ui'>,
  { run, turnKey }: Pick<RunExtras, 'run' | 'turnKey'>,
  replies: readonly GuidedReply[],
): { readonly messages: AIMessage[]; readonly outbox?: readonly Patch[] } {
  const sent = outbox.filter((event) => event.turnKey === turnKey && isPatch(event)).length;
  const patches = replies.map(({ text, buttons }, place): Patch => {
    const key = `${run.answerId(turnKey, sent + place + 1)}_say`;
    return { type: 'server.a2ui.patch', turnKey, key, payload: { surfaceId: ui.surfaceId, text, buttons } };
  });
  return {
    messages: patches.map(({ key, payload }) => new AIMessage({ id: key, content: payload.text })),
    ...(patches.length > 0 ? { outbox: patches } : {}),
  };
}

/** What the person is to see of a turn. Audit events are for audits. */
export function repliesOf({ outbox }: Pick<CommonState, 'outbox'>, turnKey: string): readonly AgentReply[] {
  return outbox
    .filter(isPatch)
    .filter((event) => event.turnKey === turnKey)
    .map(({ key, payload: { text, buttons } }) => ({ key, text, buttons }));
}

/** A view of an agent as its reader sees it now. Throws for one that it does not have. */
export function drawView<S extends z.ZodType, A extends Actions>(
  spec: Pick<GuidedSpec<S, A>, 'id' | 'views'>,
  name: string,
  domain: z.output<S>,
  reader: Reader,
): GuidedReply {
  const view = spec.views[name];
  if (!view) throw new Error(`${spec.id} has no view ${name}; it has ${Object.keys(spec.views).join(', ')}.`);
  return view(domain, reader);
}

function isPatch(event: ServerEvent): event is Patch {
  return event.type === 'server.a2ui.patch';
}
