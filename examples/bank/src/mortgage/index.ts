import { defineGuidedAgent } from '@signalbox/worker/guided/define';
import type { GuidedSpec, TurnInput } from '@signalbox/worker/guided/spec';
import { actions, type MortgageActions } from './actions.ts';
import { createInitialDomain, MortgageDomain, STATE_VERSION } from './domain.ts';
import { MIGRATION_STEPS } from './migrations.ts';
import { nodes, type NodeName } from './nodes.ts';
import { parseRequest } from './reading.ts';
import { views } from './views.ts';

const FIRST_NODE: Readonly<Record<keyof MortgageActions, NodeName>> = {
  set_intent: 'read_intent',
  recalculate: 'read_intent',
  show_products: 'render_missing_inputs',
  select_product: 'select_product',
  existing_customer: 'note_customer',
  property_seen: 'note_property',
  check_address: 'validate_address',
  request_branch: 'request_branch',
  ask_process: 'answer_process_question',
  get_support: 'render_support',
  reset: 'reset',
};

const spec: GuidedSpec<typeof MortgageDomain, MortgageActions> = {
  id: 'mortgage',
  class: 'WRITE_GATED',
  summary: 'Finds a mortgage that fits, and says what it costs a month.',
  stateVersion: STATE_VERSION,
  migrations: { 1: MIGRATION_STEPS },
  groups: ['mortgage'],
  domain: MortgageDomain,
  initial: createInitialDomain,
  actions,
  nodes,
  route: firstNode,
  reads: parseRequest,
  views,
  home: 'inputs',
};

/** The mortgage agent: asks for the loan, shows products, and recalculates the payment on request. */
export default defineGuidedAgent(spec);

function firstNode(input: TurnInput): NodeName {
  if (input.kind === 'news') return 'tell_news';
  // The guided-agent kit only passes actions of this agent
  return input.kind === 'words' ? 'count_trouble' : FIRST_NODE[input.name as keyof MortgageActions];
}
