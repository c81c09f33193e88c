import type { z } from 'zod';
import { parseJson } from '@signalbox/contracts/system-error';
import { say } from '@signalbox/messages/say';
import type { ActionSpecs, RequestedAction } from './spec.ts';

export type ParsedAction =
  | { readonly kind: 'words' }
  /** `data` is valid and not parsed yet. `isLegacy`: the text lacks the agent's name. */
  | { readonly kind: 'action'; readonly name: string; readonly data: unknown; readonly isLegacy: boolean }
  /** The action is unknown or its data invalid. `say`: the sentence for the person. */
  | { readonly kind: 'refused'; readonly say: string };

/** The maximum length of an action's data: a button carries 200 characters, and nobody types more than a page. */
const MAX_DATA_LENGTH = 2_000;
const FORM = /^(?:([a-z][a-z0-9_]{0,39})\.)?([a-z][a-z0-9_]{0,59})(?:\s+(\{.*\}))?$/s;

/** Parses a text as an action and validates its data. A bare name counts only when the agent has that action. Pure. */
export function parseAction(agent: string, actions: ActionSpecs, text: string): ParsedAction {
  const [, prefix, name = '', json] = FORM.exec(text.trim()) ?? [];
  const isOwn = Object.hasOwn(actions, name);
  if (name === '' || (prefix === undefined && !isOwn)) return { kind: 'words' };
  if (prefix !== undefined && (prefix !== agent || !isOwn)) return refuseUnknown(agent, actions, `${prefix}.${name}`);
  const data = json === undefined ? {} : parseJson(json.slice(0, MAX_DATA_LENGTH)); // longer data is cut and therefore invalid JSON
  const checked = parseRequestedData(actions, { action: name, data });
  if (!checked.ok) return { kind: 'refused', say: say('guided.badData', { action: `${agent}.${name}`, ...checked }) };
  return { kind: 'action', name, data, isLegacy: prefix === undefined };
}

/** Parses a requested action's data with the action's schema. `fields` says what is wrong by field, never a value. */
export function parseRequestedData(
  actions: ActionSpecs,
  { action, data }: RequestedAction,
): { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly fields: string } {
  const spec = Object.hasOwn(actions, action) ? actions[action] : undefined;
  const parsed = spec?.data.safeParse(data);
  if (parsed?.success) return { ok: true, data: parsed.data };
  return { ok: false, fields: parsed ? fieldsOf(parsed.error) : action };
}

function fieldsOf({ issues }: z.ZodError): string {
  const fields = issues.map((issue) => {
    if (issue.path.length > 0) return issue.path.join('.');
    return issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : '{…}';
  });
  return [...new Set(fields)].join(', ').slice(0, 200);
}

function refuseUnknown(agent: string, actions: ActionSpecs, action: string): ParsedAction {
  const list = Object.keys(actions).map((name) => `- \`${agent}.${name}\``);
  return { kind: 'refused', say: say('guided.unknownAction', { action, list: list.join('\n') }) };
}
