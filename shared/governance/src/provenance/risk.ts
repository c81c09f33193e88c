import type { Risk, RiskAssessment } from '@signalbox/contracts/governance/action';
import type { RecordedReading } from '@signalbox/contracts/governance/execution-turn';
import type { ResolvedRefs } from '@signalbox/safety/cards/resolved';
import type { OwnWords } from '@signalbox/store/governance/governance-facts';
import { say } from '@signalbox/messages/say';
import type { RunnableCall, TextInView } from '../calls/call.ts';
import type { Tool } from '../calls/tool.ts';
import { findForeignValue } from './own-values.ts';

const SCORE: Readonly<Record<Risk, number>> = { safe: 0.1, sensitive: 0.5, dangerous: 0.9 };
const PRODUCTION_SCORE = 0.05;

/**
 * The origin of a call. `foreign`: a value that may come from outside text, which the person did not say. `reading`: the clean reader's
 * answer about the kind of act. A call with a foreign value, or an act that nobody asked for, needs a confirmation.
 */
export interface Taint {
  readonly foreign: string | null;
  readonly reading?: RecordedReading | undefined;
  readonly hasPrivate: boolean;
  /** Age of the turn's words at arrival; absent for recent words. */
  readonly ageMs?: number | undefined;
  /** The hash of the pressed offer for exactly this action. */
  readonly pressed?: string | undefined;
}

/**
 * Finds the origin of a call: of its values, and then, with a question to the clean reader, of the act. Without outside text among what
 * the model reads, everything is the person's. Reads that cannot carry private data out are never judged.
 */
export async function findTaint(
  { name, tool, input, resolved = null }: Pick<RunnableCall, 'name' | 'tool' | 'input' | 'resolved'>,
  { view, words, ageMs }: { readonly view: TextInView | null; readonly words: OwnWords; readonly ageMs?: number },
): Promise<Taint> {
  const { hasPrivate, said } = words;
  const rest = { hasPrivate, ...(ageMs === undefined ? {} : { ageMs }) };
  const { risk } = tool.risk(input, resolved);
  const carriesOut = tool.egress && (tool.touchesPrivate || hasPrivate);
  if (view === null || (risk === 'safe' && !carriesOut)) return { foreign: null, ...rest };
  const foreign = findForeignValue(tool, input, { said: said.map(({ text }) => text), made: new Set(view.made) });
  if (foreign !== null) return { foreign, ...rest };
  const reading = await view.ask({ tool: name, input, words: said });
  return { foreign: null, reading, ...rest };
}

function isTainted({ foreign, reading }: Taint): boolean {
  return foreign !== null || reading?.asked === false;
}

/** Decides the risk of an action and whether it needs a confirmation because of its origin. Pure. */
export function decideRisk(
  tool: Tool,
  input: unknown,
  taint: Taint,
  resolved: ResolvedRefs | null = null,
): RiskAssessment {
  const { risk, reasons, refusal } = tool.risk(input, resolved);
  const { foreign, reading, hasPrivate, ageMs } = taint;
  const inProduction = tool.environment(input) === 'production' && risk !== 'safe' ? PRODUCTION_SCORE : 0;
  const tainted = isTainted(taint);
  const act = reading?.failure === undefined ? say('governance.unaskedAct') : say('governance.unreadAct');
  const origin = foreign === null ? act : say('governance.foreignValue', { text: clip(foreign) });
  return {
    risk,
    score: SCORE[risk] + inProduction,
    reasons: [...reasons, ...(tainted ? [origin] : [])],
    tainted,
    touchesPrivate: tool.touchesPrivate || hasPrivate,
    egress: tool.egress,
    ...(ageMs === undefined ? {} : { ageMs }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

function clip(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
