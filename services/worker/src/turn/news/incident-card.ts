import { Environment } from '@signalbox/contracts/conversation/fields';
import type { ActionButton, InboundEnvelope, OutboundEnvelope } from '@signalbox/contracts/conversation/envelope';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayDeployState } from '@signalbox/messages/deploy-state';
import { sayAgo } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { createDiagnoseButton, createRollbackButton } from '@signalbox/messages/service-buttons';
import { createDeploymentStore } from '@signalbox/store/deploy/deployments';
import { createIncidentButtons, listCardChanges, toIncidentSlot } from '@signalbox/store/incidents/incident-cards';
import type { TurnDeps } from '../turn-parts.ts';

type IncidentEnvelope = Extract<InboundEnvelope, { kind: 'incident' }>;

/** What a card says of the service of an incident. */
export interface CardService {
  /** One line about the last deployment; empty without one. */
  readonly line: string;
  /** Roll back is offered only to a release that was well when it was replaced. */
  readonly buttons: readonly ActionButton[];
}

const NO_SERVICE: CardService = { line: '', buttons: [] };

/** Reads what to add to the card of an incident about its service. */
export async function readCardService(
  { pool }: Pick<TurnDeps, 'pool'>,
  { card, project, phase }: IncidentEnvelope,
): Promise<CardService> {
  const environment = Environment.safeParse(card?.environment);
  if (!card || phase !== 'opened' || project === null || !environment.success) return NO_SERVICE;
  const service: ServiceKey = { project, environment: environment.data };
  const deployments = createDeploymentStore(pool);
  const [last] = await deployments.list(service, 1);
  if (!last) return NO_SERVICE;
  const healthy = await deployments.healthyBefore(service);
  const ago = sayAgo(Date.now() - last.requestedAt.getTime());
  return {
    line: say('alarms.lastDeployment', { version: toPlainName(last.ref), ago, state: sayDeployState(last.state) }),
    buttons: [createDiagnoseButton(service), ...(healthy ? [createRollbackButton(service, healthy.release)] : [])],
  };
}

/** Renders the first text of a card: our sentence, words from outside as a quotation, and the last deployment. */
export function toCardText({ say: text, quote, card }: IncidentEnvelope, { line }: CardService): string {
  const quoted = quote ? `${say(card?.fromLog ? 'turn.fromItsLog' : 'alarms.says')}\n${toCodeBlock(quote)}` : '';
  return [text, quoted, line].filter((part) => part !== '').join('\n\n');
}

/** Makes the message that tells of an incident its card; at its end, and when it is back, changes the cards that stand in chats. */
export async function withCard(
  { pool }: Pick<TurnDeps, 'pool'>,
  { card, incidentId, phase, updateId }: IncidentEnvelope,
  message: OutboundEnvelope,
): Promise<readonly OutboundEnvelope[]> {
  if (!card) return [message];
  const once = updateId.slice(incidentId.length + 1);
  const changes = phase === 'closed' || once.startsWith('again') ? await listCardChanges(pool, incidentId) : [];
  if (phase === 'closed') return [message, ...changes];
  const { body } = message;
  const buttons = [...createIncidentButtons(incidentId), ...body.buttons];
  return [{ ...message, slot: toIncidentSlot(incidentId, once), body: { ...body, buttons } }, ...changes];
}
