import { defineGuidedAgent } from '@signalbox/worker/guided/define';
import type { TurnInput } from '@signalbox/worker/guided/spec';
import { ACTIONS, AGENT_ID, createInitialDomain, LostCardDomain, STATE_VERSION } from './domain.ts';
import { freezeCard, issueReplacement } from './nodes/changes.ts';
import { chooseCard } from './nodes/choose-card.ts';
import { classifyRisk } from './nodes/classify-risk.ts';
import { confirmAction } from './nodes/confirm-action.ts';
import { renderSupportOptions } from './nodes/support-options.ts';
import { verifyIdentity } from './nodes/verify-identity.ts';
import { parseRequest } from './reading.ts';
import { VIEWS } from './views.ts';

/** Helps with lost cards and unknown payments. The person confirms every change. */
export default defineGuidedAgent({
  id: AGENT_ID,
  class: 'WRITE_GATED',
  summary: 'Freezes a lost card, sends a new one, and reports payments that are not yours.',
  stateVersion: STATE_VERSION,
  migrations: {},
  groups: ['cards'],
  domain: LostCardDomain,
  initial: createInitialDomain,
  actions: ACTIONS,
  nodes: {
    classify_risk: {
      does: 'Says how likely it is that somebody else uses the card.',
      then: ['freeze_card', 'verify_identity_stepup', 'render_support_options'],
      run: classifyRisk,
    },
    choose_card: {
      does: 'Takes which card is meant, also when a request for another one waits.',
      then: ['freeze_card', 'verify_identity_stepup', 'issue_replacement', 'confirm_action'],
      run: chooseCard,
    },
    freeze_card: { does: 'Proposes to freeze the card.', then: ['confirm_action'], run: freezeCard },
    verify_identity_stepup: {
      does: 'Finds out by a code, or through an operator, whether it is the person who writes.',
      then: ['issue_replacement', 'confirm_action'],
      run: verifyIdentity,
    },
    issue_replacement: {
      does: 'Proposes a new card in the place of a frozen one.',
      then: ['confirm_action', 'verify_identity_stepup'],
      run: issueReplacement,
    },
    render_support_options: { does: 'Shows payments, branches, or what may be done.', run: renderSupportOptions },
    confirm_action: {
      does: 'Waits for the person’s own confirmation, and takes what came of it.',
      then: ['confirm_action', 'verify_identity_stepup'],
      run: confirmAction,
    },
  },
  route,
  reads: parseRequest,
  views: VIEWS,
  home: 'home',
});

function route(input: TurnInput): string {
  if (input.kind === 'news') return 'confirm_action';
  if (input.kind === 'words') return 'classify_risk';
  switch (input.name) {
    case 'freeze_card':
    case 'report_fraud':
      return 'classify_risk';
    case 'choose_card':
      return 'choose_card';
    case 'order_replacement':
      return 'issue_replacement';
    case 'reset':
      return 'confirm_action';
    case 'verify_identity':
    case 'ask_operator':
      return 'verify_identity_stepup';
    default:
      return 'render_support_options';
  }
}
