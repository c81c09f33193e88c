import { isHarmlessText, isStrictName, type SplitTitle } from '@signalbox/contracts/governance/outside';
import type { Tool } from './calls/tool.ts';
import { isEnum } from './provenance/own-values.ts';
import { getReceiptTitle } from './receipts.ts';

/** Arguments with a registered name. */
const NAMES: ReadonlySet<string> = new Set(['project', 'server', 'service', 'environment', 'node', 'name']);

/** The letters by which a looked-up value is found in a title, which may shorten it. */
const COMPARED_LETTERS = 8;

/** Splits a title, which its tool made from the arguments and the looked-up values of the action. `tool`: null when it is gone. Pure. */
export function splitTitle(
  title: string,
  tool: Pick<Tool, 'input'> | null,
  action: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>>; readonly resolved?: unknown },
): SplitTitle {
  const entries = Object.entries(action.arguments);
  const own = entries.filter(([field, value]) => isOwn(tool, field, value));
  const letters = keepLetters(title);
  const isQuoted = (text: string): boolean =>
    !isHarmlessText(text) && letters.includes(keepLetters(text).slice(0, COMPARED_LETTERS));
  const named = new Set(own.map(([, value]) => value));
  const foreign = listTexts(action.resolved).filter((text) => !named.has(text));
  if (own.length === entries.length && !foreign.some(isQuoted)) return { title, wording: null };
  return { title: getReceiptTitle({ tool: action.tool, arguments: Object.fromEntries(own) }), wording: title };
}

function isOwn(tool: Pick<Tool, 'input'> | null, field: string, value: unknown): boolean {
  if (typeof value !== 'string') return typeof value === 'number' || typeof value === 'boolean' || value === null;
  return isHarmlessText(value) || (NAMES.has(field) && isStrictName(value)) || (tool !== null && isEnum(tool, field));
}

function keepLetters(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}
