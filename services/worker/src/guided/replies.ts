import { AIMessage, HumanMessage } from '@langchain/core/messages';
import type { z } from 'zod';
import type { AgentReply } from '../agents/agent.ts';
import type { RunContext } from './extras.ts';
import { listOffers } from './facts.ts';
import type { ActionSpecs, GuidedReply, GuidedSpec, ReaderProfile } from './spec.ts';
import type { GuidedState, ServerEvent } from './state.ts';

type Patch = Extract<ServerEvent, { type: 'server.a2ui.patch' }>;

interface Sent {
  readonly messages: AIMessage[];
  readonly outbox?: readonly Patch[];
}

type Surface = Pick<GuidedState, 'outbox' | 'ui' | 'messages' | 'acts'>;
type Turn = Pick<RunContext, 'run' | 'turnKey'>;

/** Adds replies to the conversation and the outbox. Keys count within the turn, so that a resumed turn sends the same replies. */
export function sendReplies(surface: Surface, turn: Turn, replies: readonly GuidedReply[]): Sent {
  const patches = replies.map((reply, place) => toPatch(surface, turn, reply, place));
  return {
    messages: patches.map(
      ({ key, payload: { text, buttons } }) =>
        new AIMessage({
          id: key,
          content: text,
          ...(buttons.length > 0 && { additional_kwargs: { offers: buttons } }),
        }),
    ),
    ...(patches.length > 0 ? { outbox: patches } : {}),
  };
}

/** Like `sendReplies`, with a view below the replies, which becomes the current view. */
export function sendView(
  surface: Surface,
  turn: Turn,
  {
    state,
    view,
    replies,
  }: { readonly state: string; readonly view: GuidedReply; readonly replies: readonly GuidedReply[] },
): Sent & Pick<GuidedState, 'ui'> {
  const { messages, outbox = [] } = sendReplies(surface, turn, [...replies, view]);
  const slot = outbox.at(-1)?.key ?? '';
  const shows = { view: state, action: surface.acts.current?.action ?? '' };
  const shown = outbox.map((patch) =>
    patch.key === slot ? { ...patch, payload: { ...patch.payload, slot, shows } } : patch,
  );
  return { messages, outbox: shown, ui: { ...surface.ui, state, slot } };
}

/** Returns what the agent said last before the newest message, with its buttons, to ask it again; none at the beginning. Pure. */
export function findQuestion({ messages }: Pick<GuidedState, 'messages'>): readonly GuidedReply[] {
  const asked = messages.slice(0, messages.findLastIndex(HumanMessage.isInstance)).findLast(AIMessage.isInstance);
  return asked ? [{ text: asked.text, buttons: listOffers(asked) }] : [];
}

/** Redraws the current view in place, without adding it to the conversation again. */
export function redrawView(surface: Surface, turn: Turn, view: GuidedReply): Pick<Sent, 'outbox'> {
  const { slot } = surface.ui;
  if (slot === undefined) return {};
  const patch = toPatch(surface, turn, view, 0);
  return { outbox: [{ ...patch, payload: { ...patch.payload, slot } }] };
}

function toPatch(
  { outbox, ui, messages }: Surface,
  { run, turnKey }: Turn,
  { text, buttons }: GuidedReply,
  place: number,
): Patch {
  const sent = outbox.filter((event) => event.turnKey === turnKey && isPatch(event)).length;
  const key = `${run.answerId(turnKey, sent + place + 1)}_say`;
  const about = messages.findLast(HumanMessage.isInstance)?.id ?? '';
  return { type: 'server.a2ui.patch', turnKey, key, about, payload: { surfaceId: ui.surfaceId, text, buttons } };
}

/**
 * Lists what a turn says. A view is left out when a later one about the same message shows more: the same view, or another view of the same
 * action. What one action answered is sent also when another action of the message has a view of its own.
 */
export function listReplies({ outbox }: Pick<GuidedState, 'outbox'>, turnKey: string): readonly AgentReply[] {
  const patches = outbox.filter(isPatch).filter((event) => event.turnKey === turnKey);
  const isView = ({ key, payload: { slot } }: Patch): boolean => slot === key;
  const isReplaced = (one: Patch, later: Patch): boolean => {
    if (!isView(later) || later.about !== one.about) return false;
    const [was, is] = [one.payload.shows, later.payload.shows];
    return was?.view === is?.view || was?.action === is?.action;
  };
  return patches
    .filter((one, at) => !isView(one) || !patches.slice(at + 1).some((later) => isReplaced(one, later)))
    .map(({ key, payload: { text, buttons, slot } }) => ({
      key,
      text,
      buttons,
      ...(slot === undefined ? {} : { slot }),
      ...(slot === undefined || slot === key ? {} : { onlyChanges: true as const }),
    }));
}

/** Draws a view of the agent for its reader. Throws for an unknown view. */
export function drawView<S extends z.ZodType, A extends ActionSpecs>(
  spec: Pick<GuidedSpec<S, A>, 'id' | 'views'>,
  name: string,
  domain: z.output<S>,
  reader: ReaderProfile,
): GuidedReply {
  const view = spec.views[name];
  if (!view) throw new Error(`${spec.id} has no view ${name}; it has ${Object.keys(spec.views).join(', ')}.`);
  return view(domain, reader);
}

function isPatch(event: ServerEvent): event is Patch {
  return event.type === 'server.a2ui.patch';
}
